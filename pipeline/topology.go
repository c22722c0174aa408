package pipeline

import (
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
	StreamIngest   = "PAM_INGEST"
	StreamExtract  = "PAM_EXTRACT"
	StreamAssemble = "PAM_ASSEMBLE"
	StreamDLQ      = "PAM_DLQ"
)

// ackWait is how long a worker may be silent about a message; it sends a heartbeat every third of it.
const ackWait = 60 * time.Second

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
func topology() []streamSpec {
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
		work(StreamIngest, "ingest", 1024),
		work(StreamExtract, "extract", 4096),
		assemble,
		{name: StreamDLQ, subjects: []string{"pam.dlq.>"}, retention: jetstream.LimitsPolicy},
	}
}

// EnsureTopology creates the streams and consumers, or brings those there are to the settings of this version. replicas 0
// leaves streams as they are replicated, and makes new ones with one replica.
func EnsureTopology(ctx context.Context, js jetstream.JetStream, replicas int) error {
	for _, s := range topology() {
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
			if _, err := stream.CreateOrUpdateConsumer(ctx, c.config()); err != nil {
				return fmt.Errorf("ensure consumer %s of %s: %w", c.name, s.name, err)
			}
		}
	}
	return nil
}

// config of a consumer: no server-side back-off (it would override AckWait) and no server-side limit of deliveries
// (attempts are counted by us, in storage).
func (c consumerSpec) config() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: c.name, FilterSubject: c.filter, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: ackWait, MaxDeliver: -1, MaxAckPending: c.maxAckPending,
	}
}
