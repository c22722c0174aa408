package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The streams. Work queues hold what is to be done and can be rebuilt from storage; the drop log and the dead letters
// are kept for audit, replay and redrive.
const (
	StreamDrops    = "PAM_DROPS"
	StreamEvents   = "PAM_EVENTS"
	StreamTake     = "PAM_TAKE"
	StreamIngest   = "PAM_INGEST"
	StreamExtract  = "PAM_EXTRACT"
	StreamAssemble = "PAM_ASSEMBLE"
	StreamDLQ      = "PAM_DLQ"
)

// The key-value buckets. What they hold helps and is never the truth.
const (
	// BucketImports has the progress of each import.
	BucketImports = "PAM_IMPORTS"
	// BucketTurns has whose turn it is to do what one process of a cluster does; its keys expire.
	BucketTurns = "PAM_TURNS"
)

// Defaults of [Topology].
const (
	DefaultAckWait = time.Minute
	DefaultEvents  = "pam.events"
)

// Topology is how the streams are to be made and held.
type Topology struct {
	// Replicas of new streams; 0: as those there are, else 1.
	Replicas int
	// Verify: a missing stream is an error, and none is made.
	Verify bool
	// AckWait is how long a worker may be silent about a message; it sends a heartbeat every third of it. 0: DefaultAckWait.
	AckWait time.Duration
	// Events is the subject of the bucket's notifications; "": DefaultEvents.
	Events string
}

type consumerSpec struct {
	name, filter  string
	maxAckPending int
}

type streamSpec struct {
	name      string
	subjects  []string
	retention jetstream.RetentionPolicy
	maxAge    time.Duration
	consumers []consumerSpec
}

// topology is all streams and consumers as data. Consumers of one work queue have disjoint filters.
func topology(t Topology) []streamSpec {
	work := func(name, stage string, perLane int) streamSpec {
		s := streamSpec{name: name, subjects: []string{"pam." + stage + ".>"}, retention: jetstream.WorkQueuePolicy}
		for _, lane := range []string{LaneSmall, LaneBulk} {
			s.consumers = append(s.consumers, consumerSpec{stage + "-" + lane, "pam." + stage + "." + lane + ".>", perLane})
		}
		return s
	}
	assemble := streamSpec{name: StreamAssemble, subjects: []string{"pam.assemble.*.*"}, retention: jetstream.WorkQueuePolicy}
	for p := range Partitions {
		assemble.consumers = append(assemble.consumers,
			consumerSpec{fmt.Sprintf("assemble-%02d", p), fmt.Sprintf("pam.assemble.%d.*", p), 256})
	}
	return []streamSpec{
		{name: StreamDrops, subjects: []string{"pam.drop.*.*"}, retention: jetstream.LimitsPolicy},
		{name: StreamEvents, subjects: []string{cmp.Or(t.Events, DefaultEvents)}, retention: jetstream.WorkQueuePolicy,
			consumers: []consumerSpec{{"events", "", 256}}},
		work(StreamTake, "take", 1024),
		work(StreamIngest, "ingest", 1024),
		work(StreamExtract, "extract", 4096),
		assemble,
		{name: StreamDLQ, subjects: []string{"pam.dlq.>"}, retention: jetstream.LimitsPolicy},
	}
}

// EnsureTopology creates the streams and consumers, or brings those there are to the settings of this version.
func EnsureTopology(ctx context.Context, js jetstream.JetStream, t Topology) error {
	replicas := t.Replicas
	for _, s := range topology(t) {
		cfg := jetstream.StreamConfig{
			Name: s.name, Subjects: s.subjects, Retention: s.retention, Storage: jetstream.FileStorage,
			Replicas: replicas, MaxAge: s.maxAge, Discard: jetstream.DiscardNew,
		}
		if replicas == 0 {
			cfg.Replicas = 1
			if have, err := js.Stream(ctx, s.name); err == nil {
				cfg.Replicas = have.CachedInfo().Config.Replicas
			} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
				return fmt.Errorf("look at stream %s: %w", s.name, err)
			}
		}
		if s.name == StreamDrops {
			cfg.MaxMsgsPerSubject, cfg.Discard = 1, jetstream.DiscardOld
		}
		stream, err := js.CreateOrUpdateStream(ctx, cfg)
		if err != nil {
			return fmt.Errorf("ensure stream %s: %w (was it made by another version? remove or rename it)", s.name, err)
		}
		for _, c := range s.consumers {
			if _, err := stream.CreateOrUpdateConsumer(ctx, c.config(cmp.Or(t.AckWait, DefaultAckWait))); err != nil {
				return fmt.Errorf("ensure consumer %s of %s: %w", c.name, s.name, err)
			}
		}
	}
	return nil
}

// config of a consumer: no server-side back-off (it would override AckWait) and no server-side limit of deliveries
// (attempts are counted by us, in storage).
func (c consumerSpec) config(ackWait time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: c.name, FilterSubject: c.filter, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: ackWait, MaxDeliver: -1, MaxAckPending: c.maxAckPending,
	}
}
