package pamio

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/pamline/pamline/pamio/extsort"
)

// join walks through a document beside sorted records, key by key in each collection. The document
// is streamed: if the keys of a collection do not ascend, its elements are sorted first, which
// needs another reading.
type join struct {
	// primary is the document; nil is an empty one.
	primary *Source
	limits  Limits
	keys    map[string]string
	sides   map[string]*extsort.Sorter
	// begin is called before each reading; what visit was given before is void.
	begin func() error
	// visit is called once for each key of a collection, in ascending order, with the element of
	// the document and the records of the side, of which one may be missing. What it is given is
	// valid until it returns.
	visit func(collection string, key []byte, it *item, records [][]byte) error
}

// unsortedError tells that the elements of a collection must be sorted.
type unsortedError struct{ collection string }

func (e *unsortedError) Error() string { return e.collection + ": " + ErrUnsorted.Error() }

// run gives the members of the document outside of its collections, and the collections that it
// has.
func (j *join) run() (rest []byte, order []string, err error) {
	sort := map[string]bool{}
	for {
		if err := j.begin(); err != nil {
			return nil, nil, err
		}
		rest, order, err = j.attempt(sort)
		unsorted := (*unsortedError)(nil)
		if !errors.As(err, &unsorted) {
			return rest, order, err
		}
		sort[unsorted.collection] = true
	}
}

func (j *join) attempt(sort map[string]bool) (rest []byte, order []string, err error) {
	walks := map[string]*walk{}
	for collection := range j.keys {
		w := &walk{visit: func(key []byte, it *item, records [][]byte) error { return j.visit(collection, key, it, records) }}
		if s := j.sides[collection]; s != nil {
			w.next, w.stop = iter.Pull2(s.Sorted())
		}
		if sort[collection] {
			w.sorter = j.limits.sorter()
		}
		walks[collection] = w
		defer func() { err = errors.Join(err, w.close()) }()
	}
	if j.primary != nil {
		rest, order, err = j.primary.scan(j.limits, j.keys, func(collection string, it item) error {
			w := walks[collection]
			if w.sorter != nil {
				return w.sorter.Add(it.key, it.raw)
			}
			if w.started && bytes.Compare(it.key, w.last) < 0 {
				return &unsortedError{collection}
			}
			return w.meet(it)
		})
		if err != nil {
			return nil, nil, err
		}
	}
	for collection, w := range walks { // no collection sees another
		if err := w.finish(j.keys[collection], collection == memoriesKey); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", collection, err)
		}
	}
	return rest, order, nil
}

// walk is one collection of a join.
type walk struct {
	visit   func(key []byte, it *item, records [][]byte) error
	sorter  *extsort.Sorter // of elements that came unsorted
	last    []byte
	started bool

	next func() (extsort.Record, error, bool)
	stop func()
	// The group is the next key of the side with its records; ahead is the record behind it.
	group   [][]byte
	key     []byte
	grouped bool
	ahead   extsort.Record
	hasNext bool
	primed  bool

	current item // what visit is given
}

func (w *walk) close() error {
	if w.stop != nil {
		w.stop()
	}
	if w.sorter != nil {
		return w.sorter.Close()
	}
	return nil
}

// meet takes the next element of the document.
func (w *walk) meet(it item) error {
	if w.started && bytes.Equal(it.key, w.last) {
		return ErrDuplicateID
	}
	w.last, w.started, w.current = append(w.last[:0], it.key...), true, it
	for {
		if err := w.load(); err != nil {
			return err
		}
		order := 1
		if w.grouped {
			order = bytes.Compare(w.key, it.key)
		}
		switch {
		case order > 0:
			return w.visit(it.key, &w.current, nil)
		case order == 0:
			w.grouped = false
			return w.visit(it.key, &w.current, w.group)
		}
		w.grouped = false
		if err := w.visit(w.key, nil, w.group); err != nil {
			return err
		}
	}
}

// finish takes the sorted elements, if there are any, and what is left of the side.
func (w *walk) finish(member string, isMemory bool) error {
	if w.sorter != nil {
		for r, err := range w.sorter.Sorted() {
			if err != nil {
				return fmt.Errorf("sort elements: %w", err)
			}
			it, err := itemOf(r.Value, member, isMemory)
			if err != nil {
				return err
			}
			if err := w.meet(it); err != nil {
				return err
			}
		}
	}
	for {
		if err := w.load(); err != nil || !w.grouped {
			return err
		}
		w.grouped = false
		if err := w.visit(w.key, nil, w.group); err != nil {
			return err
		}
	}
}

// load reads the next group of the side, unless there is one already.
func (w *walk) load() error {
	if w.grouped || w.next == nil {
		return nil
	}
	if !w.primed {
		w.primed = true
		if err := w.advance(); err != nil {
			return err
		}
	}
	if !w.hasNext {
		return nil
	}
	w.key, w.group, w.grouped = append(w.key[:0], w.ahead.Key...), w.group[:0], true
	for w.hasNext && bytes.Equal(w.ahead.Key, w.key) {
		w.group = append(w.group, bytes.Clone(w.ahead.Value))
		if err := w.advance(); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) advance() error {
	r, err, ok := w.next()
	if err != nil {
		return fmt.Errorf("sort records: %w", err)
	}
	w.ahead, w.hasNext = r, ok
	return nil
}
