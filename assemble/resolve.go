package assemble

import (
	"fmt"

	"github.com/pamline/pamline/pamio/extsort"
)

// resolver turns sightings, sorted by memory, into memories.
type resolver struct {
	memories *sectionWriter
	derived  *extsort.Sorter // conversation id → memory id
	stats    *Stats
	one      gathering
	buf      []byte
}

// add takes the next record of the sorter that joinEvidence fills.
func (r *resolver) add(rec extsort.Record) error {
	id, kind, err := splitMemoryKey(rec.Key)
	if err != nil {
		return err
	}
	if id != r.one.id {
		if err := r.finish(); err != nil {
			return err
		}
		r.one = gathering{id: id, doubt: 1, evidence: r.one.evidence[:0], last: r.one.last[:0], buf: r.one.buf}
	}
	u := unpacker{left: rec.Value}
	if kind == weightRecord {
		r.one.doubt *= 1 - u.float()
		return u.err
	}
	s := u.sighting()
	if u.err != nil {
		return u.err
	}
	r.one.see(&s)
	return nil
}

// finish writes the memory that was gathered, if there is one.
func (r *resolver) finish() error {
	if r.one.primary == nil {
		return nil
	}
	m := r.one.memory()
	var err error
	if r.buf, err = m.AppendCanonical(r.buf[:0]); err != nil {
		return fmt.Errorf("write memory %s: %w", m.ID, err)
	}
	if err := r.memories.AddOrdered(m.ID, r.buf); err != nil {
		return fmt.Errorf("write memory %s: %w", m.ID, err)
	}
	r.stats.Memories++
	if ref := m.Provenance.ConversationRef; ref != "" {
		if err := r.derived.Add(tupleString(nil, ref), []byte(m.ID)); err != nil {
			return fmt.Errorf("sort derived memories: %w", err)
		}
	}
	return nil
}
