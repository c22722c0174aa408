package job

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// MaxBatch is how many generations of an owner are accepted together.
const MaxBatch = 256

// maxSwaps bounds how often one Accept runs again after it has lost a swap of the head.
const maxSwaps = 20

// ErrTogether tells that the store of several generations cannot be computed. The caller accepts
// each of them alone, so that only those fail that are at fault.
var ErrTogether = errors.New("several generations fail together")

// errLostSwap: another assembler swapped the head.
var errLostSwap = errors.New("lost the swap of the head")

// Status is where a generation stands after Accept.
type Status string

// The statuses of a Decision.
const (
	Accepted   Status = "accepted"   // the input set has the generation with its import; call End
	GivenUp    Status = "given up"   // the input set has the generation as failed; call End
	Superseded Status = "superseded" // the input set has a newer generation; nothing to do
	Unsettled  Status = "unsettled"  // shards are missing; NextAfter gives them
)

// Decision is what an input set says of a generation.
type Decision struct {
	Opened
	Status Status
	Entry  state.Entry
	// Short are the shards of the entry's import without a complete result: the generation of the
	// partial result that stands for each, or 0.
	Short map[string]int
	// Head has the entry. It is the head that Accept wrote, or the one that it found.
	Head state.Head
}

// Round is one try to change the store of an owner.
type Round struct {
	Owner  string
	Prior  state.Head   // zero: the owner has no store yet
	Before state.Inputs // the input set of Prior
	Inputs state.Inputs // the input set whose store is to be computed
	Digest string       // of Inputs, before the contents are completed
	// Accepted are the generations that Inputs has and Before has not.
	Accepted []Opened
}

// Compute makes the store of a round's input set and publishes it, if it says anything new. It
// gives the next head; Sequence and Inputs of it are set by Accept. It verifies what the set names,
// and completes the contents of the set, whose map is shared. An error of class Permanent
// fails the generation. Compute may be called again with another round after a lost swap: what the
// lost round has published stays unnamed.
type Compute func(context.Context, Round) (state.Head, error)

// Accept takes generations of one owner into the input set and swaps the head, in one swap for all
// of them. Each is checked by itself in each round: it may be decided already, superseded, or
// unsettled. A generation that failed, or that would replace a whole import by an incomplete one,
// enters as failed, and the store keeps what it had; so does one whose manifest cannot be read. A
// generation enters even if the store says nothing new. There is one Decision for each generation,
// in the order given.
//
// If the head or its input set cannot be read, nothing can be decided: each generation gets a
// failed object, stays open, and the error is of class Permanent.
func (j *Jobs) Accept(ctx context.Context, owner string, opened []Opened, compute Compute) ([]Decision, error) {
	if err := checkBatch(owner, opened); err != nil || len(opened) == 0 {
		return nil, err
	}
	a := acceptance{j, owner, opened, compute}
	for range maxSwaps {
		decisions, err := a.acceptOnce(ctx)
		if !errors.Is(err, errLostSwap) {
			return decisions, err
		}
	}
	return nil, &fault.Fault{Class: fault.Outage, Hint: "many drops of one owner end at once; the import continues by itself",
		Err: fmt.Errorf("swap head of %s: %w, %d times", owner, errLostSwap, maxSwaps)}
}

func checkBatch(owner string, opened []Opened) error {
	if len(opened) > MaxBatch {
		return fmt.Errorf("accept %d generations: at most %d go together", len(opened), MaxBatch)
	}
	drops := map[string]bool{}
	for _, o := range opened {
		if o.Owner != owner || o.Kind != Assemble || drops[o.Drop] {
			return fmt.Errorf("accept %v: a batch has one assembly for each drop of %s", o.Task, owner)
		}
		drops[o.Drop] = true
	}
	return nil
}

func (s *storage) readHead(ctx context.Context, owner string) (state.Head, state.Inputs, string, error) {
	head, tag, err := state.ReadHead(ctx, s.store, owner)
	if err != nil {
		return head, state.Inputs{}, "", err
	}
	in, err := state.ReadInputs(ctx, s.store, owner, head)
	return head, in, tag, err
}

// acceptance is one call of Accept.
type acceptance struct {
	jobs    *Jobs
	owner   string
	opened  []Opened
	compute Compute
}

// acceptOnce is Accept for the head as it is now.
func (a acceptance) acceptOnce(ctx context.Context) ([]Decision, error) {
	if err := a.jobs.awaitPrune(ctx, a.owner); err != nil {
		return nil, err
	}
	head, before, tag, err := a.jobs.readHead(ctx, a.owner)
	if err != nil {
		return nil, a.failUnreadable(ctx, err)
	}
	// After the head: whatever the head has of a shard, these listings have, too.
	surveys := make([]survey, len(a.opened))
	err = a.jobs.each(ctx, len(a.opened), func(ctx context.Context, i int) (err error) {
		if o := a.opened[i]; before.Drops[o.Drop].Gen < o.Gen {
			surveys[i], err = a.jobs.lookAt(ctx, o.Ref, o.Gen, o.importToAccept())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	round := Round{Owner: a.owner, Prior: head, Before: before, Inputs: before.Clone()}
	decisions, changed := make([]Decision, len(a.opened)), false
	for i, o := range a.opened {
		decisions[i] = Decision{Opened: o}
		d := &decisions[i]
		if d.Status = decidedStatus(before.Drops[o.Drop], o.Gen); d.Status != "" {
			continue
		}
		if d.Status, err = a.enter(ctx, &round, o, surveys[i]); err != nil {
			return nil, err
		}
		changed = changed || d.Status != Unsettled
	}
	if changed {
		if head, err = a.publish(ctx, round, tag); err != nil {
			return nil, err
		}
	}
	if !changed { // whoever swapped it may have been stopped before it was logged
		if err := state.LogHead(ctx, a.jobs.store, a.owner, head); err != nil {
			return nil, err
		}
	}
	for i := range decisions {
		d := &decisions[i]
		d.Head, d.Entry = head, round.Inputs.Drops[d.Drop]
		d.Short = round.Inputs.Short[d.Entry.Import]
	}
	return decisions, nil
}

// importToAccept is the import of a generation, "" for erasures and for the owner's job.
func (o Opened) importToAccept() string {
	if o.Record.assemblesOnly(o.Ref) {
		return ""
	}
	return o.Record.Import
}

// decidedStatus tells what an entry says of a generation; "" if it is of an older one.
func decidedStatus(e state.Entry, gen int) Status {
	switch {
	case e.Gen > gen:
		return Superseded
	case e.Gen < gen:
		return ""
	case e.Failed:
		return GivenUp
	}
	return Accepted
}

// enter puts a generation into the input set of a round.
func (a acceptance) enter(ctx context.Context, round *Round, o Opened, v survey) (Status, error) {
	in, ofDrop := &round.Inputs, o.importToAccept()
	only := o.Record.assemblesOnly(o.Ref)
	if !only && (ofDrop == "" || !v.allSettled()) {
		return Unsettled, nil
	}
	failed := v.failed[o.Unit()]
	short := v.short()
	if v.broken != nil && !failed {
		if err := a.jobs.Fail(ctx, o.Task, FailureOf(v.broken, 1)); err != nil {
			return "", err
		}
		failed = true
	}
	if was := in.Drops[o.Drop].Import; !failed && !only && len(short) > 0 && !o.Record.Want.Incomplete &&
		was != "" && was != ofDrop && len(in.Short[was]) == 0 {
		f := Failure{Class: fault.Permanent, Attempts: 1, Hint: "redrive the failed shards, or replay with incomplete results allowed",
			Reason: fmt.Sprintf("%d of %d shards failed: the earlier import, which is whole, stays in the store", len(short), len(v.shards))}
		if err := a.jobs.Fail(ctx, o.Task, f); err != nil {
			return "", err
		}
		failed = true
	}
	if failed {
		in.Fail(o.Drop, o.Gen)
		return GivenUp, nil
	}
	switch {
	case o.Record.Want.Erase:
		in.Erase(o.Drop, o.Gen)
	case o.Record.Want.Purge:
		in.Replace(o.Drop, o.Gen, ofDrop, short, o.Record.Want.Past)
	case only:
		in.AcceptEdits(o.Gen, o.Record.Want.Edits)
	default:
		in.Accept(o.Drop, o.Gen, ofDrop, short)
	}
	round.Accepted = append(round.Accepted, o)
	return Accepted, nil
}

// publish computes the store of a round, and swaps the head.
func (a acceptance) publish(ctx context.Context, round Round, tag string) (state.Head, error) {
	packed, err := round.Inputs.Pack()
	if err != nil {
		return state.Head{}, err
	}
	round.Digest = packed.Digest
	next := round.Prior
	if len(round.Accepted) > 0 {
		if next, err = a.compute(ctx, round); err != nil {
			return next, a.failComputing(ctx, round, err)
		}
		if packed, err = round.Inputs.Pack(); err != nil {
			return next, err
		}
	}
	next.V, next.Sequence, next.Inputs = 1, round.Prior.Sequence+1, packed.Digest
	if err := packed.Store(ctx, a.jobs.store, round.Owner); err != nil {
		return next, fmt.Errorf("put input set: %w", err)
	}
	if err := state.LogHead(ctx, a.jobs.store, round.Owner, round.Prior); err != nil {
		return next, err
	}
	err = objects.SwapJSON(ctx, a.jobs.store, state.HeadKey(round.Owner), tag, next)
	if errors.Is(err, blob.ErrPrecondition) {
		return next, errLostSwap
	}
	if err == nil {
		_, err = objects.PutOnceJSON(ctx, a.jobs.store, state.HeadLogKey(round.Owner, next.Sequence), next)
	}
	return next, err
}

// failComputing gives up the assembly of a generation that cannot be computed: the next round takes
// it as failed.
func (a acceptance) failComputing(ctx context.Context, round Round, err error) error {
	switch {
	case fault.Of(err) != fault.Permanent:
		return err
	case len(round.Accepted) > 1:
		return fmt.Errorf("%w: %w", ErrTogether, err)
	}
	if err := a.jobs.Fail(ctx, round.Accepted[0].Task, FailureOf(err, 1)); err != nil {
		return err
	}
	return errLostSwap
}

// failUnreadable leaves a dead letter where no input set can be read.
func (a acceptance) failUnreadable(ctx context.Context, err error) error {
	if fault.Of(err) != fault.Permanent {
		return err
	}
	for _, o := range a.opened {
		if err := a.jobs.Fail(ctx, o.Task, FailureOf(err, 1)); err != nil {
			return err
		}
	}
	return err
}
