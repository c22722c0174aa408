// Package pipeline takes drops to published stores. The stages are functions of storage in packages of their own (ingest,
// extraction, publish); a [Worker] gives them the messages of NATS JetStream, and [Local] is the whole of it in one process.
//
// Storage is the truth. Every stage can be run again at any point, by anybody, any number of times: what it writes has a
// key that follows from its input, what it does is finished when its last object is there (a pack's list, the manifest, a
// marker, the head), and messages carry references only. A lost message is made again by [Reconcile].
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// swapTries bounds how often a lost race for the head is run again in one delivery of a message.
const swapTries = 20

// errLostRaces: the head moved each time; that is one owner's matter, and no reason to stop the stage.
var errLostRaces = errors.New("other assemblers were faster")

// Assemble takes imports into their owner's store: it adds them to the input set, computes the store as a function of
// that set, and, when it says something new, publishes it and swaps the head. Imports with shards still missing are left
// for the message that their last marker will send. It returns the final receipts.
func Assemble(ctx context.Context, d Deps, owner string, tasks []AssembleTask) ([]state.Receipt, error) {
	named := make([]*namedImport, len(tasks))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(publish.IOOverlap * d.Workers)
	for i, t := range tasks {
		g.Go(func() error {
			n, ok, err := lookAtImport(gctx, d.Store, t)
			if ok {
				named[i] = &n
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return assembleNamed(ctx, d, owner, named)
}

// assembleNamed is Assemble for imports that were looked at; nil ones are passed over.
func assembleNamed(ctx context.Context, d Deps, owner string, named []*namedImport) ([]state.Receipt, error) {
	ready, err := readyImports(ctx, d, named)
	if err != nil || len(ready) == 0 {
		return nil, err
	}
	for range swapTries {
		change, taken, err := assembleOnce(ctx, d, owner, ready)
		if errors.Is(err, blob.ErrPrecondition) {
			continue // another assembler swapped the head: what it added must be in ours
		}
		if err != nil || len(taken) == 0 {
			return nil, err
		}
		return finish(ctx, d, owner, taken, change)
	}
	return nil, &fault.Fault{Class: fault.Outage, Err: fmt.Errorf("swap head of %s: %w: %d times", owner, errLostRaces, swapTries), Hint: "many drops of one owner end at once; the import goes on by itself"}
}

// namedImport is the import that a task names, as it was when somebody looked at it.
type namedImport struct {
	state.Manifest
	task    AssembleTask
	receipt state.Receipt
	tag     string // of the receipt; "": there is none
}

// lookAtImport gives what a task names; ok is false while the drop has not been read to its end.
func lookAtImport(ctx context.Context, s blob.Store, t AssembleTask) (n namedImport, ok bool, err error) {
	n.task = t
	if n.Manifest, ok, err = state.ReadManifest(ctx, s, t.Owner, t.Import); err != nil || !ok {
		return n, false, err
	}
	// Before the markers: what is taken back after this changes the receipt, too.
	if n.tag, err = state.ReadJSON(ctx, s, state.ReceiptKey(t.Owner, t.Import), &n.receipt); state.IsMissing(err) {
		err = nil
	}
	return n, err == nil, err
}

// readyImport is one that is taken into the store, and the name of the request it comes from.
type readyImport struct {
	state.Manifest
	ask string
	// taken: that is another one than its message came from, and newer.
	taken bool
	// stays: that is not ended with the import ([readyImport.mayBeAskedFor]).
	stays bool
	// final: it had been taken in before, and nobody has asked for it again.
	final bool
	// tag is that of its receipt when the markers were not read yet, and reopened the request that was in it.
	tag, reopened string
	// lost are the shards that the store is without.
	lost []string
	// markers are those that its shards were taken in by; nil for a final one of which nothing is new.
	markers map[string]state.Marker
}

// readyImports are the named imports whose sets of shards and markers are equal, or that were final before, in the order in
// which they are named: of two of one drop the later takes the place of the earlier.
func readyImports(ctx context.Context, d Deps, named []*namedImport) ([]readyImport, error) {
	found := make([]*readyImport, len(named))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(publish.IOOverlap * d.Workers)
	for i, n := range named {
		if n == nil || slices.ContainsFunc(named[i+1:], func(o *namedImport) bool { return o != nil && o.task == n.task }) {
			continue // it is named again
		}
		g.Go(func() error {
			ok, err := isReady(gctx, d, *n)
			if ok {
				found[i] = &readyImport{Manifest: n.Manifest, ask: n.task.Ask, final: n.Final(), tag: n.tag, reopened: n.receipt.Reopened}
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var ready []readyImport
	for _, f := range found {
		if f != nil {
			ready = slices.DeleteFunc(ready, func(r readyImport) bool { return r.Import == f.Import })
			ready = append(ready, *f)
		}
	}
	return ready, nil
}

// final tells whether an import was taken into the store before, and nothing of it is tried again.
func (n namedImport) Final() bool {
	return n.receipt.Ended() && (n.receipt.State == state.StateDone || n.receipt.State == state.StateLosses)
}

func isReady(ctx context.Context, d Deps, n namedImport) (bool, error) {
	if !n.Final() {
		return completeWith(ctx, d.Store, n.Manifest, "")
	}
	replaced, err := isReplaced(ctx, d, n.Manifest)
	if err != nil || !replaced {
		return true, err
	}
	return n.task.Again && n.task.Ask != "", nil // and if that is still wanted, which assembleOnce looks at
}

// isReplaced tells whether the store has the result of another import of the same drop.
func isReplaced(ctx context.Context, d Deps, m state.Manifest) (bool, error) {
	head, _, err := state.ReadHead(ctx, d.Store, m.Owner)
	if err != nil {
		return false, err
	}
	inputs, err := state.ReadInputs(ctx, d.Store, m.Owner, head)
	id, ok := inputs.Drops[m.Drop]
	return ok && id != m.Import, err
}

// settled tells whether an import that has ended, with the receipt r, is part of its owner's store already, so that there is
// nothing to do but to tidy up, on behalf of a message of the request called ask; change says what the import did when it ended,
// or, when somebody asked again, what the store holds.
func settled(ctx context.Context, d Deps, m state.Manifest, r state.Receipt, ask string, again bool) (change state.StoreChange, ok bool, err error) {
	if !r.Whole() {
		return change, false, nil
	}
	head, _, err := state.ReadHead(ctx, d.Store, m.Owner)
	if err != nil {
		return change, false, err
	}
	inputs, err := state.ReadInputs(ctx, d.Store, m.Owner, head)
	if err != nil || inputs.Drops[m.Drop] != m.Import {
		return change, false, err
	}
	if _, edits, err := publish.ReadEdits(ctx, d.Store, m.Owner); err != nil || edits != inputs.Edits {
		return change, false, err // a change by hand was recorded and not published
	}
	if err := publish.RepairCopy(ctx, d.Store, m.Owner, head); err != nil {
		return change, false, err
	}
	if !again {
		return r.Store, true, cleanWork(ctx, d, readyImport{Manifest: m, ask: ask}, false)
	}
	change = state.StoreChange{ExportID: head.ExportID, Memories: head.MemoryCount, Conversations: head.ConversationCount}
	return change, true, cleanWork(ctx, d, readyImport{Manifest: m, ask: ask}, false)
}

// assembleOnce computes and publishes once, from the head as it is now, and gives the imports that it took: those that were
// still wanted then, and of which no shard was being tried again. If none of them was, nothing is done. ErrPrecondition means that the head moved.
func assembleOnce(ctx context.Context, d Deps, owner string, ready []readyImport) (state.StoreChange, []readyImport, error) {
	head, tag, err := state.ReadHead(ctx, d.Store, owner)
	if err != nil {
		return state.StoreChange{}, nil, err
	}
	if err := publish.RepairCopy(ctx, d.Store, owner, head); err != nil {
		return state.StoreChange{}, nil, err
	}
	inputs, err := state.ReadInputs(ctx, d.Store, owner, head)
	if err != nil {
		return state.StoreChange{}, nil, err
	}
	taken, err := wantedImports(ctx, d, inputs, ready)
	if err == nil {
		taken, err = settleLost(ctx, d, taken, &inputs)
	}
	if err != nil || len(taken) == 0 && len(ready) > 0 {
		return state.StoreChange{}, nil, err
	}
	change, err := publish.AssembleFrom(ctx, d.publication(), owner, head, tag, inputs, manifestsOf(taken))
	return change, taken, err
}

// manifestsOf are the manifests of imports that are taken into the store.
func manifestsOf(ready []readyImport) []state.Manifest {
	var out []state.Manifest
	for _, r := range ready {
		out = append(out, r.Manifest)
	}
	return out
}
