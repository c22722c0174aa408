package validate

import (
	"context"
	"errors"
	"io"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// kind is what sort of document a file is.
type kind uint8

const (
	unknown kind = iota
	store
	conversation
	embeddings
)

// walker streams one document: its elements, then the object around them.
type walker struct {
	*tally
	ctx  context.Context
	file string
	// limit is the greatest length of the file in bytes.
	limit int64
	// examine is called for each element of an array that is examined in batches, by any goroutine,
	// and collect for each batch, in their order.
	examine func(*element, *batch) error
	collect func(*batch) error
	// each is called for every other element, and rest for the object around them, with the keys of
	// the arrays that were handed out, one that stands twice twice. Unreadable elements are handed out
	// as well. Errors of all four end the walk.
	each func(*element) error
	rest func(e *element, arrays []string) error

	based, companions bool // of the notes

	meter   *meter
	framer  *jsonscan.Framer
	doc     jsonscan.Doc
	counts  map[string]int // elements by array
	done    bool           // the object is read
	whole   bool           // and well formed, with nothing wrong behind it
	batches batches
}

// read walks through r. Faults of the document become findings; the error is that of the context or
// of each and rest.
func (w *walker) read(r io.Reader) error {
	m := &meter{r: r, limit: w.limit}
	w.meter = m
	defer func() { w.report.Seen.Bytes += m.size }()
	w.made[jsonTruncated]++
	w.made[fileTooBig]++
	w.framer = jsonscan.NewFramer(m, jsonscan.FrameOptions{MaxValue: w.o.MaxElement, Wrappers: wrapperKeys()})
	defer w.batches.wait()
	var buf []byte
	for first := true; ; first = false {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		into := buf
		if b := w.batches.filling; b != nil {
			into = b.text[len(b.text):]
		}
		fr, err := w.framer.Next(into)
		if fr.Raw != nil && w.batches.filling == nil {
			buf = fr.Raw[:0]
		}
		if first && w.wrong(jsonBOM, m.marked()) {
			w.find(jsonBOM, place{w.file, "", 0}, "the file starts with a byte order mark; save it as UTF-8 without one")
		}
		if err == nil && inBatches[fr.Wrapper] && !w.done {
			w.made[jsonTrailing]++
			if err := w.enqueue(fr); err != nil {
				return err
			}
			continue
		}
		if err := w.drain(); err != nil {
			return err
		}
		switch {
		case errors.Is(err, io.EOF):
			if !w.done {
				w.notObject(m.size == 0)
			}
			return nil
		case err != nil:
			return w.broken(err)
		case w.wrong(jsonTrailing, w.done):
			w.find(jsonTrailing, place{w.file, "", fr.Offset}, "something stands behind the end of the document; a PAM file holds one JSON object")
			return nil
		case fr.Wrapper == "" && (w.framer.InArray() || len(fr.Raw) > 0 && fr.Raw[0] != '{'):
			w.notObject(false)
			return nil
		}
		if err := w.frame(fr); err != nil {
			return err
		}
	}
}

// frame hands out one value.
func (w *walker) frame(fr jsonscan.Frame) error {
	e := &element{tally: w.tally, file: w.file, wrapper: fr.Wrapper, offset: fr.Offset, size: fr.Size, raw: fr.Raw}
	if fr.Wrapper != "" {
		e.index = w.next(fr.Wrapper)
		e.parse(&w.doc, fr.TooBig)
		return w.each(e)
	}
	w.done = true
	if fr.Rest {
		e.offset = -1 // its arrays were cut out, so offsets inside of it mean nothing
	}
	e.parse(&w.doc, fr.TooBig)
	w.whole = e.root.Kind() == jsonscan.Object
	return w.rest(e, fr.Wrappers)
}

// next is the index of the next element of an array.
func (w *walker) next(wrapper string) int {
	if w.counts == nil {
		w.counts = map[string]int{}
	}
	i := w.counts[wrapper]
	w.counts[wrapper] = i + 1
	return i
}

// notObject reports a file that is something else than an object.
func (w *walker) notObject(empty bool) {
	at := place{w.file, "", 0}
	switch {
	case empty:
		w.find(documentUnknown, at, "the file is empty; a PAM document is a JSON object")
	case w.framer.InArray():
		w.find(documentUnknown, at, "the file is a JSON array, not a PAM document: this may be a provider's export, which the import command reads")
	default:
		w.find(documentUnknown, at, "the file is not a PAM document, which is a JSON object with a schema field")
	}
}

// broken reports that a file cannot be read on.
func (w *walker) broken(err error) error {
	if ctx := w.ctx.Err(); ctx != nil {
		return ctx
	}
	w.whole = false
	var cut *jsonscan.TruncatedError
	var bad *jsonscan.SyntaxError
	switch {
	case errors.Is(err, errTooBig):
		w.find(fileTooBig, place{w.file, "", -1}, "the file is longer than the limit of %d bytes for its kind; raise the limit if the file is meant "+
			"to be that long", w.meter.limit)
	case errors.As(err, &cut):
		w.find(jsonTruncated, place{w.file, "", cut.Offset}, "the file ends in the middle of the document; it was not copied or written whole")
	case errors.As(err, &bad) && w.done:
		w.find(jsonTrailing, place{w.file, "", int64(bad.Offset)}, "something stands behind the end of the document; a PAM file holds one JSON object")
	case errors.As(err, &bad):
		w.find(jsonSyntax, place{w.file, "", int64(bad.Offset)}, "the text is not JSON: %s", bad.Reason)
	default:
		w.find(fileUnreadable, place{w.file, "", -1}, "the file cannot be read: %s", reason(err))
	}
	return nil
}
