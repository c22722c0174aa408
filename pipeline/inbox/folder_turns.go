package inbox

import (
	"cmp"
	"context"
	"errors"
	"io/fs"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
)

// maxRetryPause is the most looks from one attempt to take an entry to the next.
const maxRetryPause = 40

// compare counts the looks since each entry has changed, and warns once of what cannot be taken.
// The caller holds the lock.
func (f *Folder) compare(found map[string]*localEntry) {
	for path, l := range found {
		before, known := f.seen[path]
		if known && before.isSame(*l) {
			l.unchanged, l.retry, l.done = before.unchanged+1, before.retry, before.done
		} else if l.problem != "" {
			l.done = true
			f.Log.Warn("something in the drop folder is skipped until it changes", zap.String("owner", l.owner), zap.String("error", l.problem))
		}
	}
}

// takeNext takes the next entry of a lane, if one is ready. Owners take turns: the next entry is of
// the owner whose last turn is the longest ago.
func (f *Folder) takeNext(ctx context.Context, lane string) bool {
	f.mu.Lock()
	var next *localEntry
	for _, l := range f.seen {
		if !f.isReady(*l) || dispatch.LaneOf(l.bytes) != lane {
			continue
		}
		if next == nil || cmp.Or(cmp.Compare(f.last[[2]string{lane, l.owner}], f.last[[2]string{lane, next.owner}]),
			cmp.Compare(l.owner, next.owner), cmp.Compare(l.path, next.path)) < 0 {
			next = l
		}
	}
	if next == nil {
		f.mu.Unlock()
		return false
	}
	l := *next
	next.done = true
	f.turn++
	f.last[[2]string{lane, l.owner}] = f.turn
	f.mu.Unlock()

	now := f.readLocal(l.path, l.key, f.Parts+2)
	if !now.isSame(l) { // it has changed while it waited, as the next look finds
		f.retryLater(l)
		return true
	}
	if err := f.take(ctx, now); err != nil && ctx.Err() == nil {
		again := isTemporary(err)
		f.Log.Warn("take drop failed", zap.String("owner", l.owner), zap.Bool("tried_again", again), zap.String("error", textWithoutPath(err)))
		if again {
			f.retryLater(l)
		}
	}
	return true
}

// retryLater has an entry taken again after a growing pause, unless it has changed meanwhile.
func (f *Folder) retryLater(l localEntry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.seen[l.path]; now != nil && now.isSame(l) {
		now.done = false
		now.retry = now.unchanged + min(now.unchanged, maxRetryPause)
	}
}

// isTemporary tells whether an attempt may succeed although the entry stays as it is: an outage
// ends, and rights that somebody grants, or a disk that answers again, change neither the size nor
// the time of a file. What is wrong with the drop itself stays wrong.
func isTemporary(err error) bool {
	var p *fs.PathError
	return fault.Of(err) == fault.Outage || fault.Of(err) == fault.Unit && errors.As(err, &p)
}
