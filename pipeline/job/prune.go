package job

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// A publisher skips files that exist, so no file may vanish between that look and the swap of the
// head. A prune therefore takes the mark of the owner first and looks second. It leaves again if a
// generation of the owner is open, or if the head is not the one that it was planned for. Else it
// swaps the head for a copy with the next sequence: computations that began earlier lose their
// swap. Whoever begins to read an archive or to publish looks at the mark after the record is open,
// so either the prune sees the open record, or the worker sees the mark and waits. Objects are
// removed within pruneHold of the mark; a mark that was held for pruneStale, by the clock of the
// store, is what a kill has left.
//
// The mark is one object that is swapped and stays: it is empty while it is free, and has the nonce
// of the prune that holds it. Each change names the tag that it replaces. So of two prunes that
// find it free, or stale, one gets it, and a prune whose mark was taken over as stale does not free
// it for the one that has it now. It is not removed and made again, because there are servers with
// versions of objects that never accept If-None-Match for a key again that was deleted.

const (
	pruneHold  = 10 * time.Second
	pruneStale = 30 * time.Second
)

// PruneRoot has the marks of prunes, one for each owner who was pruned.
const PruneRoot = "work/prune/"

// PrunePrefix begins the keys of what a prune of an owner has below PruneRoot.
func PrunePrefix(owner string) string { return PruneRoot + owner + "/" }

func pruneMark(owner string) string { return PrunePrefix(owner) + "mark" }

// ErrBusy tells that objects of an owner cannot be removed now: an import is open, another prune
// runs, or the head has changed.
var ErrBusy = errors.New("imports of the owner are running")

// Prunes removes objects of owners beside the jobs.
type Prunes struct{ *storage }

// Prunes gives the access to the marks of prunes.
func (j *Jobs) Prunes() *Prunes { return &Prunes{&j.storage} }

// Run calls remove while nobody reads an archive of an owner or publishes the owner's store.
// planned is the head that the removal was planned for, the head of the answer the one that stands
// in its place. remove is called at most once, and must end with its context: after that, the rest
// is for another call with the new head. Without removal, the error is [ErrBusy].
func (p *Prunes) Run(ctx context.Context, owner string, planned state.Head, remove func(context.Context) error) (head state.Head, err error) {
	mark, err := p.holdMark(ctx, owner)
	if err != nil {
		return planned, err
	}
	hasStore := true
	defer func() {
		freed := p.freeMark(context.WithoutCancel(ctx), owner, mark, hasStore)
		if freed != nil && errors.Is(err, ErrBusy) { // the answer must not hide a failure
			err = nil
		}
		err = errors.Join(err, freed)
	}()
	held, cancel := context.WithTimeout(ctx, pruneHold)
	defer cancel()
	if err := p.CheckIdle(held, owner); err != nil {
		return planned, err
	}
	head, tag, err := state.ReadHead(held, p.store, owner)
	if err != nil {
		return planned, err
	}
	if hasStore = head.Sequence > 0; !hasStore || !reflect.DeepEqual(head, planned) {
		return planned, ErrBusy
	}
	if head, err = p.repeatHead(held, owner, head, tag); err != nil {
		return planned, err
	}
	err = remove(held)
	if err != nil && ctx.Err() == nil && held.Err() != nil {
		err = nil // the rest is for another call
	}
	return head, err
}

// RemoveOwner calls remove, which removes all that an owner has, while no prune of the owner runs:
// the head first, and what PrunePrefix has last. Without a head no prune begins, so whoever repeats
// a removal that was stopped needs no mark. The error is [ErrBusy] if a prune runs.
func (p *Prunes) RemoveOwner(ctx context.Context, owner string, remove func(context.Context) error) error {
	if stored, err := objects.Exists(ctx, p.store, state.HeadKey(owner)); err != nil || !stored {
		if err == nil {
			err = remove(ctx)
		}
		return err
	}
	mark, err := p.holdMark(ctx, owner)
	if err != nil {
		return err
	}
	if err = remove(ctx); err != nil {
		err = errors.Join(err, p.freeMark(context.WithoutCancel(ctx), owner, mark, true))
	}
	return err
}

// holdMark swaps the mark of an owner from free, or from what a kill has left, to held, and gives
// its tag.
func (s *storage) holdMark(ctx context.Context, owner string) (tag string, err error) {
	mark, held, err := s.lookAtMark(ctx, owner)
	if err != nil {
		return "", err
	}
	if held {
		return "", ErrBusy
	}
	mark, err = s.store.Put(ctx, pruneMark(owner), strings.NewReader(s.options.NewID()+"\n"), blob.PutOptions{IfMatch: mark.ETag, IfAbsent: mark.ETag == ""})
	if errors.Is(err, blob.ErrPrecondition) {
		return "", ErrBusy
	}
	if err != nil {
		return "", fmt.Errorf("hold mark of a prune: %w", err)
	}
	return mark.ETag, nil
}

// freeMark gives the mark back, unless another prune has taken it over. An owner without a store,
// who was erased, keeps none.
func (s *storage) freeMark(ctx context.Context, owner, tag string, keep bool) error {
	if !keep {
		return s.store.Delete(ctx, pruneMark(owner))
	}
	_, err := s.store.Put(ctx, pruneMark(owner), strings.NewReader(""), blob.PutOptions{IfMatch: tag})
	if err != nil && !errors.Is(err, blob.ErrPrecondition) {
		return fmt.Errorf("free mark of a prune: %w", err)
	}
	return nil
}

// lookAtMark gives the mark of an owner, zero for none, and tells whether a prune holds it.
func (s *storage) lookAtMark(ctx context.Context, owner string) (mark blob.Object, held bool, err error) {
	mark, err = s.store.Head(ctx, pruneMark(owner))
	switch {
	case objects.IsMissing(err):
		return blob.Object{}, false, nil
	case err != nil, mark.Size == 0:
		return mark, false, err
	}
	now, err := state.ReadStoreTime(ctx, s.store)
	return mark, err == nil && now.Sub(mark.ModTime) < pruneStale, err
}

// awaitPrune gives a *fault.Later while objects of an owner are being removed.
func (s *storage) awaitPrune(ctx context.Context, owner string) error {
	_, held, err := s.lookAtMark(ctx, owner)
	if err == nil && held {
		err = &fault.Later{After: time.Second, Why: "old objects of the owner are being removed"}
	}
	return err
}

// prunePause is the pause between two looks at a mark that is held.
const prunePause = 100 * time.Millisecond

// Await waits until no prune of an owner runs. The mark of a killed one ends after pruneStale.
func (p *Prunes) Await(ctx context.Context, owner string) error {
	for {
		_, held, err := p.lookAtMark(ctx, owner)
		if err != nil || !held {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(prunePause):
		}
	}
}

// CheckIdle gives ErrBusy if a generation of an owner is open. A hint ahead of its record is no
// obstacle: the work of that generation begins later, and finds the mark.
func (s *storage) CheckIdle(ctx context.Context, owner string) error {
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

// FreeMarks frees the marks that killed prunes have left. The caller makes sure that no other
// process works on the store.
func (p *Prunes) FreeMarks(ctx context.Context) error {
	for o, err := range p.store.List(ctx, PruneRoot) {
		if err == nil && o.Size > 0 {
			err = objects.PutEmpty(ctx, p.store, o.Key)
		}
		if err != nil {
			return fmt.Errorf("free marks of stopped prunes: %w", err)
		}
	}
	return nil
}
