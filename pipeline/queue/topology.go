package queue

import (
	"cmp"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// DefaultAckWait is the acknowledgement time if [Topology] sets none.
const DefaultAckWait = time.Minute

// Topology is the table of streams, consumers and buckets that an application relies on.
type Topology struct {
	Streams []Stream
	Buckets []Bucket
	// Replicas of new streams; 0 means as many as existing streams have, otherwise 1.
	Replicas int
	// Verify: a missing stream is an error, and none is created.
	Verify bool
	// AckWait is how long a worker may be silent about a task. Heartbeats are sent every third of
	// it. 0 means DefaultAckWait.
	AckWait time.Duration

	// memory keeps everything in memory (embedded queues).
	memory bool
}

// Kind selects the rules of a stream.
type Kind int

const (
	// Tasks is a work queue that holds one task of each subject. New messages are refused when an
	// operator's size limit is reached, so senders wait.
	Tasks Kind = iota
	// Intake is a work queue for messages that other systems publish, many on one subject.
	Intake
	// Log keeps the latest message of each subject. When it is full, the oldest messages are
	// removed.
	Log
)

// Stream is one stream and its consumers.
type Stream struct {
	Name     string
	Subjects []string
	Kind     Kind
	// Consumers of a work queue must have disjoint filters.
	Consumers []Consumer
	// Memory keeps the messages in the memory of the servers: they have names that no file of a
	// server may hold.
	Memory bool
	// Fair limits how many tasks of one owner wait in one lane; nil means no limit.
	Fair *FairLane
}

// Consumer is one durable consumer.
type Consumer struct {
	Name string
	// Filter is a subject with wildcards; "" means all subjects of the stream.
	Filter string
	// MaxInFlight is how many tasks may be delivered and unacknowledged, in all processes together.
	// 0 means no limit.
	MaxInFlight int
	// delayed marks the consumer of delayed copies.
	delayed bool
}

// Bucket is one key-value bucket. Its content is a hint and never the truth.
type Bucket struct {
	Name string
	// TTL is how long keys live; 0 means for ever.
	TTL time.Duration
	// KeyTTL lets single keys have a time to live of their own, as leases need.
	KeyTTL bool
}

// TaskStream returns a stream of tasks with the subjects <prefix>.<lane>.>, a consumer
// <name>-<lane> for each lane, and the consumer <name>-wait of delayed copies.
func TaskStream(stream, prefix, name string, maxInFlight int, lanes ...string) Stream {
	s := Stream{Name: stream, Subjects: []string{prefix + ".>"}, Kind: Tasks}
	for _, lane := range lanes {
		s.Consumers = append(s.Consumers, Consumer{Name: name + "-" + lane, Filter: prefix + "." + lane + ".>", MaxInFlight: maxInFlight})
	}
	s.Consumers = append(s.Consumers, Consumer{Name: name + "-" + laneDelayed, Filter: prefix + "." + laneDelayed + ".>", delayed: true})
	return s
}

// delayed returns the consumer of delayed copies, if the stream has one.
func (s Stream) delayed() (Consumer, bool) {
	for _, c := range s.Consumers {
		if c.delayed {
			return c, true
		}
	}
	return Consumer{}, false
}

func (t Topology) ackWait() time.Duration { return cmp.Or(t.AckWait, DefaultAckWait) }

func (t Topology) storage() jetstream.StorageType {
	if t.memory {
		return jetstream.MemoryStorage
	}
	return jetstream.FileStorage
}

// unlimited is how the server writes "no limit".
const unlimited = -1

// config of a new stream.
func (s Stream) config(t Topology, replicas int) jetstream.StreamConfig {
	c := jetstream.StreamConfig{
		Name: s.Name, Subjects: s.Subjects, Storage: t.storage(), Replicas: replicas,
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
	}
	if s.Memory {
		c.Storage = jetstream.MemoryStorage
	}
	switch s.Kind {
	case Tasks:
		c.MaxMsgsPerSubject, c.DiscardNewPerSubject = 1, true
	case Log:
		c.Retention, c.Discard, c.MaxMsgsPerSubject = jetstream.LimitsPolicy, jetstream.DiscardOld, 1
	case Intake:
	}
	return c
}

// config of a new consumer. It has no server-side back-off, which would override AckWait, and no
// server-side limit of deliveries, after which a message would be stuck in the stream.
func (c Consumer) config(t Topology) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: c.Name, FilterSubject: c.Filter, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: t.ackWait(), MaxDeliver: unlimited, MaxAckPending: cmp.Or(c.MaxInFlight, unlimited),
	}
}

// config of a new bucket.
func (b Bucket) config(t Topology, replicas int) jetstream.KeyValueConfig {
	c := jetstream.KeyValueConfig{Bucket: b.Name, History: 1, TTL: b.TTL, Storage: t.storage(), Replicas: replicas}
	if b.KeyTTL {
		c.LimitMarkerTTL = time.Minute
	}
	return c
}

// stream is the stream that holds a bucket.
func (b Bucket) stream() string { return "KV_" + b.Name }
