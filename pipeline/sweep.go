package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

const (
	// sweepAge is how old what was left behind must be, in acknowledgement times: nobody who wrote it can still be at work on
	// what it was for, but for one who is late, and finds that nobody asks for it any more.
	sweepAge = 10
	// sweepMost bounds what one pass remembers, and of one owner; the next ones find the rest.
	sweepMost = 10_000
	// sweepTurns is in how many passes each folder that is kept is looked at once: an import that ended with losses has its
	// markers for years.
	sweepTurns = 60
)

// Sweep removes what a worker that was killed, or a message that came late, has left under work/: counts of attempts, and the
// notes and markers of imports that nobody asks for (what stays is in sweep_work.go). Requests are never touched, and neither is
// anything under owners/. It returns how much that was. What cannot be read is left as it is, and the error names it when
// everything else is done.
func Sweep(ctx context.Context, d Deps) (int, error) {
	d.Store = state.ClassedStore{Store: d.Store}
	p := &sweepPass{Deps: d}
	err := p.list(ctx)
	if err == nil {
		err = p.removeAttempts(ctx)
	}
	if err == nil {
		err = errors.Join(p.bad...)
	}
	return p.removed, err
}

// sweepPass is one look through work/.
type sweepPass struct {
	Deps
	attempts []blob.Object
	oldest   time.Time // since when the oldest request is open; zero: none is
	clock    time.Time // the store's; it is asked when there is anything at all
	removed  int
	bad      []error
}

// attemptsRoot is where attempts are counted, of all owners' units.
const attemptsRoot = "work/_attempts/"

// list looks through what lies under work/, owner by owner.
func (p *sweepPass) list(ctx context.Context) error {
	var now *ownersWork
	for o, err := range p.Store.List(ctx, "work/") {
		if err != nil {
			return fmt.Errorf("list what was left behind: %w", err)
		}
		if p.clock.IsZero() {
			if p.clock, err = storeTime(ctx, p.Store); err != nil {
				return err
			}
		}
		owner, rest, _ := strings.Cut(strings.TrimPrefix(o.Key, "work/"), "/")
		switch {
		case strings.HasPrefix(o.Key, attemptsRoot):
			if len(p.attempts) < sweepMost {
				p.attempts = append(p.attempts, o)
			}
			continue
		case state.CheckOwner(owner) != nil:
			continue
		case now == nil || now.owner != owner:
			if err := p.sweepOwner(ctx, now); err != nil {
				return err
			}
			now = &ownersWork{owner: owner}
		}
		if _, ok := openRequestAt(o); ok {
			now.open = true
			if p.oldest.IsZero() || o.ModTime.Before(p.oldest) {
				p.oldest = o.ModTime
			}
		} else {
			now.Add(rest, o.ModTime, p.due)
		}
	}
	return p.sweepOwner(ctx, now)
}

// removeAttempts removes the counts that are older than every open request: they belong to nothing that is open.
func (p *sweepPass) removeAttempts(ctx context.Context) error {
	for _, o := range p.attempts {
		if !p.old(o.ModTime) || !p.oldest.IsZero() && !o.ModTime.Before(p.oldest) {
			continue
		}
		if err := p.remove(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}

// old tells whether something was written so long ago that it may go, by the store's clock.
func (p *sweepPass) old(written time.Time) bool {
	return p.clock.Sub(written) >= sweepAge*cmp.Or(p.AckWait, DefaultAckWait)
}

// sweepPassAt numbers the passes by the store's clock, so that it does not matter who makes them.
func (d Deps) sweepPassAt(now time.Time) int64 {
	return now.Unix() / max(1, int64(cmp.Or(d.Inbox.Scan, DefaultScan)/time.Second))
}

// isTurn tells whether what has a name is looked at in a pass: in one of sweepTurns, the same one whoever asks.
func isTurn(name string, pass int64) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return int64(h.Sum32()%sweepTurns) == pass%sweepTurns
}

func (p *sweepPass) remove(ctx context.Context, key string) error {
	if err := p.Store.Delete(ctx, key); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	p.removed++
	return nil
}
