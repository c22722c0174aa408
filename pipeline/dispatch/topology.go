package dispatch

import (
	"cmp"
	"fmt"
	"time"

	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
)

// The streams. Those of tasks can be rebuilt from storage; the log of drops is for audits.
const (
	StreamDrops    = "PAM_DROPS"
	StreamEvents   = "PAM_EVENTS"
	StreamTake     = "PAM_TAKE"
	StreamIngest   = "PAM_INGEST"
	StreamExtract  = "PAM_EXTRACT"
	StreamAssemble = "PAM_ASSEMBLE"
)

// The buckets. Their content is a hint and never the truth.
const (
	// BucketImports holds the progress of each import.
	BucketImports = "PAM_IMPORTS"
	// BucketLeases holds which process does the work that needs no second one.
	BucketLeases = "PAM_LEASES"
)

// DefaultEvents is the subject of a bucket's notifications if [TopologyOptions] name none.
const DefaultEvents = "pam.events"

// DefaultOwnerSmall is how many tasks of one owner wait in a small lane by default.
const DefaultOwnerSmall = 8

// progressAge is how long the progress of an import is kept.
const progressAge = 30 * 24 * time.Hour

// How many tasks of one lane are in hand at a time, in all processes together.
const (
	perLane      = 1024
	perShardLane = 4096
	perPartition = 2048
)

// bulkBytes is the size from which a drop waits in the lane of large ones.
const bulkBytes = 64 << 20

// LaneOf gives the lane of a drop by its size in bytes.
func LaneOf(size int64) string {
	if size > bulkBytes {
		return state.LaneBulk
	}
	return state.LaneSmall
}

// TopologyOptions are the choices of an operator.
type TopologyOptions struct {
	// Replicas of new streams; 0 means as many as existing streams have, otherwise 1.
	Replicas int
	// Verify: a missing stream is an error, and none is created.
	Verify bool
	// AckWait is how long a worker may be silent about a task; 0 means queue.DefaultAckWait.
	AckWait time.Duration
	// Events is the subject of the bucket's notifications; "" means DefaultEvents.
	Events string
	// OwnerSmall is how many tasks of one owner wait in a small lane; more go to the large one.
	// 0 means DefaultOwnerSmall.
	OwnerSmall int
	// OneOwner leaves out what one command for one owner does not need: the streams of the inbox,
	// the buckets, and all partitions but one. Its queue opens in half the time.
	OneOwner bool
}

// Topology is the table of all streams, consumers and buckets.
func Topology(o TopologyOptions) queue.Topology {
	fair := &queue.FairLane{Lane: state.LaneSmall, Overflow: state.LaneBulk, Limit: max(o.OwnerSmall, 0)}
	if fair.Limit == 0 {
		fair.Limit = DefaultOwnerSmall
	}
	withLanes := func(stream, kind string, inFlight int) queue.Stream {
		s := queue.TaskStream(stream, "pam."+kind, kind, inFlight, state.LaneSmall, state.LaneBulk)
		s.Fair = fair
		return s
	}
	var partitions []string
	for p := range Partitions {
		partitions = append(partitions, partitionLane(p))
	}
	if o.OneOwner {
		partitions = partitions[:1]
	}
	t := queue.Topology{
		Streams: []queue.Stream{
			{Name: StreamDrops, Subjects: []string{"pam.drop.>"}, Kind: queue.Log},
			withLanes(StreamIngest, "ingest", perLane),
			withLanes(StreamExtract, "extract", perShardLane),
			queue.TaskStream(StreamAssemble, "pam.assemble", "assemble", perPartition, partitions...),
		},
		Replicas: o.Replicas, Verify: o.Verify, AckWait: o.AckWait,
	}
	if o.OneOwner {
		return t
	}
	// What arrives in the inbox has a name that people have given. Files of a NATS server keep what
	// was removed from a stream until it compacts them, so an erasure could not reach the names. A
	// listing of the inbox finds what a restart of the server has lost.
	take := withLanes(StreamTake, "take", perLane)
	take.Memory = true
	events := queue.Stream{Name: StreamEvents, Subjects: []string{cmp.Or(o.Events, DefaultEvents)}, Kind: queue.Intake, Consumers: []queue.Consumer{{Name: "events"}}, Memory: true}
	t.Streams = append(t.Streams, events, take)
	t.Buckets = []queue.Bucket{{Name: BucketImports, TTL: progressAge}, {Name: BucketLeases, KeyTTL: true}}
	return t
}

// partitionLane is the lane of a partition in a subject.
func partitionLane(p int) string { return fmt.Sprintf("%02d", p) }
