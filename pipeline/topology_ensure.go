package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// EnsureTopology creates the streams, consumers and buckets that are missing and refuses those that differ in what the
// workers rely on: a [*DriftError] names them all. What an operator may choose is left as it is: more replicas, limits of
// size, the age of what is kept, placement, description and metadata.
func EnsureTopology(ctx context.Context, js jetstream.JetStream, t Topology) error {
	if err := checkServer(js.Conn()); err != nil {
		return err
	}
	t.AckWait = cmp.Or(t.AckWait, DefaultAckWait)
	have, err := streamsThere(ctx, js)
	if err != nil {
		return err
	}
	replicas := cmp.Or(t.Replicas, replicasOf(have), 1)
	var drift []Difference
	for _, s := range topology(t) {
		info, err := ensureStream(ctx, js, t, s, have[s.name], replicas)
		if err != nil {
			return err
		}
		differs := s.differences(info.Config, t.Replicas)
		if len(differs) > 0 && t.own {
			if info, err = replaceStream(ctx, js, s); err != nil {
				return err
			}
			differs = nil
		}
		drift = append(drift, differs...)
		if len(differs) > 0 {
			continue // its consumers are as they may be
		}
		differs, err = ensureConsumers(ctx, js, t, s, info)
		if err != nil {
			return err
		}
		drift = append(drift, differs...)
	}
	for _, b := range buckets() {
		differs, err := ensureBucket(ctx, js, t, b, have[b.stream()], replicas)
		if err != nil {
			return err
		}
		drift = append(drift, differs...)
	}
	if len(drift) > 0 {
		return &DriftError{drift}
	}
	return nil
}

// streamsThere asks for all streams at once: one request for 256 of them.
func streamsThere(ctx context.Context, js jetstream.JetStream) (map[string]*jetstream.StreamInfo, error) {
	have := map[string]*jetstream.StreamInfo{}
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		have[info.Config.Name] = info
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("list streams: %w (does the account have JetStream, and may this user use it?)", err)
	}
	return have, nil
}

// replicasOf are those of the streams of ours that are there.
func replicasOf(have map[string]*jetstream.StreamInfo) int {
	for _, s := range topology(Topology{}) {
		if info := have[s.name]; info != nil {
			return info.Config.Replicas
		}
	}
	return 0
}

// missingError says of something that is not there what to do.
type missingError struct{ what string }

func (e *missingError) Error() string {
	return "look for " + e.what + ": it is missing, and nats.provision is verify: make it as deploy/ does, or start one worker with nats.provision=create"
}

func missing(what string) error { return &missingError{what} }

func ensureStream(ctx context.Context, js jetstream.JetStream, t Topology, s streamSpec, have *jetstream.StreamInfo, replicas int) (*jetstream.StreamInfo, error) {
	if have != nil {
		return have, nil
	}
	if t.Verify { // the list of a cluster leaves out those whose leader does not answer just now
		one, err := js.Stream(ctx, s.name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			return nil, missing("stream " + s.name)
		case err != nil:
			return nil, fmt.Errorf("open stream %s: %w", s.name, err)
		}
		return one.CachedInfo(), nil
	}
	made, err := js.CreateStream(ctx, s.config(replicas))
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // somebody else made it meanwhile, perhaps otherwise
		made, err = js.Stream(ctx, s.name)
	}
	if err != nil {
		return nil, fmt.Errorf("make stream %s: %w (has the account room for it, and the cluster %d servers?)", s.name, err, replicas)
	}
	return made.CachedInfo(), nil
}

// replaceStream brings a stream of this process's own broker to what it should be: one of another version may lie there.
// What cannot be changed is made anew; work queues are rebuilt from storage anyway.
func replaceStream(ctx context.Context, js jetstream.JetStream, s streamSpec) (*jetstream.StreamInfo, error) {
	made, err := js.UpdateStream(ctx, s.config(1))
	if err != nil {
		if err := js.DeleteStream(ctx, s.name); err != nil {
			return nil, fmt.Errorf("replace stream %s: %w", s.name, err)
		}
		if made, err = js.CreateStream(ctx, s.config(1)); err != nil {
			return nil, fmt.Errorf("replace stream %s: %w", s.name, err)
		}
	}
	return made.CachedInfo(), nil
}

func ensureConsumers(ctx context.Context, js jetstream.JetStream, t Topology, s streamSpec, info *jetstream.StreamInfo) ([]Difference, error) {
	if len(s.consumers) == 0 {
		return nil, nil
	}
	have := map[string]*jetstream.ConsumerInfo{}
	if info.State.Consumers > 0 {
		stream, err := js.Stream(ctx, s.name)
		if err != nil {
			return nil, fmt.Errorf("open stream %s: %w", s.name, err)
		}
		list := stream.ListConsumers(ctx)
		for c := range list.Info() {
			have[c.Name] = c
		}
		if err := list.Err(); err != nil {
			return nil, fmt.Errorf("list consumers of %s: %w", s.name, err)
		}
	}
	var drift []Difference
	for _, c := range s.consumers {
		info, err := ensureConsumer(ctx, js, t, s.name, c, have[c.name])
		if err != nil {
			return nil, err
		}
		differs := c.differences(s.name, info.Config, t.AckWait)
		if len(differs) > 0 && t.own {
			if err := replaceConsumer(ctx, js, t, s.name, c); err != nil {
				return nil, err
			}
			differs = nil
		}
		drift = append(drift, differs...)
	}
	return drift, nil
}

func ensureConsumer(ctx context.Context, js jetstream.JetStream, t Topology, stream string, c consumerSpec, have *jetstream.ConsumerInfo) (*jetstream.ConsumerInfo, error) {
	if have != nil {
		return have, nil
	}
	if t.Verify { // as with streams
		one, err := js.Consumer(ctx, stream, c.name)
		switch {
		case errors.Is(err, jetstream.ErrConsumerNotFound):
			return nil, missing("consumer " + c.name + " of stream " + stream)
		case err != nil:
			return nil, fmt.Errorf("open consumer %s of stream %s: %w", c.name, stream, err)
		}
		return one.CachedInfo(), nil
	}
	made, err := js.CreateConsumer(ctx, stream, c.config(t.AckWait))
	if errors.Is(err, jetstream.ErrConsumerExists) {
		made, err = js.Consumer(ctx, stream, c.name)
	}
	if err != nil {
		return nil, fmt.Errorf("make consumer %s of %s: %w", c.name, stream, err)
	}
	return made.CachedInfo(), nil
}

func replaceConsumer(ctx context.Context, js jetstream.JetStream, t Topology, stream string, c consumerSpec) error {
	if err := js.DeleteConsumer(ctx, stream, c.name); err != nil {
		return fmt.Errorf("replace consumer %s of %s: %w", c.name, stream, err)
	}
	if _, err := js.CreateConsumer(ctx, stream, c.config(t.AckWait)); err != nil {
		return fmt.Errorf("replace consumer %s of %s: %w", c.name, stream, err)
	}
	return nil
}

func ensureBucket(ctx context.Context, js jetstream.JetStream, t Topology, b bucketSpec, have *jetstream.StreamInfo, replicas int) ([]Difference, error) {
	if have == nil {
		if !t.Verify {
			_, err := js.CreateKeyValue(ctx, b.config(replicas))
			if err == nil {
				return nil, nil
			}
			if !errors.Is(err, jetstream.ErrBucketExists) {
				return nil, fmt.Errorf("make key-value bucket %s: %w (has the account room for it?)", b.name, err)
			}
		}
		made, err := js.Stream(ctx, b.stream())
		if t.Verify && errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, missing("key-value bucket " + b.name)
		}
		if err != nil {
			return nil, fmt.Errorf("open key-value bucket %s: %w", b.name, err)
		}
		have = made.CachedInfo()
	}
	differs := b.differences(have.Config)
	if len(differs) > 0 && t.own {
		if _, err := js.UpdateKeyValue(ctx, b.config(1)); err != nil {
			return nil, fmt.Errorf("replace key-value bucket %s: %w", b.name, err)
		}
		differs = nil
	}
	return differs, nil
}
