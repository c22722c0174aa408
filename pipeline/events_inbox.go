package pipeline

import (
	"strings"

	"github.com/pamline/pamline/pipeline/state"
)

// ownerInbox is the part of the inbox that is one owner's. Notifications wait by it, so that nobody's stand behind another's.
type ownerInbox struct {
	owner string
	// root: what lies in the inbox itself, which is the configured owner's; else what lies in the owner's folder.
	root bool
}

func inboxOf(l lying) ownerInbox {
	return ownerInbox{l.owner, !strings.Contains(strings.TrimPrefix(l.unit, state.InboxRoot), "/")}
}

// prefix is what the keys of its objects begin with. The root has no prefix of its own: others lie below it, too.
func (p ownerInbox) prefix() string {
	if p.root {
		return state.InboxRoot
	}
	return state.InboxPrefix(p.owner)
}

// records is what the keys of their small records begin with.
func (p ownerInbox) Records() string {
	if p.root {
		return state.TakenRoot + state.Nobody + "/"
	}
	return state.TakenRoot + p.owner + "/"
}

// has tells whether a unit that lies below the prefix is of it.
func (p ownerInbox) has(u inboxUnit) bool { return inboxOf(u.lying) == p }

// waiting is a hint that waits, with the notice that it came in.
type waiting struct {
	hint
	notice *notice
}

// inboxQueue is what waits of one inbox. The intake's lock guards it.
type inboxQueue struct {
	ownerInbox
	waiting []waiting
	// turning: a turn of it waits or runs, never two.
	turning bool
	// wanted is the notice that is kept until the next look through it has ended; nil: none is asked for.
	wanted *notice
	// looking: a look runs.
	looking bool
	// flooded: more came than may wait. Until a look has ended with none asked for since, whatever comes is left to the next look.
	flooded bool
}

func (q *inboxQueue) idle() bool {
	return len(q.waiting) == 0 && !q.turning && q.wanted == nil && !q.looking
}

// add lets a hint wait, or leaves it to a look. It gives the notices one hint of which is left to somebody else's look. The lock
// is held.
func (in *intake) Add(h waiting) (covered []*notice) {
	q := in.inboxes[h.inbox]
	if q == nil {
		q = &inboxQueue{ownerInbox: h.inbox}
		in.inboxes[h.inbox] = q
	}
	h.notice.open++
	most := inboxMost
	crowded := in.hints > eventsMost/2
	if crowded {
		most = inboxCrowded
	}
	if !q.flooded && len(q.waiting) < most {
		q.waiting = append(q.waiting, h)
		if !q.turning {
			q.turning = true
			in.enlistLocked(&in.turns, func() { in.turn(q) })
		}
		if waited(h.notice.msg) && !crowded {
			h.notice.open++ // it may stand for others that were acknowledged for its sake
			covered = in.want(q, h.notice)
		}
		return covered
	}
	q.flooded = true
	covered = in.want(q, h.notice)
	for _, h := range q.waiting {
		covered = append(covered, h.notice)
	}
	q.waiting = nil
	return covered
}

// want asks for a look and keeps the notice until it has ended; when one is asked for already, that will do. The lock is held.
func (in *intake) want(q *inboxQueue, n *notice) (covered []*notice) {
	if q.wanted != nil {
		return []*notice{n}
	}
	q.wanted = n
	if !q.looking {
		in.enlistLocked(&in.looks, func() { in.look(q) })
	}
	return nil
}

// tidy forgets an inbox of which nothing is in hand. The lock is held.
func (in *intake) tidy(p ownerInbox, q *inboxQueue) {
	if q.idle() && in.inboxes[p] == q {
		delete(in.inboxes, p)
	}
}
