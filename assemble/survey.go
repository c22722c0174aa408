package assemble

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/pamline/pamline/assemble/near"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// survey reads all memories once and files what must be compared.
type survey struct {
	memories *extsort.Sorter // id → facts
	buckets  *extsort.Sorter // what memories may have in common → id
	parents  *extsort.Sorter // id of a memory that others were inferred from → theirs
	hashes   *extsort.Sorter // content hash → id; nil when there are no vectors
	ends     *retractions
	stats    *Stats

	id         string
	one        facts
	seen, past bool // there is a sighting; there are only past ones
	buf, key   []byte
}

// The kinds of bucket.
const (
	valueBucket = 'v' // memories in it are duplicates
	textBucket  = 't' // memories in it may be near-duplicates
)

func (s *survey) run(ctx context.Context, evidence iter.Seq2[extsort.Record, error]) error {
	for rec, err := range evidence {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("sort evidence: %w", err)
		}
		if err := s.add(rec); err != nil {
			return fmt.Errorf("survey memories: %w", err)
		}
	}
	return s.finish()
}

func (s *survey) add(rec extsort.Record) error {
	id, kind, err := splitMemoryKey(rec.Key)
	if err != nil {
		return err
	}
	if s.id != id {
		if err := s.finish(); err != nil {
			return err
		}
		s.id, s.seen, s.past = id, false, false
		if s.one.id, err = uuid.Parse(id); err != nil {
			return errRecord
		}
		s.one = facts{id: s.one.id}
	}
	u := unpacker{left: rec.Value}
	switch kind {
	case weightRecord:
		p := u.float()
		if u.err != nil {
			return u.err
		}
		s.one.weights.add(string(rec.Key[len(id)+3:]), p)
	case sightingRecord, pastSightingRecord:
		if kind == pastSightingRecord {
			if s.seen && !s.past {
				return nil
			}
			s.past = true
		}
		sighting := u.sighting()
		if u.err != nil {
			return u.err
		}
		s.seen = true
		s.one.see(&sighting)
		if err := s.ends.end(&sighting, s.one.id); err != nil {
			return err
		}
		return s.derive(&sighting)
	case listingRecord:
		s.one.list(rec.Value)
	case accessRecord:
		return readAccess(rec.Value, &s.one.access)
	case editRecord:
		var e lastEdit
		u.edit(&e)
		if u.err != nil {
			return u.err
		}
		s.one.change(e)
	}
	return nil
}

func (s *survey) derive(from *sighting) error {
	for _, parent := range from.candidate.DerivedFrom {
		if parent == from.memory {
			continue
		}
		id := uuid.MustParse(parent)
		if err := s.parents.Add(id[:], s.one.id[:]); err != nil {
			return err
		}
	}
	return nil
}

// finish files the memory that was read.
func (s *survey) finish() error {
	f := &s.one
	if s.id == "" {
		return nil
	}
	if !s.seen {
		s.stats.drop("edit-of-unknown-memory")
		return nil
	}
	f.current = !s.past || f.edit.affirms()
	s.buf = f.pack(s.buf[:0], true)
	if err := s.memories.Add(f.id[:], s.buf); err != nil {
		return err
	}
	if s.hashes != nil {
		if err := s.hashes.Add([]byte(pamio.ContentHash(f.text)), f.id[:]); err != nil {
			return err
		}
	}
	if !f.current {
		return nil // what is no more in any result stands for nothing
	}
	if f.slot.Attribute != "" {
		s.key = valueKey(append(s.key[:0], valueBucket), &f.slot, f.negative)
		if err := s.buckets.Add(s.key, f.id[:]); err != nil {
			return err
		}
	}
	text := near.Read(f.text)
	bands, ok := text.Bands()
	if !ok {
		return nil
	}
	kind := f.kind()
	for _, band := range bands {
		s.key = binary.BigEndian.AppendUint64(append(s.key[:0], textBucket), band^kind)
		if err := s.buckets.Add(s.key, f.id[:]); err != nil {
			return err
		}
	}
	return nil
}
