package pipeline

import (
	"cmp"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
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
	// OwnerSmall is Limits.OwnerSmall for who only hands work over; 0: DefaultOwnerSmall.
	OwnerSmall int

	// own: the broker is this process's, and what differs is brought to what it should be.
	own bool
}

type consumerSpec struct {
	name, filter  string
	maxAckPending int
}

type streamSpec struct {
	name      string
	subjects  []string
	retention jetstream.RetentionPolicy
	// latest: only the last message of each subject is kept.
	latest bool
	// rolling: when it is full the oldest messages go. The others refuse new ones then, whose publishers wait.
	rolling   bool
	consumers []consumerSpec
}

type bucketSpec struct {
	name string
	ttl  time.Duration
	// expiring: keys may have a time to live of their own.
	expiring bool
}

// Every work queue has a waiting room besides its lanes: a message that cannot be worked on yet goes there, so that it
// holds no place in its lane. Nothing is done there but waiting, so any number may.
const (
	roomWait = "wait"
	// unlimited many messages of a consumer may be delivered and not acknowledged.
	unlimited = -1
	// assemblePending is how many imports of one partition may be in hand, in all processes together.
	assemblePending = 2048
)

// topology is all streams and consumers as data. Consumers of one work queue have disjoint filters.
func topology(t Topology) []streamSpec {
	room := func(stage string) consumerSpec {
		return consumerSpec{stage + "-" + roomWait, "pam." + stage + "." + roomWait + ".>", unlimited}
	}
	work := func(name, stage string, perLane int) streamSpec {
		s := streamSpec{name: name, subjects: []string{"pam." + stage + ".>"}, retention: jetstream.WorkQueuePolicy}
		for _, lane := range []string{state.LaneSmall, state.LaneBulk} {
			s.consumers = append(s.consumers, consumerSpec{stage + "-" + lane, "pam." + stage + "." + lane + ".>", perLane})
		}
		s.consumers = append(s.consumers, room(stage))
		return s
	}
	assemble := streamSpec{name: StreamAssemble, subjects: []string{"pam.assemble.>"}, retention: jetstream.WorkQueuePolicy}
	for p := range Partitions {
		assemble.consumers = append(assemble.consumers,
			consumerSpec{fmt.Sprintf("assemble-%02d", p), fmt.Sprintf("pam.assemble.%d.*", p), assemblePending})
	}
	assemble.consumers = append(assemble.consumers, room("assemble"))
	return []streamSpec{
		{name: StreamDrops, subjects: []string{"pam.drop.*.*"}, retention: jetstream.LimitsPolicy, latest: true, rolling: true},
		{name: StreamEvents, subjects: []string{cmp.Or(t.Events, DefaultEvents)}, retention: jetstream.WorkQueuePolicy,
			consumers: []consumerSpec{{telemetry.StageEvents, "", unlimited}}}, // each process has bounds of its own
		work(StreamTake, "take", 1024),
		work(StreamIngest, "ingest", 1024),
		work(StreamExtract, "extract", 4096),
		assemble,
		{name: StreamDLQ, subjects: []string{"pam.dlq.>"}, retention: jetstream.LimitsPolicy, latest: true},
	}
}

// buckets are all key-value buckets as data.
func buckets() []bucketSpec {
	return []bucketSpec{
		{name: BucketImports, ttl: 30 * 24 * time.Hour},
		{name: BucketTurns, expiring: true},
	}
}

// config of a new stream.
func (s streamSpec) config(replicas int) jetstream.StreamConfig {
	c := jetstream.StreamConfig{
		Name: s.name, Subjects: s.subjects, Retention: s.retention, Storage: jetstream.FileStorage,
		Replicas: replicas, Discard: jetstream.DiscardNew,
	}
	if s.latest {
		c.MaxMsgsPerSubject = 1
	}
	if s.rolling {
		c.Discard = jetstream.DiscardOld
	}
	return c
}

// config of a consumer: no server-side back-off (it would override AckWait) and no server-side limit of deliveries
// (attempts are counted by us, in storage).
func (c consumerSpec) config(ackWait time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: c.name, FilterSubject: c.filter, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: ackWait, MaxDeliver: -1, MaxAckPending: c.maxAckPending,
	}
}

func (b bucketSpec) config(replicas int) jetstream.KeyValueConfig {
	c := jetstream.KeyValueConfig{Bucket: b.name, History: 1, TTL: b.ttl, Storage: jetstream.FileStorage, Replicas: replicas}
	if b.expiring {
		c.LimitMarkerTTL = time.Minute
	}
	return c
}

// stream is what a bucket is kept in.
func (b bucketSpec) stream() string { return "KV_" + b.name }
