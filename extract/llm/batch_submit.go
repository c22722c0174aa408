package llm

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/extract"
)

// handOver makes a batch of the new questions of a wave, as far as the budget allows, and gives the
// rest.
func (a *asker) handOver(ctx context.Context, w *wave) (rest []item, err error) {
	if len(w.fresh) == 0 {
		return nil, nil
	}
	d, err := a.ready(ctx)
	if err != nil {
		return nil, err
	}
	spent, err := a.answers.Spent(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what was spent: %w", err)
	}
	for _, items := range w.waiting { // an earlier run has handed them over: what they take is as good as spent
		for _, it := range items {
			spent.Add(a.x.worst(it.text, true))
		}
	}
	fits, sum, err := a.affordable(w.fresh, spent)
	if err != nil {
		if len(w.batches) > 0 {
			return w.fresh, nil // what is under way costs less than it may: then there may be room
		}
		return nil, err
	}
	items, rest := w.fresh[:fits], w.fresh[fits:]
	bodies := make([][]byte, len(items))
	b := a.x.newBatchRecord(items)
	for i, it := range items {
		body, err := a.x.requestBody(it.text, d)
		if err != nil {
			return nil, err
		}
		if bodies[i], err = a.x.format.batches.item(b.requestID(i), body); err != nil {
			return nil, err
		}
	}
	if err := a.hold(ctx, spent, sum); err != nil {
		return nil, err
	}
	if err := a.markPending(ctx, items, b.key); err != nil {
		return nil, err
	}
	if err := a.putBatch(ctx, b); err != nil {
		return nil, err
	}
	if err := a.submit(ctx, b, bodies); err != nil {
		return nil, err
	}
	w.batches[b.key] = b
	w.waiting[b.key] = map[string]item{}
	for _, it := range items {
		it.before = b.key
		w.waiting[b.key][it.key] = it
	}
	return rest, nil
}

// hold reserves what a batch takes at worst, until it has ended.
func (a *asker) hold(ctx context.Context, spent, u extract.Usage) error {
	for a.budget.limited() {
		wait, err := a.budget.try(spent, u)
		if err != nil {
			return err
		}
		if wait == nil {
			a.held.Add(u)
			return nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
		if spent, err = a.answers.Spent(ctx); err != nil {
			return fmt.Errorf("read what was spent: %w", err)
		}
	}
	return nil
}

func (a *asker) unhold() {
	a.budget.release(a.held)
	a.held = extract.Usage{}
}

// affordable tells how many of the items fit into the budget, and what they take at worst. None is
// an error.
func (a *asker) affordable(items []item, spent extract.Usage) (n int, sum extract.Usage, err error) {
	for n < len(items) && n < a.x.format.batchRequests {
		u := a.x.worst(items[n].text, true)
		total := spent
		total.Add(sum)
		total.Add(u)
		if err := a.budget.over(total); err != nil {
			if n == 0 {
				return 0, sum, err
			}
			break
		}
		sum.Add(u)
		n++
	}
	return n, sum, nil
}

// markPending notes at each question in which batch it is. The batch's own record is written after
// that: where there is no record, nothing was handed over.
func (a *asker) markPending(ctx context.Context, items []item, batch string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.x.o.Parallel)
	for _, it := range items {
		group.Go(func() error {
			return a.put(ctx, it.key, recorded{State: statePending, Batch: batch, Model: a.x.o.Model, Conversation: it.c.doc.ID})
		})
	}
	return group.Wait()
}

// ready gives the dialect; a batch must not be the way to find it out.
func (a *asker) ready(ctx context.Context) (dialect, error) {
	if d, known, _ := a.x.ladder.get(); known {
		return d, nil
	}
	if err := a.x.ladder.lock(ctx); err != nil {
		return dialect{}, err
	}
	defer a.x.ladder.unlock()
	if d, known, _ := a.x.ladder.get(); known {
		return d, nil
	}
	return a.probe(ctx)
}

// submit hands a batch over. When the answer to that gets lost, it looks for the batch before it
// hands it over again.
func (a *asker) submit(ctx context.Context, b *batchRecord, items [][]byte) error {
	f := a.x.format.batches
	for attempt := 1; ; attempt++ {
		id, err := f.submit(ctx, a.x, b.Tag, items)
		if err == nil {
			b.State, b.ID = batchSubmitted, id
			return a.putBatch(ctx, b)
		}
		var asked *extract.AskError
		if !errors.As(err, &asked) && ctx.Err() == nil {
			return &extract.AskError{Err: fmt.Errorf("hand over batch: %w", err), Permanent: true,
				Hint: "The service refuses the batch. Turn llm.batch off if it has no batch API."}
		}
		if ctx.Err() != nil || asked.Permanent || attempt >= a.x.o.Attempts {
			return err
		}
		if err := a.x.o.Sleep(ctx, firstPoll<<min(attempt-1, 3)); err != nil {
			return err
		}
		if found, err := a.adopt(ctx, b); found || err != nil {
			return err
		}
	}
}

// adopt looks at the service for a batch whose name is not known, and notes its name. Where
// services keep no tag, a batch that may be it has to end before its requests show whether it is.
func (a *asker) adopt(ctx context.Context, b *batchRecord) (bool, error) {
	ids, sure, err := a.x.format.batches.find(ctx, a.x, b)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if !sure {
			mine, err := a.isOurs(ctx, b, id)
			if err != nil {
				return false, err
			}
			if !mine {
				continue
			}
		}
		b.State, b.ID = batchSubmitted, id
		return true, a.putBatch(ctx, b)
	}
	return false, nil
}

var errEnough = errors.New("seen enough")

func (a *asker) isOurs(ctx context.Context, b *batchRecord, id string) (bool, error) {
	state, err := a.await(ctx, b, id)
	if err != nil {
		return false, err
	}
	mine := false
	err = a.x.format.batches.results(ctx, a.x, state, func(request string, _ batchResult) error {
		_, mine = b.place(request)
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return false, err
	}
	return mine, nil
}
