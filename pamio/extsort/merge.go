package extsort

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	maxFanIn  = 64
	maxBuffer = 256 << 10
	minBuffer = 4 << 10
)

// fanIn is how many runs are merged at once: as many as the budget has buffers for.
func fanIn(budget int64) int { return int(min(max(budget/(64<<10), 2), maxFanIn)) }

// bufferSize is the size of one of n buffers that share the budget.
func bufferSize(budget int64, n int) int {
	return int(min(max(budget/int64(n+1), minBuffer), maxBuffer))
}

// merge is a heap of cursors, the smallest record on top.
type merge struct {
	heap    []*cursor
	started bool
}

func newMerge(s *scratch, runs []run, budget int64) (*merge, error) {
	m := new(merge)
	size := bufferSize(budget, len(runs))
	for _, r := range runs {
		c := s.cursor(r, size)
		more, err := c.next()
		if err != nil {
			return nil, err
		}
		if more {
			m.heap = append(m.heap, c)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sift(i)
	}
	return m, nil
}

// next moves to the next record. The record lives until next is called again.
func (m *merge) next() (Record, bool, error) {
	if m.started && len(m.heap) > 0 {
		more, err := m.heap[0].next()
		if err != nil {
			return Record{}, false, err
		}
		if !more {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		}
		m.sift(0)
	}
	m.started = true
	if len(m.heap) == 0 {
		return Record{}, false, nil
	}
	top := m.heap[0]
	return Record{top.data[:top.key:top.key], top.data[top.key:]}, true, nil
}

func (m *merge) sift(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if less(m.heap[child], m.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

func less(a, b *cursor) bool {
	if a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	if c := bytes.Compare(a.data[:a.key], b.data[:b.key]); c != 0 {
		return c < 0
	}
	return bytes.Compare(a.data[a.key:], b.data[b.key:]) < 0
}

// mergePass merges groups of fan runs into one run each, in a new scratch file.
func mergePass(from *scratch, dir string, budget int64, fan int) (*scratch, error) {
	to, err := newScratch(dir)
	if err != nil {
		return nil, err
	}
	for runs := from.runs; len(runs) > 0; {
		n := min(fan, len(runs))
		if err := mergeGroup(from, to, runs[:n], budget); err != nil {
			return nil, errors.Join(fmt.Errorf("merge %d runs: %w", n, err), to.close())
		}
		runs = runs[n:]
	}
	return to, nil
}

func mergeGroup(from, to *scratch, runs []run, budget int64) error {
	m, err := newMerge(from, runs, budget)
	if err != nil {
		return err
	}
	w := to.writer(bufferSize(budget, len(runs)))
	for {
		r, more, err := m.next()
		if err != nil {
			return err
		}
		if !more {
			return w.finish()
		}
		w.record(r.Key, r.Value)
	}
}
