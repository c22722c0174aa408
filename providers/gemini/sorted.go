package gemini

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/extsort"
)

// Rows of one conversation may lie anywhere in a log and in several logs. They are sorted by
//
//	class, digest of what they are grouped by, time, digest of the row
//
// outside of memory beyond a budget.

// sortBudget is how many bytes of rows are held in memory.
const sortBudget = 24 << 20

// class is what becomes of a group.
type class byte

const (
	rowsByID     class = 'a' // rows that name one conversation
	rowsByPrompt class = 'b' // rows that name none, by second and prompt
	cellsByID    class = 'c'
	cellByPrompt class = 'd'
	looseEvent   class = 'e' // events of no conversation, rows and cells
)

// groups tells whether the members of a group of this class are one conversation.
func (c class) groups() bool { return c == rowsByID || c == cellsByID }

// sortedRow is a row with its place.
type sortedRow struct {
	class  class
	group  [16]byte
	at     normalize.Instant
	digest [16]byte
	member int // index in the claim
	index  int
	offset int64
	event  bool
	raw    []byte // nil for one that lies aside and was not loaded
	size   int64  // of raw
	aside  int64  // where it lies aside
}

const keyLen = 1 + 16 + 12 + 16

// Flags of a record.
const (
	flagEvent = 1
	flagAside = 2 // place and size follow, and not the row
)

func (r *sortedRow) add(s *extsort.Sorter, large *aside) error {
	var key [keyLen]byte
	key[0] = byte(r.class)
	copy(key[1:], r.group[:])
	binary.BigEndian.PutUint64(key[17:], uint64(r.at.Sec))
	binary.BigEndian.PutUint32(key[25:], uint32(r.at.Micro))
	copy(key[29:], r.digest[:])
	raw := r.raw
	flags := byte(0)
	if len(raw) >= largeRow {
		at, err := large.add(raw)
		if err != nil {
			return err
		}
		flags = flagAside
		raw = binary.AppendUvarint(binary.AppendUvarint(nil, uint64(at)), uint64(len(raw)))
	}
	value := make([]byte, 0, len(raw)+32)
	value = binary.AppendUvarint(value, uint64(r.member))
	value = binary.AppendUvarint(value, uint64(r.index))
	value = binary.AppendUvarint(value, uint64(r.offset))
	if r.event {
		flags |= flagEvent
	}
	if err := s.Add(key[:], append(append(value, flags), raw...)); err != nil {
		return fmt.Errorf("sort rows: %w", err)
	}
	return nil
}

// parseSorted reads a record. Its bytes are the record's own.
func parseSorted(rec extsort.Record) (r sortedRow, err error) {
	if len(rec.Key) != keyLen {
		return r, fmt.Errorf("sort rows: a key of %d bytes came back", len(rec.Key))
	}
	r.class = class(rec.Key[0])
	copy(r.group[:], rec.Key[1:])
	r.at.Sec = int64(binary.BigEndian.Uint64(rec.Key[17:]))
	r.at.Micro = int32(binary.BigEndian.Uint32(rec.Key[25:]))
	copy(r.digest[:], rec.Key[29:])
	n, v, err := numbers(rec.Value, 3)
	if err != nil {
		return r, err
	}
	if len(v) == 0 {
		return r, errCutRecord
	}
	r.member, r.index, r.offset = int(n[0]), int(n[1]), int64(n[2])
	flags := v[0]
	r.event, r.raw = flags&flagEvent != 0, v[1:]
	if r.size = int64(len(r.raw)); flags&flagAside != 0 {
		if n, _, err = numbers(r.raw, 2); err != nil {
			return r, err
		}
		r.raw, r.aside, r.size = nil, int64(n[0]), int64(n[1])
	}
	return r, nil
}

// numbers reads so many numbers, and gives what stands behind them.
func numbers(v []byte, count int) (n []uint64, rest []byte, err error) {
	for range count {
		u, k := binary.Uvarint(v)
		if k <= 0 {
			return nil, nil, errCutRecord
		}
		n, v = append(n, u), v[k:]
	}
	return n, v, nil
}

var errCutRecord = errors.New("sort rows: a record came back cut")

func short(s []byte) (out [16]byte) {
	sum := sha256.Sum256(s)
	copy(out[:], sum[:])
	return out
}
