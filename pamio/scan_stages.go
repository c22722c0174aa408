package pamio

import (
	"errors"
	"fmt"
	"io"
)

// A scan has three stages that run side by side: elements are cut out of the document, their keys
// and canonical forms are found, and the caller takes them in their order. Elements travel in
// batches, of which there are few, so that memory does not grow with the document.

const (
	// scanText is how much text a batch has, and scanBatches how many batches there are.
	scanText    = 128 << 10
	scanBatches = 5
	// bigItem is the size from which on an element is held alone.
	bigItem = 1 << 20
)

// errScanEnded ends the first stage when nobody wants its elements any more.
var errScanEnded = errors.New("the scan has ended")

// scanBatch is a run of elements.
type scanBatch struct {
	text   []byte // of the elements that fit into it
	size   int    // of all elements
	framed []framed
	items  []item
	err    error // of the element behind the last item
}

// scanStages is the work of one scan.
type scanStages struct {
	keys map[string]string
	// A batch goes through these in turn. Each has room for all of them, so that only taking a
	// batch to fill ever waits for another stage.
	free, cut, ready chan *scanBatch
	quit             chan struct{}
	filling          *scanBatch

	rest  []byte
	order []string
	err   error // of cutting; known when ready is closed
}

// runScan reads a document and gives its elements to each, in their order. It does not return
// before it has stopped reading.
func runScan(r io.Reader, limit int64, keys map[string]string, each func(collection string, it item) error) (rest []byte, order []string, err error) {
	s := &scanStages{keys: keys, quit: make(chan struct{})}
	s.free, s.cut, s.ready = make(chan *scanBatch, scanBatches), make(chan *scanBatch, scanBatches), make(chan *scanBatch, scanBatches)
	for range scanBatches {
		s.free <- &scanBatch{}
	}
	go s.frame(r, limit)
	go s.parse()
	defer func() {
		close(s.quit)
		for range s.ready { //nolint:revive // what is on its way has no taker
		}
	}()
	for b := range s.ready {
		for i, it := range b.items {
			if err := each(b.framed[i].collection, it); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", b.framed[i].pointer(), err)
			}
		}
		if b.err != nil {
			return nil, nil, b.err
		}
		b.release(s.free)
	}
	return s.rest, s.order, s.err
}

// frame is the first stage.
func (s *scanStages) frame(r io.Reader, limit int64) {
	defer close(s.cut)
	var collections []string
	for c := range s.keys {
		collections = append(collections, c)
	}
	s.rest, s.order, s.err = frameCollections(r, limit, collections, s.memory, s.add)
	if s.filling != nil {
		s.cut <- s.filling
	}
}

// memory is where the next element goes if there is room for it.
func (s *scanStages) memory() []byte {
	if s.filling == nil {
		select {
		case s.filling = <-s.free:
		case <-s.quit:
			return nil
		}
		if s.filling.text == nil {
			s.filling.text = make([]byte, 0, 2*scanText)
		}
	}
	return s.filling.text[len(s.filling.text):]
}

// add adds an element to the batch that is being filled.
func (s *scanStages) add(e framed) error {
	b := s.filling
	if b == nil {
		return errScanEnded
	}
	if n := len(b.text); len(e.raw) <= cap(b.text)-n { // else it has grown out of the text of the batch
		b.text = b.text[:n+len(e.raw)]
	}
	b.framed, b.size = append(b.framed, e), b.size+len(e.raw)
	if b.size < scanText {
		return nil
	}
	s.cut <- b
	s.filling = nil
	if len(e.raw) < bigItem {
		return nil
	}
	// The next one may be as big: it must not be held beside this one.
	var all [scanBatches]*scanBatch
	for i := range all {
		select {
		case all[i] = <-s.free:
		case <-s.quit:
			return errScanEnded
		}
	}
	for _, b := range all {
		s.free <- b
	}
	return nil
}

// parse is the second stage.
func (s *scanStages) parse() {
	defer close(s.ready)
	for b := range s.cut {
		for _, e := range b.framed {
			it, err := itemOf(e.raw, s.keys[e.collection], e.collection == memoriesKey)
			if err != nil {
				b.err = fmt.Errorf("%s: %w", e.pointer(), err)
				break
			}
			b.items = append(b.items, it)
		}
		s.ready <- b
	}
}

// release lets the batch be filled again.
func (b *scanBatch) release(free chan<- *scanBatch) {
	clear(b.framed)
	clear(b.items)
	b.text, b.framed, b.items, b.size = b.text[:0], b.framed[:0], b.items[:0], 0
	free <- b
}
