package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Difference is one setting of a stream, a consumer or a bucket that differs from the topology.
type Difference struct {
	Of    string // "stream PAM_INGEST", "consumer ingest-small of PAM_INGEST"
	Field string
	Found string
	Want  string
	// Edit is the command that changes the setting; "" if only creating the object again does.
	Edit string
}

func (d Difference) String() string {
	way := d.Edit
	if way == "" {
		way = "it cannot be changed: remove it and start a worker with nats.provision=create; " +
			"nothing is lost, because the next maintenance pass queues open work again"
	}
	return fmt.Sprintf("%s: %s is %s and must be %s: %s", d.Of, d.Field, d.Found, d.Want, way)
}

// DriftError names everything that differs from the topology. Nothing was changed.
type DriftError struct{ Differences []Difference }

func (e *DriftError) Error() string {
	lines := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		lines[i] = d.String()
	}
	return "check streams: " + strings.Join(lines, "\n\t")
}

// drift collects the differences of one object.
type drift struct {
	of   string
	list []Difference
}

func (d *drift) check(ok bool, field string, found, want any, edit string) {
	if !ok {
		d.list = append(d.list, Difference{d.of, field, fmt.Sprint(found), fmt.Sprint(want), edit})
	}
}

const (
	// minMessageSize is the least limit of message sizes that tasks fit into, in bytes.
	minMessageSize = 64 << 10
	// maxBatch is the largest number of tasks that one pull asks for.
	maxBatch = 512
)

func (s Stream) differences(t Topology, have jetstream.StreamConfig) []Difference {
	want := s.config(t, max(t.Replicas, 1))
	d := drift{of: "stream " + s.Name}
	edit := func(args string) string { return "`nats stream edit " + s.Name + " " + args + "`" }
	discard := "--no-discard-per-subject"
	if want.DiscardNewPerSubject {
		discard = "--discard-per-subject"
	}
	perSubject := max(have.MaxMsgsPerSubject, 0) // the server writes "no limit" as -1
	d.check(sameSet(have.Subjects, want.Subjects), "subjects", have.Subjects, want.Subjects, edit("--subjects="+strings.Join(want.Subjects, ",")))
	d.check(have.Retention == want.Retention, "retention", have.Retention, want.Retention, "")
	d.check(have.Storage == want.Storage, "storage", have.Storage, want.Storage, "")
	d.check(have.Discard == want.Discard, "discard policy", have.Discard, want.Discard,
		edit("--discard="+strings.ToLower(strings.TrimPrefix(want.Discard.String(), "Discard"))))
	d.check(perSubject == want.MaxMsgsPerSubject, "messages per subject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject,
		edit(fmt.Sprintf("--max-msgs-per-subject=%d", cmp.Or(want.MaxMsgsPerSubject, unlimited))))
	d.check(have.DiscardNewPerSubject == want.DiscardNewPerSubject, "discard new per subject", have.DiscardNewPerSubject,
		want.DiscardNewPerSubject, edit(discard))
	d.check(have.MaxMsgSize <= 0 || have.MaxMsgSize >= minMessageSize, "message size", have.MaxMsgSize,
		fmt.Sprintf("at least %d, or unlimited", minMessageSize), edit("--max-msg-size=-1"))
	d.check(have.MaxConsumers <= 0 || have.MaxConsumers >= len(s.Consumers), "number of consumers", have.MaxConsumers,
		fmt.Sprintf("at least %d, or unlimited", len(s.Consumers)), "")
	d.check(s.Kind == Log || have.MaxAge == 0, "age of messages", have.MaxAge, "unlimited: tasks do not expire", edit("--max-age=0"))
	d.check(have.Replicas >= want.Replicas, "replicas", have.Replicas, fmt.Sprintf("at least %d (nats.replicas)", want.Replicas),
		edit(fmt.Sprintf("--replicas=%d", want.Replicas)))
	d.check(!have.NoAck, "acknowledgement of published messages", "off", "on", edit("--ack"))
	d.check(!have.Sealed, "sealed", true, false, "")
	d.check(!have.DenyDelete, "deletion of messages", "denied", "allowed", "")
	d.check(have.SubjectTransform == nil, "subject transform", "set", "none", edit("--no-transform"))
	d.check(have.Mirror == nil && len(have.Sources) == 0, "mirror or sources", "set", "none", "")
	return d.list
}

func (c Consumer) differences(t Topology, stream string, have jetstream.ConsumerConfig) []Difference {
	want := c.config(t)
	d := drift{of: "consumer " + c.Name + " of " + stream}
	edit := func(args string) string { return "`nats consumer edit " + stream + " " + c.Name + " " + args + "`" }
	d.check(have.FilterSubject == want.FilterSubject && len(have.FilterSubjects) == 0, "filter",
		append([]string{have.FilterSubject}, have.FilterSubjects...), want.FilterSubject, edit("--filter="+want.FilterSubject))
	d.check(have.AckPolicy == want.AckPolicy, "acknowledgement policy", have.AckPolicy, want.AckPolicy, "")
	d.check(len(have.BackOff) == 0, "back-off", have.BackOff, "none: it would replace the acknowledgement time", "")
	d.check(have.AckWait == want.AckWait || len(have.BackOff) > 0, "acknowledgement time", have.AckWait,
		fmt.Sprintf("%v (nats.ack_wait, the same for all workers)", want.AckWait), edit("--wait="+want.AckWait.String()))
	d.check(have.MaxDeliver == want.MaxDeliver, "number of deliveries", have.MaxDeliver, "unlimited (-1)", edit("--max-deliver=-1"))
	d.check(have.MaxAckPending == want.MaxAckPending, "messages in flight", have.MaxAckPending, want.MaxAckPending,
		edit(fmt.Sprintf("--max-pending=%d", want.MaxAckPending)))
	d.check(have.DeliverPolicy == want.DeliverPolicy, "deliver policy", have.DeliverPolicy, want.DeliverPolicy, "")
	d.check(!have.HeadersOnly, "headers only", true, false, edit("--no-headers-only"))
	d.check(have.InactiveThreshold == 0, "expiry when idle", have.InactiveThreshold, "none", "")
	d.check(have.MaxRequestBatch == 0 || have.MaxRequestBatch >= maxBatch, "size of a pull", have.MaxRequestBatch, "unlimited", edit("--max-pull-batch=0"))
	return d.list
}

func (b Bucket) differences(have jetstream.StreamConfig) []Difference {
	d := drift{of: "key-value bucket " + b.Name}
	d.check(have.MaxMsgsPerSubject == 1, "history", have.MaxMsgsPerSubject, 1,
		fmt.Sprintf("`nats kv rm %s`, and start a worker with nats.provision=create; its content is rebuilt", b.Name))
	d.check(!b.KeyTTL || have.AllowMsgTTL && have.SubjectDeleteMarkerTTL > 0, "expiry of single keys", "off", "on",
		fmt.Sprintf("`nats stream edit %s --allow-msg-ttl --subject-del-markers-ttl=%s`", b.stream(), time.Minute))
	d.check(sameSet(have.Subjects, []string{"$KV." + b.Name + ".>"}), "subjects", have.Subjects, "$KV."+b.Name+".>", "")
	return d.list
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
