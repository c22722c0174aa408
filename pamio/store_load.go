package pamio

import (
	"fmt"
	"io"
)

// Store is a memory store held as a whole.
type Store struct {
	Scalars
	Memories  []*Memory
	Relations []*Relation
	Index     []*IndexEntry
}

// LoadStore reads a whole store into memory: for small stores, and for programs that need
// everything at once. limit is the greatest number of bytes that are read; a longer document gives
// an error that wraps [ErrElementTooBig]. Members that PAM 1.0 does not know are lost in the
// elements; [ReadStore] gives the text of each. Nothing is verified: package validate and package
// signature do that.
func LoadStore(r io.Reader, limit int64) (*Store, error) {
	s := &Store{}
	bounded := &boundedReader{r: r, left: limit}
	err := ReadStore(bounded, Visitor{
		Memory:     func(e Element) error { return appendParsed(&s.Memories, ParseMemory, e) },
		Relation:   func(e Element) error { return appendParsed(&s.Relations, ParseRelation, e) },
		IndexEntry: func(e Element) error { return appendParsed(&s.Index, ParseIndexEntry, e) },
		Scalars:    func(scalars *Scalars) error { s.Scalars = *scalars; return nil },
		MaxValue:   -1, // the whole is bounded
	})
	if err != nil {
		return nil, fmt.Errorf("load store: %w", err)
	}
	return s, nil
}

func appendParsed[T any](list *[]*T, parse func([]byte) (*T, error), e Element) error {
	v, err := parse(e.Raw)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Pointer, err)
	}
	*list = append(*list, v)
	return nil
}

// boundedReader fails behind a number of bytes, where io.LimitReader would end.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the store: %w", ErrElementTooBig)
	}
	return n, err
}
