package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pamline/pamline/extract"
)

const (
	firstPoll = 5 * time.Second
	lastPoll  = time.Minute
	// maxAge is how long a batch may take. Services give up theirs after a day.
	maxAge = 72 * time.Hour
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// await waits until a batch has ended.
func (a *asker) await(ctx context.Context, b *batchRecord, id string) (batchState, error) {
	for pause := firstPoll; ; pause = min(pause*2, lastPoll) {
		state, err := a.x.format.batches.poll(ctx, a.x, id)
		if err != nil || state.ended {
			return state, err
		}
		if a.x.o.Now().Sub(b.since()) > maxAge {
			return state, &extract.AskError{Err: errors.New("wait for batch: it does not end"), Hint: "Look at the batch at the service, or turn llm.batch off."}
		}
		if err := a.x.o.Sleep(ctx, pause); err != nil {
			return state, err
		}
	}
}

// follow waits for a batch and records what came of it. It gives the items that it left without an
// answer, and those whose answers need more than to be recorded.
func (a *asker) follow(ctx context.Context, b *batchRecord, items map[string]item) (open, single []item, err error) {
	if b.State == batchSubmitting {
		found, err := a.adopt(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		if !found { // it was never handed over
			return inOrder(b, items), nil, a.closeBatch(ctx, b)
		}
	}
	state, err := a.await(ctx, b, b.ID)
	if gone(err) {
		return inOrder(b, items), nil, a.closeBatch(ctx, b)
	}
	if err != nil {
		return nil, nil, err
	}
	if state.failed != "" {
		if err := a.closeBatch(ctx, b); err != nil {
			return nil, nil, err
		}
		return nil, nil, &extract.AskError{Err: fmt.Errorf("ask model: the service did not begin the batch: %s", state.failed), Permanent: !state.again,
			Hint: "Look at the batch at the service. Turn llm.batch off if it cannot be helped."}
	}
	results, err := a.collect(ctx, b, state)
	if gone(err) { // services keep results for some weeks
		return inOrder(b, items), nil, a.closeBatch(ctx, b)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := a.count(ctx, b, results, items); err != nil {
		return nil, nil, err
	}
	open, single, err = a.keep(ctx, b, results, items)
	if err != nil {
		return nil, nil, err
	}
	return open, single, a.closeBatch(ctx, b)
}

// gone tells that the service does not know a batch any more.
func gone(err error) bool { return err != nil && notThere(err) }

func (a *asker) closeBatch(ctx context.Context, b *batchRecord) error {
	b.State = batchClosed
	return a.putBatch(ctx, b)
}

func inOrder(b *batchRecord, items map[string]item) []item {
	var out []item
	for _, k := range b.Keys {
		if it, ok := items[k]; ok {
			out = append(out, it)
		}
	}
	return out
}
