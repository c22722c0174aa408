package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// How often progress is written: once a second for each import, at changes of the stage sooner, and more seldom when many
// tell of the same import. Who tells nothing for forgetAfter has nothing more to tell.
const (
	trackTick   = 250 * time.Millisecond
	trackEvery  = time.Second
	trackSeldom = 30 * time.Second
	trackWait   = 3 * time.Second // for one write
	forgetAfter = time.Minute
)

// run writes until ctx ends, and then what is left.
func (t *tracker) run(ctx context.Context) {
	if t.bucket == nil {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(trackTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), trackWait)
			defer cancel()
			for t.flush(last, true) && last.Err() == nil { // some were crowded out
			}
			return
		case <-tick.C:
			t.flush(ctx, false)
		}
	}
}

// flush writes what is due. It says whether something of it has to be written later, because other writers were faster.
func (t *tracker) flush(ctx context.Context, all bool) (crowded bool) {
	now := t.now()
	t.mu.Lock()
	var due []importName
	for n, p := range t.known {
		switch {
		case p.dirty && (all || !now.Before(p.next)):
			due = append(due, n)
		case !p.dirty && now.Sub(p.touched) > forgetAfter:
			delete(t.known, n)
		}
	}
	t.mu.Unlock()
	slices.SortFunc(due, compareNames)
	for _, n := range due {
		err := t.tell(ctx, n)
		if errors.Is(err, errCrowded) {
			crowded = true
			t.again(n, trackEvery)
		} else if err != nil {
			t.failed(n, err)
			return crowded // the others would wait for the same
		}
		t.mu.Lock()
		t.dumb = false
		t.mu.Unlock()
	}
	return crowded
}

// again has an import told once more after a while.
func (t *tracker) again(n importName, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.known[n]; p != nil {
		p.dirty, p.next = true, t.now().Add(after)
	}
}

// failed says once that nobody hears, and waits for longer.
func (t *tracker) failed(n importName, err error) {
	t.again(n, trackSeldom/6)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dumb && !errors.Is(err, context.Canceled) {
		t.dumb = true
		t.log.Warn("progress of imports cannot be written; the work goes on, and its end is told by receipts", zap.Error(err))
	}
}

// tell completes what is known of an import and writes it.
func (t *tracker) tell(ctx context.Context, n importName) (err error) {
	ctx, cancel := context.WithTimeout(ctx, trackWait)
	defer cancel()
	t.mu.Lock()
	p, ok := t.known[n]
	if !ok {
		t.mu.Unlock()
		return nil
	}
	now, counting := p.Progress, p.count
	p.dirty, p.count = false, false
	t.mu.Unlock()
	defer func() {
		if err != nil && counting {
			t.mu.Lock()
			p.count = true
			t.mu.Unlock()
		}
	}()
	if final(now.State) {
		if err := now.settle(ctx, t.store); err != nil {
			return err
		}
	} else if counting && now.Shards == 1 {
		now.Extracted = 1 // the one that was told of
	} else if counting {
		markers, err := countMarkers(ctx, t.store, n.owner, n.id)
		if err != nil {
			return err
		}
		now.Extracted = max(now.Extracted, markers)
	}
	kv, err := t.bucket(ctx)
	if err != nil {
		return err
	}
	writes, err := putProgress(ctx, kv, now)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	others := 0
	if p.written > 0 {
		others = max(0, writes-p.written-1)
	}
	p.written = writes
	p.next = t.now().Add(min(trackSeldom, time.Duration(1+others)*trackEvery))
	if final(now.State) && !p.dirty {
		delete(t.known, n)
	}
	return nil
}

// settle takes the end of an import from its receipt. Somebody may have asked for it again meanwhile.
func (p *Progress) settle(ctx context.Context, s blob.Store) error {
	r, ok, err := state.ReadReceipt(ctx, s, p.Owner, p.Import)
	if err != nil || !ok || !r.Ended() {
		p.State = StateReading
		return err
	}
	p.State, p.Drop = r.State, r.Drop
	p.Conversations, p.Shards, p.Extracted = r.Counts.Conversations, r.Extraction.Shards, r.Extraction.Shards
	p.Records = r.Counts.RecordCount()
	p.Memories = r.Store.Memories
	p.BytesRead = max(p.BytesRead, p.BytesTotal)
	return nil
}

func countMarkers(ctx context.Context, s blob.Store, owner, id string) (int, error) {
	marked, err := markedShards(ctx, s, owner, id)
	return len(marked), err
}
