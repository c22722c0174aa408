package assemble

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio/extsort"
)

// Vector is the embedding of the content of a memory.
type Vector struct {
	// Hash is the content hash (pamio.ContentHash).
	Hash string
	// Model names the model that made it. Vectors of different models cannot be compared.
	Model string
	// Values are finite numbers, not all of them zero.
	Values []float32
}

// takeVectors sorts the vectors by content hash, model and values.
func (a *assembly) takeVectors(ctx context.Context, to *extsort.Sorter) error {
	var key, value []byte
	for v, err := range a.in.Vectors(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read vectors: %w", err)
		}
		if v.Model == "" || !utf8.ValidString(v.Model) || !isVector(v.Values) {
			a.result.Stats.drop("invalid-vector")
			continue
		}
		key = tupleString(tupleString(key[:0], v.Hash), v.Model)
		if value = packVector(value[:0], v.Values); len(value) == 0 {
			continue
		}
		if err := to.Add(key, value); err != nil {
			return fmt.Errorf("sort vectors: %w", err)
		}
	}
	return nil
}

// isVector tells whether a direction can be read from the numbers.
func isVector(values []float32) bool {
	length := 0.0
	for _, f := range values {
		length += float64(float64(f) * float64(f))
	}
	return length > 0 && !math.IsInf(length, 0) && !math.IsNaN(length)
}

func packVector(dst []byte, values []float32) []byte {
	for _, f := range values {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
	}
	return dst
}

func unpackVector(dst []float32, packed []byte) []float32 {
	dst = dst[:0]
	for ; len(packed) >= 4; packed = packed[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(packed)))
	}
	return dst
}

// vectorsByMemory gives the vectors of the model that covers most memories, by memory id, and that
// model. vectors and hashes, the memories by content hash, are closed.
func (a *assembly) vectorsByMemory(vectors, hashes *extsort.Sorter) (byMemory *extsort.Sorter, model string, err error) {
	models := a.small()
	err = joinHashes(hashes, vectors, func(_ []byte, m string, _ []byte) error { return models.Add([]byte(m), nil) })
	if err != nil {
		return nil, "", fmt.Errorf("count models: %w", err)
	}
	var last []byte
	var count, most int64
	for r, err := range models.Sorted() {
		if err != nil {
			return nil, "", fmt.Errorf("count models: %w", err)
		}
		if !bytes.Equal(last, r.Key) {
			last, count = append(last[:0], r.Key...), 0
		}
		if count++; count > most {
			most, model = count, string(r.Key)
		}
	}
	byMemory = a.small()
	err = joinHashes(hashes, vectors, func(id []byte, m string, values []byte) error {
		if m != model {
			return nil
		}
		return byMemory.Add(id, values)
	})
	if err != nil {
		return nil, "", fmt.Errorf("sort vectors by memory: %w", err)
	}
	for _, s := range [...]*extsort.Sorter{models, vectors, hashes} {
		if err := s.Close(); err != nil {
			return nil, "", err
		}
	}
	return byMemory, model, nil
}

// joinHashes calls visit with each memory and each vector of its content, one for each model: of
// several the first in order.
func joinHashes(hashes, vectors *extsort.Sorter, visit func(id []byte, model string, values []byte) error) error {
	next, stop := iter.Pull2(hashes.Sorted())
	defer stop()
	at, err, more := next()
	// Contents of one hash are memories of several types; there are as many as types, so they can
	// be held.
	var ids [][]byte
	var hash, model string
	for r, bad := range vectors.Sorted() {
		if bad != nil {
			return bad
		}
		h, m, ok := splitVectorKey(r.Key)
		if !ok {
			return errRecord
		}
		if h != hash || ids == nil {
			hash, model, ids = h, "", [][]byte{}
			for more && err == nil && string(at.Key) <= hash {
				if string(at.Key) == hash {
					ids = append(ids, bytes.Clone(at.Value))
				}
				at, err, more = next()
			}
			if err != nil {
				return err
			}
		}
		if m == model {
			continue
		}
		model = m
		for _, id := range ids {
			if err := visit(id, m, r.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func splitVectorKey(key []byte) (hash, model string, ok bool) {
	h, rest, ok := bytes.Cut(key, []byte{0, 1})
	if !ok {
		return "", "", false
	}
	m, _, ok := bytes.Cut(rest, []byte{0, 1})
	return string(h), string(m), ok
}
