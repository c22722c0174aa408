// Package progress draws bars with rate and time left on a terminal, and nothing anywhere else.
package progress

import (
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Display shows one bar for each task. A nil Display shows nothing.
type Display struct {
	mu   sync.Mutex
	out  *mpb.Progress
	bars map[string]*bar
	now  func() time.Time
}

// bar is one task. What a drawing reads is atomic: bars are drawn beside the work.
type bar struct {
	*mpb.Bar
	state atomic.Pointer[barState]
}

// barState is how far a task is.
type barState struct {
	began time.Time
	// ended is when everything was done; zero: it is not.
	ended time.Time
	// at is what was done when the bar appeared: its rate counts from there.
	at, done, total int64
}

// New draws on w when it is a terminal; else the display is nil.
func New(w io.Writer, terminal bool) *Display {
	if !terminal {
		return nil
	}
	return &Display{out: mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithWidth(30)), bars: make(map[string]*bar), now: time.Now}
}

// Bytes shows how much of a number of bytes is done. A total of 0 is not known yet.
func (d *Display) Bytes(name string, done, total int64) { d.show(name, done, total, bytesUnit) }

// Count shows how much of a number of items is done. A total of 0 is not known yet.
func (d *Display) Count(name string, done, total int64) { d.show(name, done, total, itemsUnit) }

// Complete shows that all of a task is done, if it is shown at all.
func (d *Display) Complete(name string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.bars[name]; b != nil {
		s := b.state.Load()
		all := max(s.total, s.done)
		d.set(b, all, all)
	}
}

// endless is the total of a bar whose own is not known: it stays empty.
const endless = math.MaxInt64

func (d *Display) show(name string, done, total int64, u unit) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.bars[name]
	if b == nil {
		b = &bar{}
		b.state.Store(&barState{began: d.now(), at: done})
		b.Bar = d.out.AddBar(0, mpb.PrependDecorators(decor.Name(name, decor.WC{W: 10, C: decor.DindentRight})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + b.state.Load().text(d.now(), u) })))
		d.bars[name] = b
	}
	d.set(b, done, total)
}

// set moves a bar. It is never completed here: its total may still grow, and the next drop begins
// it again. Stop ends it.
func (d *Display) set(b *bar, done, total int64) {
	s := *b.state.Load()
	if done < s.done {
		s = barState{began: d.now(), at: done}
	}
	s.done, s.total = done, total
	switch isDone := total > 0 && done >= total; {
	case !isDone:
		s.ended = time.Time{}
	case s.ended.IsZero():
		s.ended = d.now()
	}
	b.state.Store(&s)
	if total <= 0 {
		total = endless
	}
	b.SetTotal(max(total, done), false)
	b.SetCurrent(done)
}

// text says how far a task is, how fast, and how long it takes from now.
func (s *barState) text(now time.Time, u unit) string {
	if !s.ended.IsZero() {
		now = s.ended
	}
	return u.amount(s.done, s.total) + formatPace(s.done-s.at, s.total-s.done, now.Sub(s.began), u)
}

// Stop ends all bars as they are and waits until they are drawn. The display is not used
// afterwards.
func (d *Display) Stop() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.bars {
		b.Abort(false)
	}
	d.out.Wait()
}

// unit writes amounts of something.
type unit struct {
	// amount is what is done, of a total if that is known.
	amount func(done, total int64) string
	// rate is how much is done in a second.
	rate func(float64) string
}

var bytesUnit = unit{
	func(done, total int64) string {
		if total <= 0 {
			return fmt.Sprintf("%.1f MB", float64(done)/1e6)
		}
		return fmt.Sprintf("%.1f of %.1f MB", float64(done)/1e6, float64(total)/1e6)
	},
	func(rate float64) string { return fmt.Sprintf("%.1f MB/s", rate/1e6) },
}

var itemsUnit = unit{
	func(done, total int64) string {
		if total <= 0 {
			return fmt.Sprint(done)
		}
		return fmt.Sprintf("%d of %d", done, total)
	},
	func(rate float64) string {
		if rate < 10 {
			return fmt.Sprintf("%.1f/s", rate)
		}
		return fmt.Sprintf("%.0f/s", rate)
	},
}

// firstPace is how long a rate is too uncertain to show.
const firstPace = time.Second

// formatPace is the rate and the time left, as far as they can be told.
func formatPace(done, left int64, took time.Duration, u unit) string {
	if took < firstPace || done <= 0 {
		return ""
	}
	rate := float64(done) / took.Seconds()
	out := ", " + u.rate(rate)
	if left <= 0 {
		return out
	}
	return out + ", " + Roughly(time.Duration(float64(left)/rate*float64(time.Second))) + " left"
}

// Roughly is a duration as precise as an estimate deserves: 1.5 h, 12 min, 40 s.
func Roughly(d time.Duration) string {
	switch up := func(unit time.Duration) int64 { return int64((d + unit - 1) / unit) }; {
	case d >= time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case d >= time.Minute:
		return fmt.Sprintf("%d min", up(time.Minute))
	default:
		return fmt.Sprintf("%d s", up(time.Second))
	}
}
