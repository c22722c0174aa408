package pipeline

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// attempt is the taking of a drop that looks like look.
type attempt struct {
	owner, path string
	look        look
	turn        int // how many of its owner come before it
	err         error
}

// mostTaken is how many drops are taken until the folder is looked at again: what somebody else has put there meanwhile does
// not wait for the ten thousandth.
const mostTaken = 64

// takeTurns takes what is ready: the owners in turn, and one large drop beside the small ones, which would wait for its
// gigabytes to be read and copied. What is left over is ready at the next look, too, and then those owners come first who come behind
// the last one of this look. What has changed while others were taken is not still. It gives an error only when ctx has ended.
func (f *Folder) takeTurns(ctx context.Context, ready []attempt) error {
	var small, large []attempt
	for _, a := range ready {
		if Lane(a.look.size) == state.LaneBulk {
			large = append(large, a)
		} else {
			small = append(small, a)
		}
	}
	for _, a := range inTurns(large, f.lastLarge) {
		if f.large != nil {
			break
		}
		if !a.unchanged() {
			continue
		}
		f.lastLarge = a.owner
		f.begun(a)
		f.large = make(chan attempt, 1)
		go func(end chan<- attempt) {
			a.err = f.take(ctx, a)
			end <- a
		}(f.large)
	}
	taken := 0
	for _, a := range inTurns(small, f.lastSmall) {
		if taken == mostTaken {
			break
		}
		if !a.unchanged() {
			continue
		}
		taken++
		f.lastSmall = a.owner
		f.begun(a)
		a.err = f.take(ctx, a)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.Ended(a)
	}
	return nil
}

// inTurns puts the first drop of each owner before the second of any, and begins with the owners behind the last one who had a turn.
func inTurns(some []attempt, last string) []attempt {
	turns := map[string]int{}
	for i := range some {
		some[i].turn = turns[some[i].owner]
		turns[some[i].owner]++
	}
	had := func(a attempt) int {
		if a.owner <= last {
			return 1
		}
		return 0
	}
	slices.SortFunc(some, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(had(a), had(b)), cmp.Compare(a.owner, b.owner))
	})
	return some
}

// unchanged tells whether a drop still looks as it did: it may have waited for many others.
func (a attempt) unchanged() bool {
	now, err := lookAt(a.path)
	return err == nil && now.same(a.look)
}

func (f *Folder) begun(a attempt) {
	a.look.taken = true
	f.seen[a.path] = a.look
}

// ended says what became of an attempt. A drop that has changed meanwhile, or has gone, is another one by now.
func (f *Folder) Ended(a attempt) {
	if a.err == nil {
		return
	}
	again := passes(a.err)
	f.Log.Warn("take drop failed", zap.String("owner", a.owner), zap.Bool("tried_again", again), zap.String("error", pathless(a.err)))
	if now, there := f.seen[a.path]; again && there && now.same(a.look) {
		now.taken = false
		now.next = now.still + min(now.still, longestPause)
		f.seen[a.path] = now
	}
}

// hear looks whether the large drop has been taken.
func (f *Folder) hear() {
	select {
	case a := <-f.large: // nil: there is none
		f.large = nil
		f.Ended(a)
	default:
	}
}

// wait ends when no large drop is being taken.
func (f *Folder) wait() {
	if f.large != nil {
		a := <-f.large
		f.large <- a
	}
}

// passes tells whether taking a drop may succeed though the drop stays as it is: an outage ends, and rights that somebody
// gives, or a disk that answers again, are no change that a look shows. What is wrong with the drop itself stays wrong.
func passes(err error) bool {
	var p *fs.PathError
	return fault.Of(err) == fault.Outage || fault.Of(err) == fault.Unit && errors.As(err, &p)
}

func (f *Folder) take(ctx context.Context, a attempt) error {
	d := LocalDrop{Owner: a.owner, Paths: []string{a.path}}
	if a.look.folder && a.look.files == 0 {
		return fault.Permanentf("put the export itself into it; links are not followed", "take drop: there is no file in the folder")
	}
	if a.look.folder {
		if err := d.openFolder(a.path, a.look.marked); err != nil {
			return err
		}
	}
	return f.Take(ctx, d)
}
