// Package progress draws bars on a terminal, and nothing anywhere else.
package progress

import (
	"io"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Display shows one bar for each thing that goes on. A nil Display shows nothing.
type Display struct {
	mu   sync.Mutex
	out  *mpb.Progress
	bars map[string]*mpb.Bar
}

// New draws on w when it is a terminal; else the display is nil.
func New(w io.Writer, terminal bool) *Display {
	if !terminal {
		return nil
	}
	return &Display{out: mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithWidth(40)), bars: make(map[string]*mpb.Bar)}
}

// Bytes shows how far something has come in bytes. A total of 0 is not known yet.
func (d *Display) Bytes(name string, done, total int64) {
	d.show(name, done, total, decor.CountersKibiByte("% .1f / % .1f"))
}

// Count shows how far something has come in pieces.
func (d *Display) Count(name string, done, total int64) {
	d.show(name, done, total, decor.CountersNoUnit("%d / %d"))
}

func (d *Display) show(name string, done, total int64, counters decor.Decorator) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.bars[name]
	if b == nil {
		b = d.out.AddBar(0, mpb.PrependDecorators(decor.Name(name, decor.WC{W: 10, C: decor.DindentRight})), mpb.AppendDecorators(counters))
		d.bars[name] = b
	}
	// The bar is never completed here: its total may still grow. Stop ends it.
	b.SetTotal(max(total, done), false)
	b.SetCurrent(done)
}

// Stop ends all bars as they stand and waits until they are drawn. The display is not used afterwards.
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
