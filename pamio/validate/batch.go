package validate

import (
	"runtime"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// inBatches are the arrays whose elements are examined in batches, each by a goroutine of its own:
// those of which there may be millions in one file. The messages of a conversation are not: each
// adds to the graph of the conversation.
var inBatches = map[string]bool{"memories": true, "relations": true, "conversations_index": true, "embeddings": true}

// How much text a batch has, and from what size on an element is held alone.
const (
	batchText  = 256 << 10
	bigElement = 1 << 20
)

// batch is a run of elements. What examining them gives is kept in it until its turn comes, so that
// nothing depends on which batch is ready first.
type batch struct {
	text  []byte // of the elements that fit into it
	size  int    // of all elements
	parts []part
	doc   jsonscan.Doc
	ready chan error

	tally     tally
	held      []heldFinding
	strangers strangers
	notes     notes
	sums      []summand
}

// part is one element of a batch.
type part struct {
	wrapper string
	index   int
	offset  int64
	size    int64
	raw     []byte
	tooBig  bool
}

// batches are those of one document.
type batches struct {
	filling *batch
	pending []*batch    // being examined, in their order
	free    chan *batch // ready to be filled; a batch comes back when nothing of it is wanted any more
	made    int
}

// enqueue adds an element to the batch that is being filled.
func (w *walker) enqueue(fr jsonscan.Frame) error {
	q := &w.batches
	raw := fr.Raw
	if q.filling == nil {
		b, err := w.take()
		if err != nil {
			return err
		}
		q.filling = b
		if len(raw) < bigElement {
			raw = append(b.text, raw...)
		} else {
			raw = append([]byte(nil), raw...)
		}
	}
	b := q.filling
	if n := len(b.text); len(raw) <= cap(b.text)-n { // else it has grown out of the text of the batch
		b.text = b.text[:n+len(raw)]
	}
	b.size += len(raw)
	b.parts = append(b.parts, part{wrapper: fr.Wrapper, index: w.next(fr.Wrapper), offset: fr.Offset, size: fr.Size, raw: raw, tooBig: fr.TooBig})
	if b.size < batchText {
		return nil
	}
	w.start()
	if len(raw) < bigElement {
		return nil
	}
	// The next one may be as big: it must not be held beside this one.
	if err := w.drain(); err != nil {
		return err
	}
	q.settle(b)
	return nil
}

// take gives a batch to fill. If there are as many as there may be, it waits for the oldest.
func (w *walker) take() (*batch, error) {
	q := &w.batches
	most := runtime.GOMAXPROCS(0) + 3 // some are being filled, collected and summed up
	if q.free == nil {
		q.free = make(chan *batch, most)
	}
	for {
		select {
		case b := <-q.free:
			return b, nil
		default:
		}
		switch {
		case q.made < cap(q.free):
			q.made++
			b := &batch{text: make([]byte, 0, 2*batchText), ready: make(chan error, 1)}
			b.notes.based, b.notes.companions = w.based, w.companions
			return b, nil
		case len(q.pending) == 0:
			return <-q.free, nil
		}
		if err := w.collectOldest(); err != nil {
			return nil, err
		}
	}
}

// start has the batch that was filled examined.
func (w *walker) start() {
	b := w.batches.filling
	w.batches.filling, w.batches.pending = nil, append(w.batches.pending, b)
	b.tally.begin(w.tally, &b.held)
	go func() { b.ready <- w.run(b) }()
}

func (w *walker) run(b *batch) error {
	e := &element{tally: &b.tally, file: w.file}
	for _, p := range b.parts {
		e.wrapper, e.index, e.offset, e.size, e.raw, e.root = p.wrapper, p.index, p.offset, p.size, p.raw, jsonscan.Node{}
		e.parse(&b.doc, p.tooBig)
		if err := w.examine(e, b); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) collectOldest() error {
	b := w.batches.pending[0]
	w.batches.pending = w.batches.pending[1:]
	if err := <-b.ready; err != nil {
		return err
	}
	w.tally.add(&b.tally)
	return w.collect(b)
}

// drain collects all batches.
func (w *walker) drain() error {
	if w.batches.filling != nil {
		w.start()
	}
	for len(w.batches.pending) > 0 {
		if err := w.collectOldest(); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until nothing of a batch is wanted any more.
func (q *batches) settle(b *batch) {
	var others []*batch
	for other := range q.free {
		others = append(others, other)
		if other == b {
			break
		}
	}
	for _, other := range others {
		q.free <- other
	}
}

// wait lets the goroutines end that still examine, when a walk ends early.
func (q *batches) wait() {
	for _, b := range q.pending {
		<-b.ready //nolint:errcheck // the walk ends with another error
	}
	q.pending, q.filling = nil, nil
}

// release lets the batch be filled again.
func (b *batch) release(free chan<- *batch) {
	clear(b.parts)
	clear(b.held)
	clear(b.sums)
	b.text, b.parts, b.held, b.sums, b.size = b.text[:0], b.parts[:0], b.held[:0], b.sums[:0], 0
	b.doc.Reset()
	free <- b
}
