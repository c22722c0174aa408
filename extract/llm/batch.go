package llm

import (
	"context"
	"errors"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
)

// item is one question of a batch.
type item struct {
	c    chunk
	key  string
	text string
	// before is the key of the batch that left it without an answer, "" for none.
	before string
}

// wave is what is asked together: new questions, and those that an earlier run has handed over.
type wave struct {
	fresh   []item
	bytes   int64
	waiting map[string]map[string]item // by batch, then by key
	batches map[string]*batchRecord
}

func newWave() *wave {
	return &wave{waiting: map[string]map[string]item{}, batches: map[string]*batchRecord{}}
}

// maxWave is how many bytes of requests go into a batch, whatever more a service takes: that much
// is held in memory.
const maxWave = 96 << 20

// inBatches asks everything through the batch API, one batch after the other. While one is under
// way, docs is not read on.
func (a *asker) inBatches(ctx context.Context, docs iter.Seq2[*pamio.Conversation, error]) error {
	maxRequests, maxBytes := a.x.format.batchRequests, min(a.x.format.batchBytes, maxWave)
	defer a.unhold()
	w := newWave()
	for c, err := range a.x.all(docs) {
		if err != nil {
			return errors.Join(a.finish(ctx, w), err)
		}
		if err := a.gather(ctx, w, c); err != nil {
			return err
		}
		if len(w.fresh) >= maxRequests || w.bytes >= maxBytes*9/10 {
			if err := a.finish(ctx, w); err != nil {
				return err
			}
			w = newWave()
		}
	}
	return a.finish(ctx, w)
}

// gather adds a chunk to a wave, or its halves, unless it is answered.
func (a *asker) gather(ctx context.Context, w *wave, c chunk) error {
	it := item{c: c, text: c.text()}
	it.key = a.x.chunkKey(it.text)
	old, err := a.recorded(ctx, it.key)
	if err != nil {
		return err
	}
	switch old.State {
	case stateOK, stateFailed:
		return nil
	case stateSplit:
		for _, half := range c.halves() {
			if err := a.gather(ctx, w, half); err != nil {
				return err
			}
		}
		return nil
	}
	if !a.begin(it.key) {
		return nil
	}
	if old.State == statePending {
		it.before = old.Batch
		b := w.batches[old.Batch]
		if b == nil {
			if b, err = a.openBatch(ctx, old.Batch); err != nil {
				return err
			}
		}
		if b != nil {
			w.batches[b.key] = b
			if w.waiting[b.key] == nil {
				w.waiting[b.key] = map[string]item{}
			}
			w.waiting[b.key][it.key] = it
			return nil
		}
	}
	w.fresh = append(w.fresh, it)
	w.bytes += int64(len(it.text)) + requestBytes
	return nil
}

// requestBytes is about what a request takes beside the text.
var requestBytes = int64(len(system)+len(schema)) * 5 / 4

// finish brings a wave to its end. Questions that a batch leaves open go into another one; answers
// that cannot be used as they are (cut off, unreadable, refused as a request) are asked for one by
// one, where there are ways to deal with them.
func (a *asker) finish(ctx context.Context, w *wave) error {
	var single []item
	for idle := 0; len(w.fresh) > 0 || len(w.batches) > 0; {
		before := len(w.fresh)
		for _, items := range w.waiting {
			before += len(items)
		}
		rest, err := a.handOver(ctx, w)
		if err != nil {
			return err
		}
		next := newWave()
		next.fresh = rest
		for _, k := range sortedKeys(w.batches) {
			open, alone, err := a.follow(ctx, w.batches[k], w.waiting[k])
			if err != nil {
				return err
			}
			next.fresh = append(next.fresh, open...)
			single = append(single, alone...)
		}
		if len(next.fresh) >= before {
			if idle++; idle >= a.x.o.Attempts {
				return &extract.AskError{Err: errors.New("ask model: the service leaves the requests of its batches unanswered"),
					Hint: "Try again later, or turn llm.batch off."}
			}
		} else {
			idle = 0
		}
		a.unhold()
		w = next
	}
	return a.singly(ctx, single)
}

// singly asks for items one by one.
func (a *asker) singly(ctx context.Context, items []item) error {
	var group errgroup.Group
	group.SetLimit(a.x.o.Parallel)
	for _, it := range items {
		group.Go(func() error {
			if ctx.Err() != nil || a.failed() != nil {
				return nil
			}
			r, err := a.ask(ctx, it.text)
			if err == nil {
				err = a.recordAnswer(ctx, it.c, it.key, r)
			}
			a.fail(err)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return a.failed()
}
