package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// verifyEvery is how often a store is computed again while things go wrong.
const verifyEvery = 500 * time.Millisecond

// recompute computes the store of an owner from what the head names, and compares bytes: the store
// is a function of the input set.
func (s *State) recompute(ctx context.Context, store blob.Store, owner, folder string) error {
	err := verifyStore(ctx, store, owner, folder)
	if fault.Of(err) == fault.Outage || ctx.Err() != nil {
		return err
	}
	if err != nil {
		s.wrong("the store of %s does not follow from its input set: %v", owner, err)
	}
	return nil
}

// verifyStore reads the head of an owner and compares its store with what follows from its input
// set. Nothing is written into the bucket.
func verifyStore(ctx context.Context, store blob.Store, owner, folder string) (err error) {
	scratch, err := os.MkdirTemp(folder, "verify-")
	if err != nil {
		return fmt.Errorf("make scratch folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	store = objects.ClassedStore{Store: store}
	head, _, err := state.ReadHead(ctx, store, owner)
	if err != nil {
		return err
	}
	return publish.VerifyStore(ctx, publish.Options{
		Store: store, Log: zap.NewNop(), Now: time.Now, NewID: uuid.NewString, Scratch: scratch, Workers: 1, SortBudget: 32 << 20, Formats: formats,
	}, owner, head)
}

// verifyMeanwhile computes stores again while things go wrong, one owner after the other, until ctx
// ends. Requests that fail are part of the play, and so are objects that a poison has taken; a
// store that does not follow from its input set is not.
func (r *run) verifyMeanwhile(ctx context.Context) {
	for n := 0; ; n++ {
		pauseFor(ctx, verifyEvery)
		if ctx.Err() != nil {
			return
		}
		owner := r.material.Owners[n%len(r.material.Owners)]
		poisoned, before := r.poison.isOn(owner), r.sequence(ctx, owner)
		err := verifyStore(ctx, r.quiet, owner, r.folder)
		switch {
		case err == nil:
			r.count("stores computed again", 1)
		case r.sequence(ctx, owner) != before: // a prune may have removed what it named
		case ctx.Err() != nil, fault.Of(err) == fault.Outage, !errors.Is(err, publish.ErrDiffers) && (poisoned || r.poison.isOn(owner)):
		default:
			r.fail("the store of %s did not follow from its input set: %v", owner, err)
		}
	}
}

// sequence is that of an owner's head, 0 if it cannot be read. A prune counts it up before it
// removes anything.
func (r *run) sequence(ctx context.Context, owner string) int64 {
	head, _, err := state.ReadHead(ctx, r.quiet, owner)
	if err != nil {
		return 0
	}
	return head.Sequence
}
