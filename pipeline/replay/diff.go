package replay

import (
	"context"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// StoreDiff is how two exports of an owner differ. It has titles and memories, so it is for their
// owner, not for logs.
type StoreDiff struct {
	Conversations ConversationDiff `json:"conversations"`
	Memories      MemoryDiff       `json:"memories"`
}

// IsEmpty tells whether the exports say the same.
func (d StoreDiff) IsEmpty() bool { return d.Conversations.count() == 0 && d.Memories.count() == 0 }

// Changes are the changes of one kind: their number, and the first of them by id.
type Changes[T any] struct {
	Count int64 `json:"count"`
	First []T   `json:"first,omitempty"`
}

func (s *Changes[T]) add(one T, limit int) {
	if s.Count++; len(s.First) < limit {
		s.First = append(s.First, one)
	}
}

// Diff compares two exports of an owner as streams. Of each kind of change the first limit are
// named. A head without an export is empty.
func Diff(ctx context.Context, s blob.Store, owner string, before, after state.Head, limit int) (StoreDiff, error) {
	var out StoreDiff
	if before.ExportID == after.ExportID {
		return out, nil
	}
	if err := out.Conversations.read(ctx, s, owner, before, after, limit); err != nil {
		return out, err
	}
	return out, out.Memories.read(ctx, s, owner, before, after, limit)
}

// sideBySide walks through two sequences that ascend by key, and gives elements of the same key
// together. An element that only one of them has comes with nil for the other.
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
