package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// Inspection compares the streams of a server with a topology.
type Inspection struct {
	// Missing are streams, consumers and buckets that do not exist, as "stream PAM_INGEST".
	Missing []string
	Drift   []Difference
}

// MissingError names what a topology with Verify expects and the server lacks.
type MissingError struct{ Missing []string }

func (e *MissingError) Error() string {
	return "check streams: missing, and nats.provision is verify: " + strings.Join(e.Missing, ", ") +
		": create them as deploy/ does, or start one worker with nats.provision=create"
}

// Ensure creates the streams, consumers and buckets that are missing, unless t.Verify is set; then
// a [*MissingError] names them. Whatever differs from the topology is left unchanged and named by a
// [*DriftError]. Operators may choose more replicas, limits of size, the age of a log, placement,
// description and metadata.
func Ensure(ctx context.Context, js jetstream.JetStream, t Topology) error {
	found, err := compareTopology(ctx, js, t, !t.Verify)
	switch {
	case err != nil:
		return err
	case len(found.Missing) > 0:
		return &MissingError{found.Missing}
	case len(found.Drift) > 0:
		return &DriftError{found.Drift}
	}
	return nil
}

// Inspect compares like [Ensure] and changes nothing. An error means that the server is too old or
// does not answer.
func Inspect(ctx context.Context, js jetstream.JetStream, t Topology) (Inspection, error) {
	return compareTopology(ctx, js, t, false)
}

// comparison is one run of [Ensure] or [Inspect].
type comparison struct {
	Inspection
	js       jetstream.JetStream
	t        Topology
	create   bool
	replicas int
}

func compareTopology(ctx context.Context, js jetstream.JetStream, t Topology, create bool) (Inspection, error) {
	if err := checkServer(js.Conn()); err != nil {
		return Inspection{}, err
	}
	have, err := listStreams(ctx, js)
	if err != nil {
		return Inspection{}, err
	}
	c := comparison{js: js, t: t, create: create, replicas: t.Replicas}
	for _, s := range t.Streams {
		if info := have[s.Name]; info != nil {
			c.replicas = cmp.Or(c.replicas, info.Config.Replicas)
		}
	}
	c.replicas = cmp.Or(c.replicas, 1)
	for _, s := range t.Streams {
		if err := c.compareStream(ctx, s, have[s.Name]); err != nil {
			return c.Inspection, err
		}
	}
	for _, b := range t.Buckets {
		if err := c.compareBucket(ctx, b, have[b.stream()]); err != nil {
			return c.Inspection, err
		}
	}
	return c.Inspection, nil
}

// listStreams takes one request for 256 streams.
func listStreams(ctx context.Context, js jetstream.JetStream) (map[string]*jetstream.StreamInfo, error) {
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

func (c *comparison) compareStream(ctx context.Context, s Stream, have *jetstream.StreamInfo) error {
	if have == nil {
		found, err := findOrCreate(c, "stream "+s.Name,
			func() (jetstream.Stream, error) { return c.js.Stream(ctx, s.Name) },
			func() (jetstream.Stream, error) { return c.js.CreateStream(ctx, s.config(c.t, c.replicas)) })
		if err != nil || found == nil {
			return err
		}
		have = found.CachedInfo()
	}
	if drift := s.differences(c.t, have.Config); len(drift) > 0 {
		c.Drift = append(c.Drift, drift...)
		return nil // its consumers may differ for the same reason
	}
	consumers, err := c.listConsumers(ctx, s, have)
	if err != nil {
		return err
	}
	for _, k := range s.Consumers {
		info := consumers[k.Name]
		if info == nil {
			found, err := findOrCreate(c, "consumer "+k.Name+" of "+s.Name,
				func() (jetstream.Consumer, error) { return c.js.Consumer(ctx, s.Name, k.Name) },
				func() (jetstream.Consumer, error) { return c.js.CreateConsumer(ctx, s.Name, k.config(c.t)) })
			if err != nil {
				return err
			}
			if found == nil {
				continue
			}
			info = found.CachedInfo()
		}
		c.Drift = append(c.Drift, k.differences(c.t, s.Name, info.Config)...)
	}
	return nil
}

func (c *comparison) listConsumers(ctx context.Context, s Stream, info *jetstream.StreamInfo) (map[string]*jetstream.ConsumerInfo, error) {
	have := map[string]*jetstream.ConsumerInfo{}
	if len(s.Consumers) == 0 || info.State.Consumers == 0 {
		return have, nil
	}
	stream, err := c.js.Stream(ctx, s.Name)
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", s.Name, err)
	}
	list := stream.ListConsumers(ctx)
	for k := range list.Info() {
		have[k.Name] = k
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("list consumers of %s: %w", s.Name, err)
	}
	return have, nil
}

func (c *comparison) compareBucket(ctx context.Context, b Bucket, have *jetstream.StreamInfo) error {
	if have == nil {
		find := func() (jetstream.Stream, error) { return c.js.Stream(ctx, b.stream()) }
		found, err := findOrCreate(c, "key-value bucket "+b.Name, find, func() (jetstream.Stream, error) {
			if _, err := c.js.CreateKeyValue(ctx, b.config(c.t, c.replicas)); err != nil {
				return nil, err
			}
			return find()
		})
		if err != nil || found == nil {
			return err
		}
		have = found.CachedInfo()
	}
	c.Drift = append(c.Drift, b.differences(have.Config)...)
	return nil
}

// errUnsettled tells that the servers of a cluster do not agree yet: some are missing, or do not
// know what others have.
var errUnsettled = errors.New("the servers of the cluster have not settled yet")

// isMissing tells whether a server says that it has no such stream or consumer.
var isMissing = hints.MatchesAny(jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound)

// findOrCreate returns something that the list of streams or consumers lacks; nil if it is missing
// and noted as such. The list of a cluster omits those whose leader does not answer, so a cluster
// is asked first: a leader that was just elected would place anew what is created a second time.
func findOrCreate[T comparable](c *comparison, what string, find, create func() (T, error)) (found T, err error) {
	exists := hints.MatchesAny(jetstream.ErrStreamNameAlreadyInUse, jetstream.ErrConsumerExists, jetstream.ErrBucketExists)
	if c.create && c.replicas == 1 {
		err = jetstream.ErrStreamNotFound // the list of one server is complete
	} else {
		found, err = find()
	}
	if isMissing(err) && c.create {
		found, err = create()
		switch {
		case c.replicas > 1 && lacksServers(err):
			err = fmt.Errorf("%w: %w (has the account room for it, and the cluster %d servers?)", errUnsettled, err, c.replicas)
		case isMissing(err) || exists(err): // another process has created it meanwhile
			if found, err = find(); isMissing(err) {
				err = fmt.Errorf("%w: %w", errUnsettled, err)
			}
		}
	} else if isMissing(err) {
		c.Missing, err = append(c.Missing, what), nil
	}
	if err != nil {
		return found, fmt.Errorf("open or create %s: %w", what, err)
	}
	return found, nil
}

// lacksServers tells whether a cluster has too few servers for a stream, as while it starts.
var lacksServers = hints.MatchesAny(&jetstream.APIError{ErrorCode: 10005})
