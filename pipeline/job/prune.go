package job

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// A publisher skips files that exist, so no file may vanish between that look and the swap of the
// head. A prune therefore writes its mark first and looks second. It leaves again if a generation
// of the owner is open, or if the head is not the one that it was planned for. Else it swaps the
// head for a copy with the next sequence: computations that began earlier lose their swap. Whoever
// begins to read an archive or to publish looks for the mark after the record is open, so either
// the prune sees the open record, or the worker sees the mark and waits. Objects are removed within
// pruneHold of the mark; a mark older than pruneStale, by the clock of the store, is what a kill
// has left.

const (
	pruneHold  = 10 * time.Second
	pruneStale = 30 * time.Second
)

// PruneRoot has the marks of prunes, one for an owner.
const PruneRoot = "work/prune/"

// ErrBusy tells that objects of an owner cannot be removed now: an import is open, another prune
// runs, or the head has changed.
var ErrBusy = errors.New("imports of the owner are running")

// Prune calls remove while nobody reads an archive of an owner or publishes the owner's store.
// planned is the head that the removal was planned for, the head of the answer the one that stands
// in its place. remove is called at most once, and must end with its context: after that, the rest
// is for another call with the new head. Without removal, the error is [ErrBusy].
func (j *Jobs) Prune(ctx context.Context, owner string, planned state.Head, remove func(context.Context) error) (head state.Head, err error) {
	// Marks hold up imports: where one is running already, there is none.
	if err := j.checkIdle(ctx, owner); err != nil {
		return planned, err
	}
	if err := j.putPruneMark(ctx, owner); err != nil {
		return planned, err
	}
	defer func() {
		unmarked := j.store.Delete(context.WithoutCancel(ctx), PruneRoot+owner)
		if unmarked != nil && errors.Is(err, ErrBusy) { // the answer must not hide a failure
			err = nil
		}
		err = errors.Join(err, unmarked)
	}()
	held, cancel := context.WithTimeout(ctx, pruneHold)
	defer cancel()
	if err := j.checkIdle(held, owner); err != nil {
		return planned, err
	}
	head, tag, err := state.ReadHead(held, j.store, owner)
	if err != nil {
		return planned, err
	}
	if !reflect.DeepEqual(head, planned) || head.Sequence == 0 {
		return planned, ErrBusy
	}
	if head, err = j.repeatHead(held, owner, head, tag); err != nil {
		return planned, err
	}
	err = remove(held)
	if err != nil && ctx.Err() == nil && held.Err() != nil {
		err = nil // the rest is for another call
	}
	return head, err
}

// putPruneMark writes the mark of a prune in the place of one that a kill has left.
func (s *storage) putPruneMark(ctx context.Context, owner string) error {
	for range 2 {
		written, err := objects.PutOnce(ctx, s.store, PruneRoot+owner, []byte(s.options.NewID()+"\n"))
		if err != nil || written {
			return err
		}
		held, err := s.isPruned(ctx, owner)
		if err != nil {
			return err
		}
		if held {
			return ErrBusy
		}
		if err := s.store.Delete(ctx, PruneRoot+owner); err != nil {
			return fmt.Errorf("remove mark of a stopped prune: %w", err)
		}
	}
	return ErrBusy
}

// isPruned tells whether objects of an owner are being removed.
func (s *storage) isPruned(ctx context.Context, owner string) (bool, error) {
	mark, err := s.store.Head(ctx, PruneRoot+owner)
	if objects.IsMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	now, err := state.ReadStoreTime(ctx, s.store)
	return err == nil && now.Sub(mark.ModTime) < pruneStale, err
}

// awaitPrune gives a *fault.Later while objects of an owner are being removed.
func (s *storage) awaitPrune(ctx context.Context, owner string) error {
	pruned, err := s.isPruned(ctx, owner)
	if err == nil && pruned {
		err = &fault.Later{After: time.Second, Why: "old objects of the owner are being removed"}
	}
	return err
}

// checkIdle gives ErrBusy if a generation of an owner is open. A hint ahead of its record is no
// obstacle: the work of that generation begins later, and finds the mark.
func (s *storage) checkIdle(ctx context.Context, owner string) error {
	for o, err := range s.store.List(ctx, state.OpenRoot+owner+"/") {
		if err != nil {
			return err
		}
		_, drop, gen, _, ok := state.ParseGeneration(state.OpenRoot, o.Key)
		if !ok {
			continue
		}
		r, _, err := s.read(ctx, Ref{owner, drop})
		if err != nil {
			return err
		}
		if r.IsOpen(gen) {
			return ErrBusy
		}
	}
	return nil
}

// repeatHead swaps the head for the same head with the next sequence.
func (s *storage) repeatHead(ctx context.Context, owner string, head state.Head, tag string) (state.Head, error) {
	next := head
	next.Sequence++
	if err := state.LogHead(ctx, s.store, owner, head); err != nil {
		return head, err
	}
	err := objects.SwapJSON(ctx, s.store, state.HeadKey(owner), tag, next)
	if errors.Is(err, blob.ErrPrecondition) {
		return head, ErrBusy
	}
	if err != nil {
		return head, fmt.Errorf("swap head of %s: %w", owner, err)
	}
	return next, state.LogHead(ctx, s.store, owner, next)
}

// RemovePruneMarks removes the marks that killed prunes have left. The caller makes sure that no
// other process works on the store.
func (j *Jobs) RemovePruneMarks(ctx context.Context) error {
	for o, err := range j.store.List(ctx, PruneRoot) {
		if err == nil {
			err = j.store.Delete(ctx, o.Key)
		}
		if err != nil {
			return fmt.Errorf("remove marks of stopped prunes: %w", err)
		}
	}
	return nil
}
