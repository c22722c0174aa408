package assemble

import (
	"fmt"
	"iter"
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
