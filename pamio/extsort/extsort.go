// Package extsort sorts more records than fit in memory: it keeps a budget of bytes, spills sorted
// runs to a scratch file and merges them.
//
// A record is a key and a value, both plain bytes. The order is that of the key bytes, then of the
// value bytes, so the result depends on the set of records alone and never on the order in which
// they came or on the budget.
//
//	s := extsort.New(dir, 64<<20)
//	defer s.Close()
//	s.Add(key, value)
//	for r, err := range s.Sorted() { … }
//
// Memory is bounded by the budget plus, while merging, the longest record of each merged run (at
// most 64 of them). Scratch space is bounded by twice the size of the records.
package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
)

// DefaultBudget is used when New is given a budget of zero or less.
const DefaultBudget = 64 << 20

// ErrSealed is returned by Add once Sorted has been called.
var ErrSealed = errors.New("add record: the sorter is read already")

// ErrClosed is given by Sorted once the sorter is closed.
var ErrClosed = errors.New("read records: the sorter is closed")

// Record is one sorted record. Key and Value are valid until the next one is asked for.
type Record struct {
	Key, Value []byte
}

// Sorter collects records and gives them back sorted. It is used by one goroutine at a time; runs
// are sorted and written by a goroutine of its own while records come.
type Sorter struct {
	dir    string
	budget int64

	held  *batch
	other *batch // being written, or ready to be filled
	count int64

	spilled *scratch
	writing chan error // of the run that is being written; nil if there is none
	failed  error      // of a run that was written
	sealed  bool
	closed  bool
}

// batch is what is held in memory: records, and their order.
type batch struct {
	arena  arena
	items  []item
	sorted bool
}

// item is a record in memory: its place, with the first key bytes beside it for quick comparison.
// There is no pointer in it, so that the garbage collector need not look at a million of them.
type item struct {
	prefix        uint64
	chunk, offset uint32
}

// itemSize is what an item costs besides its bytes, with room for the growth of the slice that
// holds it.
const itemSize = 24

// New makes a sorter that holds about budget bytes in memory and puts the rest into scratch files
// in dir ("" is the system's folder for temporary files). Nothing is written before half of the
// budget is used up; the other half is filled while that is written.
func New(dir string, budget int64) *Sorter {
	if budget <= 0 {
		budget = DefaultBudget
	}
	return &Sorter{dir: dir, budget: budget, held: newBatch(budget)}
}

func newBatch(budget int64) *batch { return &batch{arena: arena{size: chunkSize(budget)}} }

// Add copies a record into the sorter. An error means that the scratch file could not be written
// (disk full, say); the sorter must then be closed.
func (s *Sorter) Add(key, value []byte) error {
	if s.sealed {
		return ErrSealed
	}
	h := s.held
	need := int64(len(key)+len(value)) + itemSize + maxHead
	if len(h.items) > 0 && h.arena.used+int64(len(h.items))*itemSize+need > s.budget/2 {
		if err := s.spill(); err != nil {
			return err
		}
		h = s.held
	}
	chunk, offset := h.arena.add(key, value)
	h.items = append(h.items, item{prefix(key), chunk, offset})
	s.count++
	return nil
}

// Len is the number of records added.
func (s *Sorter) Len() int64 { return s.count }

// Sorted gives the records in ascending order of key, then value. It may be called more than once;
// the first call ends the adding. An error ends the sequence.
func (s *Sorter) Sorted() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s.sealed = true
		if s.closed {
			yield(Record{}, ErrClosed)
			return
		}
		if s.spilled == nil {
			s.held.sort()
			for _, it := range s.held.items {
				key, value := s.held.arena.record(it)
				if !yield(Record{key, value}, nil) {
					return
				}
			}
			return
		}
		if err := s.settle(); err != nil {
			yield(Record{}, err)
			return
		}
		m, err := newMerge(s.spilled, s.spilled.runs, s.budget)
		for err == nil {
			var r Record
			var more bool
			if r, more, err = m.next(); err != nil || !more {
				break
			}
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(Record{}, err)
		}
	}
}

// Close releases the memory and removes the scratch file. It may be called more than once.
func (s *Sorter) Close() error {
	s.wait() //nolint:errcheck // it was or would have been returned where the records are wanted
	s.sealed, s.closed, s.held, s.other = true, true, nil, nil
	err := s.spilled.close()
	s.spilled = nil
	return err
}

func (b *batch) sort() {
	if b.sorted {
		return
	}
	b.skipCommon()
	b.arena.sortItems(b.items, topByte)
	b.sorted = true
}

// skipCommon lets the prefixes begin behind what all keys have in common: ids often begin alike.
func (b *batch) skipCommon() {
	if len(b.items) < 2 {
		return
	}
	first := b.arena.key(b.items[0])
	common := len(first)
	for _, it := range b.items {
		key := b.arena.key(it)
		common = min(common, len(key))
		for i := 0; i < common; i++ {
			if key[i] != first[i] {
				common = i
			}
		}
		if common == 0 {
			return
		}
	}
	for i := range b.items {
		it := &b.items[i]
		it.prefix = prefix(b.arena.key(*it)[common:])
	}
}

// spill has what is held written as one sorted run, and goes on with the memory of the run before.
func (s *Sorter) spill() error {
	if err := s.wait(); err != nil {
		return err
	}
	if s.spilled == nil {
		var err error
		if s.spilled, err = newScratch(s.dir); err != nil {
			return fmt.Errorf("spill records: %w", err)
		}
	}
	full, to := s.held, s.spilled
	if s.held = s.other; s.held == nil {
		s.held = newBatch(s.budget)
	}
	s.other, s.writing = full, make(chan error, 1)
	go func() { s.writing <- full.write(to, bufferSize(s.budget, 1)) }()
	return nil
}

// wait ends with the writing of the last run.
func (s *Sorter) wait() error {
	if s.writing != nil {
		s.failed = <-s.writing
		s.writing = nil
	}
	return s.failed
}

// write writes the records as one sorted run and forgets them.
func (b *batch) write(to *scratch, buffer int) error {
	b.sort()
	w := to.writer(buffer)
	for _, it := range b.items {
		text, _, _ := b.arena.text(it)
		w.text(text)
	}
	if err := w.finish(); err != nil {
		return fmt.Errorf("spill records: %w", err)
	}
	b.items, b.sorted = b.items[:0], false
	b.arena.reset()
	return nil
}

// settle writes the last run and merges until one pass can read all runs.
func (s *Sorter) settle() error {
	if s.held != nil && len(s.held.items) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if err := s.wait(); err != nil {
		return err
	}
	s.held, s.other = nil, nil
	fan := fanIn(s.budget)
	for len(s.spilled.runs) > fan {
		next, err := mergePass(s.spilled, s.dir, s.budget, fan)
		if err != nil {
			return fmt.Errorf("merge records: %w", err)
		}
		if err := s.spilled.close(); err != nil {
			return errors.Join(fmt.Errorf("merge records: %w", err), next.close())
		}
		s.spilled = next
	}
	return nil
}

// prefix is the first eight bytes of the key as a number that compares as they do.
func prefix(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}
