package pipeline

import (
	"context"
	"iter"
)

// StoreDiff is what one export of an owner says that another does not, for the person whose they are: it holds titles and
// memories, and is not for logs.
type StoreDiff struct {
	Conversations ConversationDiff `json:"conversations"`
	Memories      MemoryDiff       `json:"memories"`
}

// Empty tells whether the two say the same.
func (d StoreDiff) Empty() bool { return d.Conversations.count() == 0 && d.Memories.count() == 0 }

// Some is how many there are of one kind, and the first of them by id.
type Some[T any] struct {
	Count int64 `json:"count"`
	First []T   `json:"first,omitempty"`
}

func (s *Some[T]) Add(one T, limit int) {
	if s.Count++; len(s.First) < limit {
		s.First = append(s.First, one)
	}
}

// Diff compares two exports of an owner, reading each from front to back; of each kind of change the first limit are named.
// An export without an id has nothing in it.
func Diff(ctx context.Context, d Deps, owner, before, after string, limit int) (StoreDiff, error) {
	var out StoreDiff
	if before == after {
		return out, nil
	}
	if err := out.Conversations.read(ctx, d, owner, before, after, limit); err != nil {
		return out, err
	}
	return out, out.Memories.read(ctx, d, owner, before, after, limit)
}

// sideBySide walks through two sequences that ascend by key and gives what has the same key together; what is in one of them
// only comes with nil for the other.
func sideBySide[T any](before, after iter.Seq2[T, error], key func(T) string, each func(old, now *T) error) error {
	nextOld, stopOld := iter.Pull2(before)
	defer stopOld()
	nextNow, stopNow := iter.Pull2(after)
	defer stopNow()
	old, oldErr, hasOld := nextOld()
	now, nowErr, hasNow := nextNow()
	for hasOld || hasNow {
		if oldErr != nil {
			return oldErr
		}
		if nowErr != nil {
			return nowErr
		}
		var o, n *T
		if hasOld && (!hasNow || key(old) <= key(now)) {
			copied := old
			o = &copied
		}
		if hasNow && (!hasOld || key(now) <= key(old)) {
			copied := now
			n = &copied
		}
		if err := each(o, n); err != nil {
			return err
		}
		if o != nil {
			old, oldErr, hasOld = nextOld()
		}
		if n != nil {
			now, nowErr, hasNow = nextNow()
		}
	}
	return nil
}
