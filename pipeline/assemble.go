// Package pipeline takes drops to published stores. Its three stages, [Ingest], [Extract] and [Assemble], are functions of
// storage that know no broker; a [Worker] feeds them from NATS JetStream, and [Local] is the whole of it in one process.
//
// Storage is the truth. Every stage can be run again at any point, by anybody, any number of times: what it writes has a
// key that follows from its input, what it does is finished when its last object is there (a pack's list, the manifest, a
// marker, the head), and messages carry references only. A lost message is made again by [Reconcile].
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.uber.org/zap"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
)

// ioOverlap is how many conversations are read and written for each worker at a time: most of that is waiting for storage.
const ioOverlap = 2

// swapTries bounds how often a lost race for the head is run again in one delivery of a message.
const swapTries = 20

// Assemble takes imports into their owner's store: it adds them to the input set, computes the store as a function of
// that set, and, when it says something new, publishes it and swaps the head. Imports with shards still missing are left
// for the message that their last marker will send. It returns the final receipts.
func Assemble(ctx context.Context, d Deps, owner string, tasks []AssembleTask) ([]Receipt, error) {
	ready, err := readyImports(ctx, d, owner, tasks)
	if err != nil || len(ready) == 0 {
		return nil, err
	}
	for range swapTries {
		change, err := assembleOnce(ctx, d, owner, ready)
		if errors.Is(err, blob.ErrPrecondition) {
			continue // another assembler swapped the head: what it added must be in ours
		}
		if err != nil {
			return nil, err
		}
		return finish(ctx, d, owner, ready, change)
	}
	return nil, &Fault{Class: Outage, Err: fmt.Errorf("swap head of %s: lost %d races", owner, swapTries), Hint: "many drops of one owner end at once; the import goes on by itself"}
}

// readyImports are the named imports whose sets of shards and markers are equal, or that were final before.
func readyImports(ctx context.Context, d Deps, owner string, tasks []AssembleTask) (map[string]Manifest, error) {
	ready := map[string]Manifest{}
	for _, t := range tasks {
		m, ok, err := readManifest(ctx, d.Store, owner, t.Import)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if r, final, err := ReadReceipt(ctx, d.Store, owner, t.Import); err != nil {
			return nil, err
		} else if final && (r.State == StateDone || r.State == StateLosses) {
			replaced, err := isReplaced(ctx, d, m)
			if err != nil {
				return nil, err
			}
			if t.Again || !replaced {
				ready[t.Import] = m
			}
			continue
		}
		complete, err := Complete(ctx, d.Store, m)
		if err != nil {
			return nil, err
		}
		if complete {
			ready[t.Import] = m
		}
	}
	return ready, nil
}

// isReplaced tells whether the store has the result of another import of the same drop.
func isReplaced(ctx context.Context, d Deps, m Manifest) (bool, error) {
	head, _, err := readHead(ctx, d.Store, m.Owner)
	if err != nil {
		return false, err
	}
	inputs, err := readInputs(ctx, d.Store, m.Owner, head)
	id, ok := inputs.Drops[m.Drop]
	return ok && id != m.Import, err
}

// Settled tells whether an import has ended and is part of its owner's store already, so that there is nothing to do but
// to tidy up; change says what the import did when it ended, or, when somebody asked again, what the store holds.
func Settled(ctx context.Context, d Deps, m Manifest, again bool) (change StoreChange, ok bool, err error) {
	r, final, err := ReadReceipt(ctx, d.Store, m.Owner, m.Import)
	if err != nil || !final || r.State != StateDone && r.State != StateLosses || len(r.Extraction.Failed) > 0 {
		return change, false, err
	}
	head, _, err := readHead(ctx, d.Store, m.Owner)
	if err != nil {
		return change, false, err
	}
	inputs, err := readInputs(ctx, d.Store, m.Owner, head)
	if err != nil || inputs.Drops[m.Drop] != m.Import {
		return change, false, err
	}
	if _, edits, err := readEdits(ctx, d.Store, m.Owner); err != nil || edits != inputs.Edits {
		return change, false, err // a change by hand was recorded and not published
	}
	if err := repairCopy(ctx, d.Store, m.Owner, head); err != nil {
		return change, false, err
	}
	if !again {
		return r.Store, true, cleanWork(ctx, d, m.Owner, m.Import, m.Drop)
	}
	change = StoreChange{ExportID: head.ExportID, Memories: head.MemoryCount, Conversations: head.ConversationCount}
	return change, true, cleanWork(ctx, d, m.Owner, m.Import, m.Drop)
}

// assembleOnce computes and publishes once, from the head as it is now. ErrPrecondition means that the head moved.
func assembleOnce(ctx context.Context, d Deps, owner string, ready map[string]Manifest) (StoreChange, error) {
	head, tag, err := readHead(ctx, d.Store, owner)
	if err != nil {
		return StoreChange{}, err
	}
	if err := repairCopy(ctx, d.Store, owner, head); err != nil {
		return StoreChange{}, err
	}
	inputs, err := readInputs(ctx, d.Store, owner, head)
	if err != nil {
		return StoreChange{}, err
	}
	inputs.Drops = maps.Clone(inputs.Drops)
	inputs.Past = slices.Clone(inputs.Past)
	for id, m := range ready {
		inputs.accept(m.Drop, id)
	}
	in, err := openInputs(ctx, d, owner, head, &inputs, ready)
	if err != nil {
		return StoreChange{}, err
	}
	res, err := assemble.Assemble(ctx, in, in, assemble.Options{
		Scratch: d.Scratch, Budget: d.Limits.SortBudget, Workers: ioOverlap * d.Workers, BatchBytes: 4 << 20, InFlight: int64(d.Workers) * inFlight,
	})
	if err != nil {
		return StoreChange{}, fmt.Errorf("assemble store of %s: %w", owner, err)
	}
	defer func() {
		if err := res.Close(); err != nil {
			d.Log.Warn("remove scratch files failed", zap.Error(err))
		}
	}()
	change := StoreChange{Memories: res.Memories.Count, Conversations: res.Index.Count, Stats: &res.Stats, ExportID: head.ExportID}
	next, drawn, err := nextHead(ctx, d, owner, workOf(ready), head, inputs, res)
	if err != nil {
		return change, err
	}
	if next == head {
		return changeBefore(ctx, d, owner, ready, change)
	}
	change.ExportID, change.Published = next.ExportID, next.ExportID != head.ExportID
	if change.Published {
		if change.Changes, err = memoryChanges(ctx, d.Store, owner, head.ExportID, next.ExportID); err != nil {
			return change, err
		}
	}
	if err := recordChange(ctx, d, owner, ready, change); err != nil {
		return change, err
	}
	err = swapJSON(ctx, d.Store, headKey(owner), tag, next)
	if errors.Is(err, blob.ErrPrecondition) {
		return change, err // its export stays: a racer with the same input set may have published it
	}
	if err != nil {
		return change, err
	}
	if drawn != "" {
		if err := d.Store.Delete(ctx, drawn); err != nil {
			return change, err
		}
	}
	return change, keepCopy(ctx, d.Store, owner, next)
}

// workOf names the folder under work/ that the moment of publishing is recorded in.
func workOf(ready map[string]Manifest) string {
	if len(ready) == 0 {
		return "edits"
	}
	return slices.Min(slices.Collect(maps.Keys(ready)))
}

// openInputs reads the manifests of an input set and the person's changes, and records in the set which these are.
func openInputs(ctx context.Context, d Deps, owner string, head Head, inputs *Inputs, ready map[string]Manifest) (*stored, error) {
	in := &stored{Deps: d, owner: owner, head: head, imports: map[string]Manifest{}}
	read := func(id string) (Manifest, error) {
		if m, ok := ready[id]; ok {
			return m, nil
		}
		m, ok, err := readManifest(ctx, d.Store, owner, id)
		if err == nil && !ok {
			err = permanent("restore the object from a backup, or import the drop again", "read input set of %s: import %s has no manifest", owner, id)
		}
		return m, err
	}
	for _, id := range inputs.Drops {
		m, err := read(id)
		if err != nil {
			return nil, err
		}
		in.imports[id] = m
	}
	for _, id := range inputs.Past {
		m, err := read(id)
		if err != nil {
			return nil, err
		}
		in.past = append(in.past, m)
	}
	var err error
	in.edits, inputs.Edits, err = readEdits(ctx, d.Store, owner)
	return in, err
}

// finish writes the receipts, which are final, and only then removes the work that led to them.
func finish(ctx context.Context, d Deps, owner string, ready map[string]Manifest, change StoreChange) ([]Receipt, error) {
	var out []Receipt
	for id, m := range ready {
		r, final, err := ReadReceipt(ctx, d.Store, owner, id)
		if err != nil {
			return out, err
		}
		if !final || r.State == StateFailed {
			if r, err = receiptOf(ctx, d, m); err != nil {
				return out, err
			}
			r.Store = change
			if err := putJSON(ctx, d.Store, receiptKey(owner, id), r); err != nil {
				return out, err
			}
		}
		r.Store = change // of this time; the stored receipt keeps what the import changed when it was new
		if err := cleanWork(ctx, d, owner, id, m.Drop); err != nil {
			return out, err
		}
		out = append(out, r)
		d.Observe.tell(Event{Stage: StageDone, Owner: owner, Drop: m.Drop, Import: id, Change: &change})
	}
	return out, nil
}

func cleanWork(ctx context.Context, d Deps, owner, id, drop string) error {
	for o, err := range d.Store.List(ctx, workKey(owner, id, "")) {
		if err != nil {
			return fmt.Errorf("clean work of import %s: %w", id, err)
		}
		if err := d.Store.Delete(ctx, o.Key); err != nil {
			return fmt.Errorf("clean work of import %s: %w", id, err)
		}
	}
	return d.Store.Delete(ctx, requestKey(owner, drop))
}
