package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
)

const (
	// sweepAge is how old what was left behind must be, in acknowledgement times: nobody who wrote it can still be at work on
	// what it was for.
	sweepAge = 10
	// sweepMost bounds what one pass remembers; the next finds the rest.
	sweepMost = 10_000
)

// Sweep removes what a worker that was killed, or a message that came late, has left under work/ behind imports that have
// ended: counts of attempts, and notes of owners who have no open request. It returns how much that was. Requests are never
// touched, and neither are the markers of shards, which the imports with losses need for being healed.
func Sweep(ctx context.Context, d Deps) (int, error) {
	d.Store = outages{d.Store}
	left, oldest, err := leftBehind(ctx, d.Store)
	if err != nil || len(left) == 0 {
		return 0, err
	}
	now, err := storeTime(ctx, d.Store)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, o := range left {
		switch {
		case now.Sub(o.ModTime) < sweepAge*cmp.Or(d.AckWait, DefaultAckWait):
			continue
		case strings.HasPrefix(o.Key, attemptsRoot) && !oldest.IsZero() && !o.ModTime.Before(oldest):
			continue // it may belong to what is open
		}
		if err := d.Store.Delete(ctx, o.Key); err != nil {
			return n, fmt.Errorf("sweep: %w", err)
		}
		n++
	}
	return n, nil
}

// attemptsRoot is where attempts are counted, of all owners' units.
const attemptsRoot = "work/_attempts/"

// leftBehind lists what may be of no use any more, and tells since when the oldest request is open, by the store's clock.
func leftBehind(ctx context.Context, s blob.Store) (left []blob.Object, oldest time.Time, err error) {
	var owner string
	open, from := false, 0
	for o, err := range s.List(ctx, "work/") {
		if err != nil {
			return nil, oldest, fmt.Errorf("list what was left behind: %w", err)
		}
		who, rest, _ := strings.Cut(strings.TrimPrefix(o.Key, "work/"), "/")
		if who != owner {
			owner, open, from = who, false, len(left)
		}
		switch {
		case strings.HasPrefix(o.Key, attemptsRoot), CheckOwner(who) == nil && isNote(rest) && !open:
			if len(left) < sweepMost {
				left = append(left, o)
			}
		case CheckOwner(who) == nil && strings.HasPrefix(rest, "requests/"):
			open, left = true, left[:from] // somebody is at work for this owner
			if oldest.IsZero() || o.ModTime.Before(oldest) {
				oldest = o.ModTime
			}
		}
	}
	return left, oldest, nil
}

// isNote tells whether a key below work/<owner>/ is that of a note which an import leaves for itself.
func isNote(rest string) bool {
	_, name, ok := strings.Cut(rest, "/")
	return ok && (name == "change.json" || name == "open.json" || strings.HasPrefix(name, "publish-"))
}
