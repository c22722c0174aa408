package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Difference is something that a stream, a consumer or a bucket has otherwise than the workers rely on.
type Difference struct {
	Of    string // "stream PAM_INGEST", "consumer ingest-small of PAM_INGEST", "bucket PAM_TURNS"
	Field string
	Found string
	Want  string
	// Edit is what changes it; "" when nothing but making it anew does.
	Edit string
}

func (d Difference) String() string {
	way := d.Edit
	if way == "" {
		way = "it cannot be changed: remove it and start a worker with nats.provision=create; storage has what its queue held, and the next pass of the reconciler queues it again"
	}
	return fmt.Sprintf("%s: %s is %s and must be %s: %s", d.Of, d.Field, d.Found, d.Want, way)
}

// DriftError tells what is otherwise than the workers rely on. Nothing was changed.
type DriftError struct{ Differences []Difference }

func (e *DriftError) Error() string {
	lines := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		lines[i] = d.String()
	}
	return "check streams: " + strings.Join(lines, "\n\t")
}

// drift gathers differences of one thing.
type drift struct {
	of   string
	list []Difference
}

func (d *drift) Check(ok bool, field string, found, want any, edit string) {
	if !ok {
		d.list = append(d.list, Difference{d.of, field, fmt.Sprint(found), fmt.Sprint(want), edit})
	}
}

// smallest is the least that messages must be allowed to have, in bytes: references and a reason.
const smallest = 64 << 10

func (s streamSpec) differences(have jetstream.StreamConfig, replicas int) []Difference {
	want := s.config(max(replicas, 1))
	d := drift{of: "stream " + s.name}
	edit := func(args string) string { return "`nats stream edit " + s.name + " " + args + "`" }
	d.Check(sameSet(have.Subjects, want.Subjects), "subjects", have.Subjects, want.Subjects, edit("--subjects="+strings.Join(want.Subjects, ",")))
	d.Check(have.Retention == want.Retention, "retention", have.Retention, want.Retention, "")
	d.Check(have.Storage == want.Storage, "storage", have.Storage, want.Storage, "")
	d.Check(have.Discard == want.Discard, "discard policy", have.Discard, want.Discard, edit("--discard="+strings.ToLower(strings.TrimPrefix(want.Discard.String(), "Discard"))))
	perSubject := max(have.MaxMsgsPerSubject, 0) // the server writes "no limit" as -1
	d.Check(perSubject == want.MaxMsgsPerSubject, "messages per subject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject, edit(fmt.Sprintf("--max-msgs-per-subject=%d", cmpUnlimited(want.MaxMsgsPerSubject))))
	d.Check(!have.DiscardNewPerSubject, "discard new per subject", true, false, edit("--no-discard-per-subject"))
	d.Check(have.MaxMsgSize <= 0 || have.MaxMsgSize >= smallest, "message size", have.MaxMsgSize, fmt.Sprintf("at least %d, or none", smallest), edit("--max-msg-size=-1"))
	d.Check(have.MaxConsumers <= 0 || have.MaxConsumers >= len(s.consumers), "number of consumers", have.MaxConsumers, fmt.Sprintf("at least %d, or none", len(s.consumers)), "")
	d.Check(s.latest || have.MaxAge == 0, "age of messages", have.MaxAge, "no limit: work does not grow old", edit("--max-age=0"))
	d.Check(have.Replicas >= want.Replicas, "replicas", have.Replicas, fmt.Sprintf("at least %d (nats.replicas)", want.Replicas), edit(fmt.Sprintf("--replicas=%d", want.Replicas)))
	d.Check(!have.NoAck, "acknowledgement of what is published", "off", "on", edit("--ack"))
	d.Check(!have.Sealed, "sealed", true, false, "")
	d.Check(!have.DenyDelete, "deletion of messages", "denied", "allowed", "")
	d.Check(have.SubjectTransform == nil, "subject transform", "set", "none", edit("--no-transform"))
	d.Check(have.Mirror == nil && len(have.Sources) == 0, "mirror or sources", "set", "none", "")
	return d.list
}

func (c consumerSpec) differences(stream string, have jetstream.ConsumerConfig, ackWait time.Duration) []Difference {
	want := c.config(ackWait)
	d := drift{of: "consumer " + c.name + " of " + stream}
	edit := func(args string) string { return "`nats consumer edit " + stream + " " + c.name + " " + args + "`" }
	d.Check(have.FilterSubject == want.FilterSubject && len(have.FilterSubjects) == 0, "filter", append([]string{have.FilterSubject}, have.FilterSubjects...), want.FilterSubject, edit("--filter="+want.FilterSubject))
	d.Check(have.AckPolicy == want.AckPolicy, "acknowledgement policy", have.AckPolicy, want.AckPolicy, "")
	d.Check(len(have.BackOff) == 0, "back-off", have.BackOff, "none: it would take the place of the acknowledgement time", "")
	if len(have.BackOff) == 0 {
		d.Check(have.AckWait == want.AckWait, "acknowledgement time", have.AckWait, fmt.Sprintf("%v (nats.ack_wait, the same for all workers)", want.AckWait), edit("--wait="+want.AckWait.String()))
	}
	d.Check(have.MaxDeliver == want.MaxDeliver, "number of deliveries", have.MaxDeliver, "unlimited (-1)", edit("--max-deliver=-1"))
	d.Check(have.MaxAckPending == want.MaxAckPending, "messages in hand", have.MaxAckPending, want.MaxAckPending, edit(fmt.Sprintf("--max-pending=%d", want.MaxAckPending)))
	d.Check(have.DeliverPolicy == want.DeliverPolicy, "deliver policy", have.DeliverPolicy, want.DeliverPolicy, "")
	d.Check(!have.HeadersOnly, "headers only", true, false, edit("--no-headers-only"))
	d.Check(have.InactiveThreshold == 0, "expiry when idle", have.InactiveThreshold, "none", "")
	d.Check(have.MaxRequestBatch == 0 || have.MaxRequestBatch >= assembleBatch, "size of a pull", have.MaxRequestBatch, "unlimited", edit("--max-pull-batch=0"))
	return d.list
}

func (b bucketSpec) differences(have jetstream.StreamConfig) []Difference {
	d := drift{of: "key-value bucket " + b.name}
	d.Check(have.MaxMsgsPerSubject == 1, "history", have.MaxMsgsPerSubject, 1, fmt.Sprintf("`nats kv rm %s`, and start a worker with nats.provision=create; nothing in it is the truth", b.name))
	d.Check(!b.expiring || have.AllowMsgTTL && have.SubjectDeleteMarkerTTL > 0, "expiry of single keys", "off", "on", fmt.Sprintf("`nats stream edit %s --allow-msg-ttl --subject-del-markers-ttl=1m`", b.stream()))
	d.Check(sameSet(have.Subjects, []string{"$KV." + b.name + ".>"}), "subjects", have.Subjects, "$KV."+b.name+".>", "")
	return d.list
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// cmpUnlimited writes "no limit" as the command line of NATS has it.
func cmpUnlimited(n int64) int64 {
	if n == 0 {
		return unlimited
	}
	return n
}
