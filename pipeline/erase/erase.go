package erase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// eraser is one erasure of an owner.
type eraser struct {
	Options
	owner   string
	jobs    *job.Jobs
	ledger  *ledger.Ledger
	receipt Receipt
}

// The steps of an erasure: to find what it reaches, to write imports without that, to sweep other
// objects, and to remove all of an owner.
type (
	finder   struct{ *eraser }
	rewriter struct{ *eraser }
	sweeper  struct{ *eraser }
	remover  struct{ *eraser }
)

func (o Options) open(ctx context.Context, owner string) (*eraser, error) {
	if err := state.CheckOwner(owner); err != nil {
		return nil, err
	}
	o.Store = objects.ClassedStore{Store: o.Store}
	e := &eraser{Options: o, owner: owner, jobs: job.New(o.Store, job.Options{NewID: o.NewID})}
	e.receipt = Receipt{V: 1, Owner: owner, Removed: map[string]int64{}, Rewritten: map[string]int64{}, Unreached: unreached}
	var err error
	e.ledger, _, err = ledger.Read(ctx, o.Store, owner)
	return e, err
}

// unreached is what an erasure cannot reach.
var unreached = []string{
	"copies that people have made: files given to others, exports, archives outside the inbox",
	"backups",
}

// Find says what an erasure would reach. It changes nothing.
func Find(ctx context.Context, o Options, owner string, t Target) (Preview, error) {
	e, err := o.open(ctx, owner)
	if err != nil {
		return Preview{}, err
	}
	f, err := (&finder{e}).find(ctx, t)
	if err != nil {
		return Preview{}, err
	}
	return f.Preview, nil
}

// IsPending tells whether an earlier erasure of an owner was interrupted.
func IsPending(ctx context.Context, o Options, owner string) (bool, error) {
	e, err := o.open(ctx, owner)
	return err == nil && e.isPending(), err
}

func (e *eraser) isPending() bool {
	return slices.ContainsFunc(e.ledger.Entries, func(l ledger.Entry) bool { return !l.Done })
}

// Run erases a target, and whatever an interrupted erasure has left. A target that is gone already
// is no error if there was such an erasure.
func Run(ctx context.Context, o Options, owner string, t Target) (Receipt, error) {
	if err := t.Check(); err != nil {
		return Receipt{}, err
	}
	e, err := o.open(ctx, owner)
	if err != nil {
		return Receipt{}, err
	}
	if err := (&remover{e}).checkVersions(ctx); err != nil {
		return Receipt{}, fmt.Errorf("erase: nothing was erased: %w", err)
	}
	f, err := (&finder{e}).find(ctx, t)
	switch {
	case errors.Is(err, ErrUnknown) && e.isPending():
	case err != nil:
		return Receipt{}, err
	default:
		if err := e.record(ctx, f); err != nil {
			return Receipt{}, err
		}
	}
	e.receipt.Level = t.Level
	return e.finish(ctx)
}

// record writes the wish into the ledger, once.
func (e *eraser) record(ctx context.Context, f *found) (err error) {
	secret := func() string { return objects.Digest(e.NewID() + e.NewID()) }
	e.ledger, err = ledger.Change(ctx, e.Store, e.owner, secret, func(l *ledger.Ledger) {
		entry := ledger.Entry{At: pamio.FormatTime(e.Now()), Level: f.Level, Keys: f.entry(l), All: f.Level == LevelOwner, KeepOriginals: e.KeepOriginals}
		same := func(o ledger.Entry) bool {
			slices.Sort(entry.Keys)
			return !o.Done && o.Level == entry.Level && slices.Equal(o.Keys, slices.Compact(entry.Keys))
		}
		if !slices.ContainsFunc(l.Entries, same) {
			l.Entries = append(l.Entries, entry)
		}
	})
	if err != nil {
		return fmt.Errorf("record erasure: %w", err)
	}
	return nil
}

// finish reaches everything that the ledger has, and writes the receipt.
func (e *eraser) finish(ctx context.Context) (Receipt, error) {
	all := slices.ContainsFunc(e.ledger.Entries, func(l ledger.Entry) bool { return l.All && !l.Done })
	rewriting, sweeping, removing := &rewriter{e}, &sweeper{e}, &remover{e}
	reach := []func(context.Context) error{rewriting.rewriteDrops, sweeping.eraseEdits, sweeping.removeArchives, sweeping.cleanReports, sweeping.removeServiceAnswers, removing.removeStore}
	if all {
		reach = []func(context.Context) error{removing.removeAll, removing.destroyKeys}
	}
	for _, step := range reach {
		if err := step(ctx); err != nil {
			return e.receipt, fmt.Errorf("erase: %w", err)
		}
	}
	if err := removing.removeVersions(ctx); err != nil {
		return e.receipt, fmt.Errorf("erase: %w", err)
	}
	if e.Outside != nil {
		if err := e.Outside(ctx, e.owner, all); err != nil {
			return e.receipt, fmt.Errorf("erase what lies outside of the store: %w", err)
		}
	}
	e.receipt.At = pamio.FormatTime(e.Now())
	e.receipt.Checked = slices.Sorted(maps.Keys(reached))
	maps.DeleteFunc(e.receipt.Removed, func(_ string, n int64) bool { return n == 0 })
	if err := e.signReceipt(); err != nil {
		return e.receipt, err
	}
	// The receipt of an erasure that was interrupted behind it is written again.
	receipts, err := e.countReceipts(ctx)
	if err != nil {
		return e.receipt, err
	}
	receipts++
	if err := objects.PutJSON(ctx, e.Store, ledger.ReceiptKey(e.owner, receipts), e.receipt); err != nil {
		return e.receipt, err
	}
	_, err = ledger.Change(ctx, e.Store, e.owner, e.NewID, func(l *ledger.Ledger) {
		for i := range l.Entries {
			l.Entries[i].Done = true
		}
		l.Receipts = receipts
	})
	return e.receipt, err
}

// countReceipts gives how many erasures have ended.
func (e *eraser) countReceipts(ctx context.Context) (int, error) {
	l, _, err := ledger.Read(ctx, e.Store, e.owner)
	return l.Receipts, err
}

// rewriteDrops makes the store one without what was erased, until no import holds any of it.
func (e *rewriter) rewriteDrops(ctx context.Context) error {
	for range 10 {
		head, _, err := state.ReadHead(ctx, e.Store, e.owner)
		if err != nil {
			return err
		}
		in, err := state.ReadInputs(ctx, e.Store, e.owner, head)
		if err != nil {
			return err
		}
		drops, err := e.importsOf(ctx, in)
		if err != nil {
			return err
		}
		changed := false
		for _, drop := range slices.Sorted(maps.Keys(drops)) {
			did, err := e.rewriteDrop(ctx, in, drop, drops[drop])
			if err != nil {
				return err
			}
			changed = changed || did
		}
		if !changed {
			return nil
		}
	}
	return ErrBusy
}

// rewriteDrop makes a drop one without what was erased.
func (e *rewriter) rewriteDrop(ctx context.Context, in state.Inputs, drop string, imports []string) (bool, error) {
	ref := job.Ref{Owner: e.owner, Drop: drop}
	r, err := e.jobs.Read(ctx, ref)
	if err != nil {
		return false, err
	}
	if r.State == job.Open && !r.Want.Purge && !r.Want.Erase {
		return false, ErrBusy
	}
	whole, held := e.ledger.Has(ledger.Drop, drop), false
	for _, id := range imports {
		holds, err := e.holdsErased(ctx, id)
		if err != nil {
			return false, err
		}
		held = held || holds
	}
	switch interrupted := r.State == job.Open; {
	case !whole && !held && interrupted:
		return true, e.swapDrop(ctx, ref, r.Import, r.Want.Past)
	case !held && in.Drops[drop].Import == "" && !interrupted, !whole && !held:
		return false, nil
	}
	current, past := "", []string{}
	if entry := in.Drops[drop]; !whole && entry.Import != "" {
		for _, id := range append(slices.Clone(in.Past[drop]), entry.Import) {
			next, err := e.rewriteImport(ctx, id)
			if err != nil {
				return false, err
			}
			if id == entry.Import {
				current = next
			} else if next != "" {
				past = append(past, next)
			}
		}
		slices.Sort(past)
		past = slices.DeleteFunc(slices.Compact(past), func(id string) bool { return id == current })
	}
	if err := e.swapDrop(ctx, ref, current, past); err != nil {
		return false, err
	}
	if current == "" {
		e.receipt.Removed["drops"]++
	}
	return true, nil
}

// swapDrop puts a rewritten import, or for "" nothing, in the place of what the store has of a
// drop.
func (e *rewriter) swapDrop(ctx context.Context, ref job.Ref, id string, past []string) error {
	var asked job.Asked
	var err error
	if id == "" {
		asked, err = e.Worker.Ask(ctx, ref, job.Want{Erase: true})
	} else {
		asked, err = e.Worker.Replace(ctx, ref, id, past)
	}
	if err != nil {
		return err
	}
	r, err := e.Worker.Wait(ctx, ref, asked.Gen)
	if err == nil && r.Outcome != job.Done && r.Outcome != job.Erased {
		err = fault.Permanentf("`pamline dlq list` says why; repeat the command afterwards", "compute the store without what is erased: the assembly has failed")
	}
	return err
}
