package gemini

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// How far a log is searched for a row of Gemini, in bytes: many products may stand in one. A page
// without any cell up to maxPageHead is no log; before the first one are its styles.
const (
	maxSearched = 64 << 20
	maxPageHead = 1 << 20
	maxLooked   = 1 << 20 // of one row
)

// searchLog tells whether a list has a row of Gemini; else other is the product of the first row
// that names one.
func searchLog(ctx context.Context, m archive.Member, prefix []byte) (found bool, other string, err error) {
	if found, other = searchRows(ctx, importer.UTF8(bytes.NewReader(prefix))); found {
		return true, "", nil
	}
	r, err := m.Open(ctx)
	if err != nil {
		return false, other, ctx.Err() // it is described as unclaimed
	}
	defer r.Close() //nolint:errcheck // only looked at
	// What tells a row is short: without its long texts the largest one is looked at as well.
	found, other = searchRows(ctx, io.LimitReader(importer.Skim(ctx, importer.UTF8(r)), maxSearched))
	return found, other, ctx.Err()
}

func searchRows(ctx context.Context, r io.Reader) (found bool, other string) {
	f := jsonscan.NewFramer(r, jsonscan.FrameOptions{MaxValue: maxLooked})
	var buf []byte
	var doc jsonscan.Doc
	for ctx.Err() == nil {
		fr, err := f.Next(buf)
		if err != nil {
			return false, other
		}
		buf = fr.Raw
		if fr.TooBig || doc.Parse(fr.Raw, 0) != nil || !isRow(doc.Root()) {
			continue
		}
		row := Importer{}.readRow(doc.Root())
		if row.gemini {
			return true, ""
		}
		if other == "" {
			other = row.product
		}
	}
	return false, other
}

// searchPage is searchLog for a page.
func searchPage(ctx context.Context, m archive.Member) (found bool, other string, err error) {
	r, err := m.Open(ctx)
	if err != nil {
		return false, "", ctx.Err() // it is described as unclaimed
	}
	defer r.Close() //nolint:errcheck // only looked at
	head := &headReader{r: importer.UTF8(r), left: maxPageHead}
	cells := newCellReader(head, maxLooked)
	for ctx.Err() == nil {
		cell, err := cells.read()
		if err != nil {
			break
		}
		head.left = maxSearched
		if cell.offset > maxSearched {
			break
		}
		c := readCell(string(cell.html))
		if c.gemini {
			return true, "", nil
		}
		if other == "" {
			other = c.product
		}
	}
	return false, other, ctx.Err()
}

// headReader ends a page that has no cell early enough.
type headReader struct {
	r    io.Reader
	left int64
}

func (h *headReader) Read(p []byte) (int, error) {
	if h.left <= 0 {
		return 0, errNoCell
	}
	n, err := h.r.Read(p[:min(int64(len(p)), h.left)])
	h.left -= int64(n)
	return n, err
}

var errNoCell = errors.New("read page: there is no cell in its head")
