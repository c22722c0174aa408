// Package progress draws bars with rate and time left on a terminal, and nothing anywhere else.
package progress

import (
	"fmt"
	"io"
	"sync"
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

// bar is one task.
type bar struct {
	*mpb.Bar
	began time.Time
	// at is what was done when the bar appeared: its rate counts from there.
	at int64
}

// New draws on w when it is a terminal; else the display is nil.
func New(w io.Writer, terminal bool) *Display {
	if !terminal {
		return nil
	}
	return &Display{out: mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithWidth(30)), bars: make(map[string]*bar), now: time.Now}
}

// Bytes shows how much of a number of bytes is done. A total of 0 is not known yet.
func (d *Display) Bytes(name string, done, total int64) { d.show(name, done, total, byteText) }

// Count shows how much of a number of items is done. A total of 0 is not known yet.
func (d *Display) Count(name string, done, total int64) { d.show(name, done, total, countText) }

func (d *Display) show(name string, done, total int64, text texter) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.bars[name]
	if b == nil {
		b = &bar{began: d.now(), at: done}
		b.Bar = d.out.AddBar(0, mpb.PrependDecorators(decor.Name(name, decor.WC{W: 10, C: decor.DindentRight})),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
				return " " + text(s.Current, s.Total) + pace(s.Current-b.at, s.Total-s.Current, d.now().Sub(b.began), text)
			})))
		d.bars[name] = b
	}
	// The bar is never completed here: its total may still grow. Stop ends it.
	b.SetTotal(max(total, done), false)
	b.SetCurrent(done)
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

// texter writes an amount, of a total when that is not -1.
type texter func(done, total int64) string

func byteText(done, total int64) string {
	if total < 0 {
		return fmt.Sprintf("%.1f MB", float64(done)/1e6)
	}
	return fmt.Sprintf("%.1f of %.1f MB", float64(done)/1e6, float64(total)/1e6)
}

func countText(done, total int64) string {
	if total < 0 {
		return fmt.Sprint(done)
	}
	return fmt.Sprintf("%d of %d", done, total)
}

// firstPace is how long a rate is too uncertain to show.
const firstPace = time.Second

// pace is the rate and the time left, as far as they can be told.
func pace(done, left int64, took time.Duration, text texter) string {
	if took < firstPace || done <= 0 {
		return ""
	}
	rate := float64(done) / took.Seconds()
	out := ", " + text(int64(rate), -1) + "/s"
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
