package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// known are the records of one group: what has one, and which of them have not been met in the inbox.
type known struct {
	owner  string
	ids    map[string]bool
	unseen map[string]blob.Object
}

func newKnown() known { return known{ids: map[string]bool{}, unseen: map[string]blob.Object{}} }

func (k known) Add(record blob.Object) {
	_, id, _ := takenID(record.Key)
	k.ids[id] = true
	k.unseen[id] = record
}

// see tells whether there is a record, and notes that its thing is there.
func (k known) see(id string) bool {
	delete(k.unseen, id)
	return k.ids[id]
}

// recordGroups reads records owner by owner.
type recordGroups struct {
	next  func() (blob.Object, error, bool)
	ahead *blob.Object // read already, of the next group
}

// group gives the records of the next owner who does not come after the given one; ok is false when there is none. Owners
// come in the order of their keys, in which "ann-b/" stands before "ann/".
func (g *recordGroups) group(upTo string) (k known, ok bool, err error) {
	k = newKnown()
	k.owner = upTo
	for {
		o, more, err := g.peek()
		if err != nil || !more {
			return k, ok, err
		}
		owner, _, _ := takenID(o.Key)
		switch {
		case owner == state.Nobody:
			g.ahead = nil
			continue // they are a group of their own, read before
		case ok && owner != k.owner, !ok && upTo != "" && owner+"/" > upTo+"/":
			return k, ok, nil
		}
		k.owner, ok = owner, true
		k.Add(o)
		g.ahead = nil
	}
}

func (g *recordGroups) peek() (blob.Object, bool, error) {
	if g.ahead == nil {
		o, err, ok := g.next()
		if err != nil || !ok {
			return o, false, err
		}
		g.ahead = &o
	}
	return *g.ahead, true, nil
}

// ownerQueue knows what of one owner's is queued to be taken, so that a pass asks the server once for each owner who has
// something new, and never queues twice what waits already.
type ownerQueue struct {
	owner string
	asked bool
	units map[string]bool // by the digest at the end of the subject
	small int
}

// ask queues a task unless there is one for the same thing; then it says so.
func (q *ownerQueue) Ask(ctx context.Context, js jetstream.JetStream, t TakeTask, limit int) (queued bool, err error) {
	if !q.asked || q.owner != t.Owner {
		if err := q.load(ctx, js, t); err != nil {
			return false, err
		}
	}
	_, unit := laneAndUnit(t.Subject())
	if q.units[unit] {
		return true, nil
	}
	if limit <= 0 {
		limit = DefaultOwnerSmall
	}
	if t.Lane == state.LaneSmall {
		if q.small >= limit {
			t.Lane = state.LaneBulk
		} else {
			q.small++
		}
	}
	if err := publishTask(ctx, js, t); err != nil {
		return false, err
	}
	q.units[unit] = true
	return false, nil
}

func (q *ownerQueue) load(ctx context.Context, js jetstream.JetStream, t TakeTask) error {
	parts := strings.Split(t.Subject(), ".")
	subjects, err := queuedSubjects(ctx, js, StreamTake, "pam."+telemetry.StageTake+".*."+parts[3]+".*")
	if err != nil {
		return fmt.Errorf("look what is queued: %w", err)
	}
	*q = ownerQueue{owner: t.Owner, asked: true, units: map[string]bool{}}
	for _, s := range subjects {
		lane, unit := laneAndUnit(s)
		q.units[unit] = true
		if lane == state.LaneSmall {
			q.small++
		}
	}
	return nil
}

// laneAndUnit reads pam.<stage>.<lane>.<owner>.<unit>.
func laneAndUnit(subject string) (lane, unit string) {
	parts := strings.SplitN(subject, ".", 5)
	if len(parts) < 5 {
		return "", ""
	}
	return parts[2], parts[4]
}
