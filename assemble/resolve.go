package assemble

import (
	"context"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio/extsort"
)

// resolver writes the memories, and with each the relations that go from it and its vector.
type resolver struct {
	memories   *sectionWriter
	relations  *relationWriter
	embeddings *sectionWriter
	model      string          // of the vectors
	derived    *extsort.Sorter // conversation id → memory id
	verdicts   *cursor         // by memory
	vectors    *cursor         // by memory
	stats      *Stats
	one        gathering
	buf        []byte
	values     []float32
}

// run takes the evidence of all memories, by memory; that of duplicates once more under what stands
// for them.
func (r *resolver) run(ctx context.Context, evidence iter.Seq2[extsort.Record, error]) error {
	for rec, err := range evidence {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = r.add(rec)
		}
		if err != nil {
			return fmt.Errorf("write memories: %w", err)
		}
	}
	if err := r.finish(); err != nil {
		return err
	}
	for _, s := range [...]*sectionWriter{r.memories, r.embeddings} {
		if err := s.finish(); err != nil {
			return err
		}
	}
	return r.relations.finish()
}

func (r *resolver) stop() {
	for _, stop := range [...]func(){r.verdicts.stop, r.vectors.stop, r.relations.stop} {
		stop()
	}
}

func (r *resolver) add(rec extsort.Record) error {
	id, kind, err := splitMemoryKey(rec.Key)
	if err != nil {
		return err
	}
	if id != r.one.id {
		if err := r.finish(); err != nil {
			return err
		}
		g := &r.one
		r.one = gathering{id: id, doubt: 1, evidence: g.evidence[:0], last: g.last[:0], buf: g.buf, kind: g.kind[:0]}
	}
	g := &r.one
	if kind == pastWeightRecord && g.primary == nil {
		g.past = true
	}
	if (kind == pastWeightRecord || kind == pastSightingRecord) && !g.past {
		return nil
	}
	u := unpacker{left: rec.Value}
	switch kind {
	case weightRecord, pastWeightRecord:
		g.weigh(rec.Key[len(id)+3:], u.float())
	case sightingRecord, pastSightingRecord:
		s := u.sighting()
		if u.err == nil {
			g.see(&s)
		}
	case editRecord:
		var e lastEdit
		u.edit(&e)
		g.change(&e)
	}
	return u.err
}

// finish writes the memory that was gathered, if there is one.
func (r *resolver) finish() error {
	g := &r.one
	if g.primary == nil {
		return nil
	}
	id, err := uuid.Parse(g.id)
	if err != nil {
		return errRecord
	}
	packed, ok, err := r.verdicts.find(id)
	if err != nil {
		return fmt.Errorf("read verdicts: %w", err)
	}
	u := unpacker{left: packed}
	v := u.verdict()
	if !ok || u.err != nil {
		return fmt.Errorf("read verdict on memory %s: %w", g.id, errRecord)
	}
	v.unsure(g.confidence())
	m := g.memory(&v)
	if err := r.embed(id, m); err != nil {
		return fmt.Errorf("write embedding of memory %s: %w", g.id, err)
	}
	if r.buf, err = m.AppendCanonical(r.buf[:0]); err != nil {
		return fmt.Errorf("write memory %s: %w", m.ID, err)
	}
	if err := r.memories.AddOrdered(m.ID, r.buf); err != nil {
		return fmt.Errorf("write memory %s: %w", m.ID, err)
	}
	if err := r.relations.from(id, g.latest.time()); err != nil {
		return err
	}
	r.stats.count(&v)
	if ref := m.Provenance.ConversationRef; ref != "" {
		if err := r.derived.Add(tupleString(nil, ref), []byte(m.ID)); err != nil {
			return fmt.Errorf("sort derived memories: %w", err)
		}
	}
	return nil
}
