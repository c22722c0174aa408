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

// Sorter collects records and gives them back sorted. It is used by one goroutine at a time.
type Sorter struct {
	dir    string
	budget int64

	arena arena
	held  []item
	count int64

	spilled *scratch
	sealed  bool
	closed  bool
	sorted  bool // held is in order
}

// item is a record in memory: key and value in one slice, with the first key bytes beside it for
// quick comparison.
type item struct {
	prefix uint64
	data   []byte
	key    int
}

// itemSize is what an item costs besides its bytes, with room for the growth of the slice that
// holds it.
const itemSize = 56

// New makes a sorter that holds about budget bytes in memory and puts the rest into scratch files
// in dir ("" is the system's folder for temporary files). Nothing is written before the budget is
// used up.
func New(dir string, budget int64) *Sorter {
	if budget <= 0 {
		budget = DefaultBudget
	}
	return &Sorter{dir: dir, budget: budget, arena: arena{size: chunkSize(budget)}}
}

// Add copies a record into the sorter. An error means that the scratch file could not be written
// (disk full, say); the sorter must then be closed.
func (s *Sorter) Add(key, value []byte) error {
	if s.sealed {
		return ErrSealed
	}
	need := int64(len(key)+len(value)) + itemSize
	if len(s.held) > 0 && s.arena.used+int64(len(s.held))*itemSize+need > s.budget {
		if err := s.spill(); err != nil {
			return err
		}
	}
	data := s.arena.take(len(key) + len(value))
	copy(data, key)
	copy(data[len(key):], value)
	s.held = append(s.held, item{prefix: prefix(key), data: data, key: len(key)})
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
			s.sortHeld()
			for _, it := range s.held {
				if !yield(Record{it.data[:it.key:it.key], it.data[it.key:]}, nil) {
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
	s.sealed, s.closed, s.held, s.arena = true, true, nil, arena{}
	err := s.spilled.close()
	s.spilled = nil
	return err
}

func (s *Sorter) sortHeld() {
	if s.sorted {
		return
	}
	s.skipCommon()
	sortItems(s.held, topByte)
	s.sorted = s.sealed
}

// skipCommon lets the prefixes begin behind what all keys have in common: ids often begin alike.
func (s *Sorter) skipCommon() {
	if len(s.held) < 2 {
		return
	}
	first := s.held[0].data[:s.held[0].key]
	common := len(first)
	for _, it := range s.held {
		common = min(common, it.key)
		for i := 0; i < common; i++ {
			if it.data[i] != first[i] {
				common = i
			}
		}
		if common == 0 {
			return
		}
	}
	for i := range s.held {
		it := &s.held[i]
		it.prefix = prefix(it.data[common:it.key])
	}
}

// spill writes what is held as one sorted run.
func (s *Sorter) spill() error {
	if s.spilled == nil {
		var err error
		if s.spilled, err = newScratch(s.dir); err != nil {
			return fmt.Errorf("spill records: %w", err)
		}
	}
	s.sortHeld()
	w := s.spilled.writer(bufferSize(s.budget, 1))
	for _, it := range s.held {
		w.record(it.data[:it.key], it.data[it.key:])
	}
	if err := w.finish(); err != nil {
		return fmt.Errorf("spill records: %w", err)
	}
	clear(s.held)
	s.held = s.held[:0]
	s.arena.reset()
	return nil
}

// settle writes the last run and merges until one pass can read all runs.
func (s *Sorter) settle() error {
	if len(s.held) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.held, s.arena = nil, arena{}
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
