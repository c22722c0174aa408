package assemble

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/pamline/pamline/pamio/extsort"
)

// merger walks a sequence that ascends by id beside questions that ascend, too.
type merger[T any] struct {
	next func() (T, error, bool)
	stop func()
	id   func(T) string

	at      T
	more    bool // at is an element
	started bool
	matched bool // at was asked for
	// passed counts the elements that nobody asked for.
	passed int64
}

func newMerger[T any](seq iter.Seq2[T, error], id func(T) string) *merger[T] {
	m := &merger[T]{id: id}
	m.next, m.stop = iter.Pull2(seq)
	return m
}

// step moves on and holds the sequence to its order.
func (m *merger[T]) step() error {
	if m.more && !m.matched {
		m.passed++
	}
	before, compare := m.at, m.more
	m.started, m.matched = true, false
	v, err, ok := m.next()
	m.at, m.more = v, ok && err == nil
	if err != nil {
		return err
	}
	if ok && compare && m.id(v) <= m.id(before) {
		m.more = false
		return fmt.Errorf("ids do not ascend: %q comes after %q", m.id(v), m.id(before))
	}
	return nil
}

// find gives the element with this id. Ids that are asked for must not descend.
func (m *merger[T]) find(id string) (found T, ok bool, err error) {
	for !m.started || m.more && m.id(m.at) < id {
		if err := m.step(); err != nil {
			return found, false, err
		}
	}
	if !m.more || m.id(m.at) != id {
		return found, false, nil
	}
	m.matched = true
	return m.at, true, nil
}

// drain passes over what is left.
func (m *merger[T]) drain() error {
	for !m.started || m.more {
		if err := m.step(); err != nil {
			return err
		}
	}
	return nil
}

// joinOuter walks records whose keys are ids beside values for some of those ids, and calls visit
// for each record with its id's value, or with the id itself when it has none.
func joinOuter(records, values iter.Seq2[extsort.Record, error], visit func(value, record []byte) error) error {
	next, stop := iter.Pull2(values)
	defer stop()
	at, err, more := next()
	for r, bad := range records {
		if bad != nil {
			return bad
		}
		for more && err == nil && bytes.Compare(at.Key, r.Key) < 0 {
			at, err, more = next()
		}
		if err != nil {
			return err
		}
		value := r.Key
		if more && bytes.Equal(at.Key, r.Key) {
			value = at.Value
		}
		if err := visit(value, r.Value); err != nil {
			return err
		}
	}
	return nil
}

// joinByID walks records whose keys begin with an id beside the facts of all memories, and calls
// visit with the key, the value, and the facts of the memory of that id. Records of memories that
// are not there are passed over.
func joinByID(memories, records iter.Seq2[extsort.Record, error], visit func(key, value, facts []byte) error) error {
	next, stop := iter.Pull2(memories)
	defer stop()
	at, err, more := next()
	for r, bad := range records {
		if bad != nil {
			return bad
		}
		for more && err == nil && bytes.Compare(at.Key[:idSize], r.Key[:idSize]) < 0 {
			at, err, more = next()
		}
		if err != nil {
			return err
		}
		if !more || !bytes.Equal(at.Key[:idSize], r.Key[:idSize]) {
			continue
		}
		if err := visit(r.Key, r.Value, at.Value); err != nil {
			return err
		}
	}
	return nil
}
