package assemble

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// The types of relation that are made (PAM §13.2).
const (
	supports    = "supports"     // from a duplicate to what stands for it
	supersedes  = "supersedes"   // from the newer to the older
	contradicts = "contradicts"  // between two of which neither is newer, from the smaller id
	extends     = "extends"      // from the one that says more
	derivedFrom = "derived_from" // from what was inferred
)

// relationSpace and embeddingSpace are the UUIDv5 namespaces of relations and of embeddings. They
// are frozen.
var (
	relationSpace  = uuid.MustParse("6f1f0a52-9a0d-5c8e-b7a4-0d6f4c1e2b35")
	embeddingSpace = uuid.MustParse("c2b7d9e4-3f60-5a1b-8e7d-91a4f5360c28")
)

func relationID(typ, from, to string) string {
	return uuid.NewSHA1(relationSpace, []byte(typ+"\x00"+from+"\x00"+to)).String()
}

// newRelation makes a relation that is as old as the last evidence of the memory that it goes from;
// "" is unknown.
func newRelation(typ, from, to, latest string) pamio.Relation {
	return pamio.Relation{ID: relationID(typ, from, to), From: from, To: to, Type: typ, CreatedAt: cmp.Or(latest, epoch)}
}

func embeddingID(memory, model string) string {
	return uuid.NewSHA1(embeddingSpace, []byte(memory+"\x00"+model)).String()
}

// relate notes a relation. One from a memory to itself is none.
func (r *resolution) relate(from, to uuid.UUID, typ string) error {
	if from == to {
		return nil
	}
	key := append(append(append(make([]byte, 0, 2*idSize+len(typ)), from[:]...), to[:]...), typ...)
	return r.relations.Add(key, nil)
}

// derive relates what was inferred to what it was inferred from, if that is in the store. parents
// is closed.
func (r *resolution) derive(parents *extsort.Sorter) error {
	err := joinByID(r.memories.Sorted(), parents.Sorted(), func(parent, child, _ []byte) error {
		return r.relate(uuid.UUID(child), uuid.UUID(parent), derivedFrom)
	})
	if err != nil {
		return fmt.Errorf("join derivations: %w", err)
	}
	return parents.Close()
}

// relationWriter writes relations while memories are written in the same order, because a relation
// is as old as the last evidence of the memory that it goes from.
type relationWriter struct {
	section *sectionWriter
	stats   *Stats
	next    func() (extsort.Record, error, bool)
	stop    func()
	at      []byte
	last    []byte
	buf     []byte
	err     error
}

func newRelationWriter(relations *extsort.Sorter, section *sectionWriter, stats *Stats) *relationWriter {
	w := &relationWriter{section: section, stats: stats}
	w.next, w.stop = iter.Pull2(relations.Sorted())
	w.step()
	return w
}

// step goes to the next relation that is another than the one before.
func (w *relationWriter) step() {
	for {
		r, err, more := w.next()
		if w.err = err; err != nil || !more {
			w.at = nil
			return
		}
		if !bytes.Equal(r.Key, w.last) {
			w.at, w.last = r.Key, append(w.last[:0], r.Key...)
			return
		}
	}
}

// from writes the relations that go from a memory.
func (w *relationWriter) from(id uuid.UUID, latest string) error {
	for w.err == nil && len(w.at) > 0 && bytes.Equal(w.at[:idSize], id[:]) {
		rel := newRelation(string(w.at[2*idSize:]), id.String(), uuid.UUID(w.at[idSize:2*idSize]).String(), latest)
		var err error
		if w.buf, err = rel.AppendCanonical(w.buf[:0]); err != nil {
			return err
		}
		if err := w.section.Add(w.buf); err != nil {
			return err
		}
		if w.stats.Relations == nil {
			w.stats.Relations = map[string]int64{}
		}
		w.stats.Relations[rel.Type]++
		w.step()
	}
	if w.err == nil && len(w.at) > 0 && bytes.Compare(w.at[:idSize], id[:]) < 0 {
		return fmt.Errorf("write relations: one goes from %s, which is not in the store", uuid.UUID(w.at[:idSize]))
	}
	return w.err
}

// finish ends the section.
func (w *relationWriter) finish() error {
	if w.err == nil && len(w.at) > 0 {
		return fmt.Errorf("write relations: one goes from %s, which is not in the store", uuid.UUID(w.at[:idSize]))
	}
	if w.err != nil {
		return w.err
	}
	return w.section.finish()
}
