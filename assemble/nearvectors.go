package assemble

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/pamline/pamline/assemble/near"
	"github.com/pamline/pamline/pamio/extsort"
)

// lookBack is with how many vectors before it in a table one is compared.
const lookBack = 3

// sharedSigns is how many bytes of a table's signs vectors share that are compared with the first
// of them.
const sharedSigns = 2

// signed is a memory in a table of signatures.
type signed struct {
	id        [idSize]byte
	signature near.Signature
}

// matchVectors adds pairs of memories whose vectors are near.
func (d *duplicates) matchVectors(vectors *extsort.Sorter) error {
	if vectors == nil {
		return nil
	}
	close_ := d.sorter()
	if err := d.tables(vectors, close_); err != nil {
		return fmt.Errorf("sort signatures: %w", err)
	}
	meetings := d.sorter() // second id → first id and its vector
	var value []byte
	err := joinByID(vectors.Sorted(), distinctPairs(close_), func(pair, _, v []byte) error {
		value = append(append(value[:0], pair[:idSize]...), v...)
		return meetings.Add(pair[idSize:2*idSize], value)
	})
	if err != nil {
		return fmt.Errorf("join vectors: %w", err)
	}
	if err := close_.Close(); err != nil {
		return err
	}
	var a, b []float32
	err = joinByID(vectors.Sorted(), meetings.Sorted(), func(id, meeting, v []byte) error {
		a, b = unpackVector(a, meeting[idSize:]), unpackVector(b, v)
		if near.Cosine(a, b) < near.MinCosine {
			return nil
		}
		return d.pair(meeting[:idSize], id, byVector)
	})
	if err != nil {
		return fmt.Errorf("compare vectors: %w", err)
	}
	return meetings.Close()
}

// tables sorts the memories of each kind by parts of their signatures and takes those beside each
// other as pairs, unless their whole signatures are far apart.
func (d *duplicates) tables(vectors, pairs *extsort.Sorter) error {
	sorted := d.sorter()
	var key, value []byte
	var v []float32
	var of facts
	err := joinByID(d.memories.Sorted(), vectors.Sorted(), func(id, packed, f []byte) error {
		u := unpacker{left: f}
		u.facts(&of)
		if u.err != nil || !of.current {
			return u.err
		}
		v = unpackVector(v, packed)
		signature := near.Sign(v)
		value = append(value[:0], id...)
		for _, w := range signature {
			value = binary.LittleEndian.AppendUint64(value, w)
		}
		kind := of.kind()
		for n := range near.Tables {
			key = binary.BigEndian.AppendUint64(append(key[:0], byte(n)), kind)
			key = binary.BigEndian.AppendUint32(key, signature.Table(n)<<(32-near.TableBits))
			if err := sorted.Add(key, value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	propose := func(a, b *signed) error {
		if a.signature.Distance(&b.signature) > near.MaxDistance {
			return nil
		}
		x, y := a.id, b.id
		if bytes.Compare(x[:], y[:]) > 0 {
			x, y = y, x
		}
		return pairs.Add(append(append(append(key[:0], x[:]...), y[:]...), byVector), nil)
	}
	var group, shared []byte
	var head signed
	var before []signed
	for r, err := range sorted.Sorted() {
		if err != nil {
			return err
		}
		at := readSigned(r.Value)
		if n := len(r.Key) - 4; !bytes.Equal(group, r.Key[:n]) {
			group, before, shared = append(group[:0], r.Key[:n]...), before[:0], shared[:0]
		}
		for i := range before {
			if err := propose(&before[i], &at); err != nil {
				return err
			}
		}
		if n := len(r.Key) - 4 + sharedSigns; !bytes.Equal(shared, r.Key[:n]) {
			shared, head = append(shared[:0], r.Key[:n]...), at
		} else if err := propose(&head, &at); err != nil {
			return err
		}
		if before = append(before, at); len(before) > lookBack {
			before = before[1:]
		}
	}
	return sorted.Close()
}

func readSigned(record []byte) (s signed) {
	copy(s.id[:], record)
	for i := range s.signature {
		s.signature[i] = binary.LittleEndian.Uint64(record[idSize+8*i:])
	}
	return s
}
