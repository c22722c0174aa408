package status

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
)

// How often reports are written: once a second for each drop, less often if many workers write the
// same entry. A drop without news for forgetAfter is forgotten.
const (
	writeTick    = 250 * time.Millisecond
	writeEvery   = time.Second
	writeSeldom  = 30 * time.Second
	retryAfter   = 5 * time.Second
	writeTimeout = 3 * time.Second
	forgetAfter  = time.Minute
)

// Run writes reports to the bucket until ctx ends, and then what is left. Without a queue it only
// waits. Call it so that ctx ends after the stages have returned: then their last events are
// reported.
func (t *Tracker) Run(ctx context.Context) {
	if t.Queue == nil {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(writeTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
			defer cancel()
			for t.flush(last, true) && last.Err() == nil { // other writers were faster
			}
			return
		case <-tick.C:
			t.flush(ctx, false)
		}
	}
}

// flush writes the reports that are due. again tells whether other writers won every race for some
// entry.
func (t *Tracker) flush(ctx context.Context, all bool) (again bool) {
	for _, ref := range t.listDue(all) {
		err := t.write(ctx, ref)
		switch {
		case errors.Is(err, queue.ErrContended):
			again = true
			t.delay(ref, writeEvery)
		case err != nil:
			t.delay(ref, retryAfter)
			t.logFailure(err)
			return again // the others would wait for the same
		default:
			t.mu.Lock()
			t.failing = false
			t.mu.Unlock()
		}
	}
	return again
}

func (t *Tracker) listDue(all bool) []job.Ref {
	now := t.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	var due []job.Ref
	for ref, p := range t.drops {
		switch {
		case p.dirty && (all || !now.Before(p.due)):
			due = append(due, ref)
		case !p.dirty && now.Sub(p.touched) > forgetAfter:
			delete(t.drops, ref)
		}
	}
	slices.SortFunc(due, func(a, b job.Ref) int { return cmp.Or(cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Drop, b.Drop)) })
	return due
}

// delay has a report written later.
func (t *Tracker) delay(ref job.Ref, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.drops[ref]; p != nil {
		p.dirty, p.due = true, t.Now().Add(after)
	}
}

func (t *Tracker) logFailure(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.failing && !errors.Is(err, context.Canceled) {
		t.failing = true
		t.Log.Warn("progress of imports cannot be written; the imports go on", zap.Error(err))
	}
}

// write merges a report with the entry in the bucket.
func (t *Tracker) write(ctx context.Context, ref job.Ref) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	t.mu.Lock()
	p, ok := t.drops[ref]
	if !ok {
		t.mu.Unlock()
		return nil
	}
	now := p.Progress
	p.dirty = false
	t.mu.Unlock()
	writes := 0
	err := t.Queue.MergeEntry(ctx, t.Bucket, now.key(), func(old []byte) ([]byte, error) {
		next := now
		var before Progress
		if json.Unmarshal(old, &before) == nil && before.V == progressVersion { // another version's is replaced
			next = before.merge(now)
		}
		next.Writes++
		writes = next.Writes
		return json.Marshal(next)
	})
	if err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	others := 0
	if p.written > 0 {
		others = max(0, writes-p.written-1)
	}
	p.written = writes
	p.due = t.Now().Add(min(writeSeldom, time.Duration(1+others)*writeEvery))
	if p.Ended && !p.dirty && t.drops[ref] == p {
		delete(t.drops, ref)
	}
	return nil
}
