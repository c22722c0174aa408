package pamio

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// embeddingsKey is the collection of an embeddings file. A memory has one embedding at most (PAM
// §12.1), so that embeddings are known by their memory.
const embeddingsKey = "embeddings"

var embeddingKeys = map[string]string{embeddingsKey: "memory_id"}

// MergeEmbeddings merges embeddings files as [Merge] does stores: the last embedding of a memory
// wins. base may be nil. Embeddings of withheld memories are left out.
func MergeEmbeddings(w io.Writer, base *Source, deltas []Source, l Limits, withheld Withheld) (Tally, error) {
	side := l.sorter()
	var rest []byte
	var value []byte
	for i, d := range deltas {
		head, _, err := d.scan(l, embeddingKeys, func(_ string, it item) error {
			value = append(binary.BigEndian.AppendUint32(value[:0], uint32(i)), it.raw...)
			return side.Add(it.key, value)
		})
		if err != nil {
			return Tally{}, errors.Join(fmt.Errorf("merge embeddings: %w", err), side.Close())
		}
		rest = head
	}
	e := embeddings{limits: l, base: base, side: side, rest: rest}
	return e.write(w, "merge embeddings", func(key []byte, it *item, records [][]byte) ([]byte, bool) {
		if withheld[string(key)] {
			return nil, false
		}
		if len(records) > 0 {
			return records[len(records)-1][4:], it == nil || string(records[len(records)-1][4:]) != string(it.raw)
		}
		return it.raw, false
	})
}

// DeltaEmbeddings writes the embeddings of next that base does not have with the same value; base
// may be nil.
func DeltaEmbeddings(w io.Writer, base *Source, next Source, l Limits, withheld Withheld) (Tally, error) {
	side := l.sorter()
	if base != nil {
		_, _, err := base.scan(l, embeddingKeys, func(_ string, it item) error {
			digest := sha256.Sum256(it.canonical)
			return side.Add(it.key, digest[:])
		})
		if err != nil {
			return Tally{}, errors.Join(fmt.Errorf("make delta of embeddings: %w", err), side.Close())
		}
	}
	e := embeddings{limits: l, base: &next, side: side}
	return e.write(w, "make delta of embeddings", func(key []byte, it *item, records [][]byte) ([]byte, bool) {
		if it == nil || withheld[string(key)] {
			return nil, false
		}
		digest := sha256.Sum256(it.canonical)
		if len(records) > 0 && string(records[0]) == string(digest[:]) {
			return nil, false
		}
		return it.raw, len(records) > 0
	})
}

// embeddings is a join that writes an embeddings file.
type embeddings struct {
	limits Limits
	base   *Source
	side   *extsort.Sorter
	rest   []byte // of another file, if there is no base
}

// write writes what pick chooses: the text of an embedding or nil, and whether it replaces another
// one.
func (e *embeddings) write(w io.Writer, what string, pick func(key []byte, it *item, records [][]byte) (raw []byte, replaced bool)) (tally Tally, err error) {
	var out *spools
	defer func() {
		if err = errors.Join(err, out.close(), e.side.Close()); err != nil {
			err = fmt.Errorf("%s: %w", what, err)
		}
	}()
	j := &join{
		primary: e.base, limits: e.limits, keys: embeddingKeys, sides: map[string]*extsort.Sorter{embeddingsKey: e.side},
		begin: func() (err error) {
			if err := out.close(); err != nil {
				return err
			}
			tally = Tally{}
			out, err = newSpools(e.limits.Scratch, embeddingKeys)
			return err
		},
		visit: func(_ string, key []byte, it *item, records [][]byte) error {
			raw, replaced := pick(key, it, records)
			switch {
			case raw == nil:
				return nil
			case replaced && it != nil:
				tally.Updated++
			case it == nil:
				tally.Added++
			default:
				tally.Unchanged++
			}
			tally.Total++
			return out.add(embeddingsKey, raw)
		},
	}
	rest, _, err := j.run()
	if err != nil {
		return tally, err
	}
	if rest == nil {
		rest = e.rest
	}
	head, err := embeddingsHead(rest)
	if err != nil {
		return tally, err
	}
	return tally, out.write(w, head, []string{embeddingsKey}, func(string) bool { return true })
}

// embeddingsHead is the open object of an embeddings file with the members of another one.
func embeddingsHead(rest []byte) ([]byte, error) {
	if rest == nil {
		return []byte(`{"schema":"` + EmbeddingsSchema + `","schema_version":"` + SchemaVersion + `"`), nil
	}
	var s struct {
		Schema        string `json:"schema"`
		SchemaVersion string `json:"schema_version"`
	}
	if err := parseStrict(rest, &s); err != nil {
		return nil, err
	}
	if err := checkSchema(EmbeddingsSchema, s.Schema, s.SchemaVersion); err != nil {
		return nil, err
	}
	d, err := jsonscan.Parse(rest, maxDepth)
	if err != nil {
		return nil, err
	}
	dst := []byte{'{'}
	for k, v := range d.Root().Fields() {
		if k.Is(embeddingsKey) {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, k.Raw()...), ':'), v.Raw()...)
	}
	return dst, nil
}
