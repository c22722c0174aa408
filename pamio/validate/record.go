package validate

import (
	"encoding/binary"
	"iter"
	"unsafe"

	"github.com/pamline/pamline/pamio/extsort"
)

// record writes the value of a sorted record: single bytes and numbers that sort as they compare,
// then texts.
type record []byte

func (r record) byte(b byte) record { return append(r, b) }

func (r record) int(n int) record { return binary.BigEndian.AppendUint64(r, uint64(n)) }

func (r record) text(s string) record {
	return append(binary.AppendUvarint(r, uint64(len(s))), s...)
}

func (r record) bytes(s []byte) record {
	return append(binary.AppendUvarint(r, uint64(len(s))), s...)
}

// fields reads a record back in the order in which it was written.
type fields []byte

func (f *fields) byte() byte {
	b := (*f)[0]
	*f = (*f)[1:]
	return b
}

func (f *fields) int() int {
	n := binary.BigEndian.Uint64(*f)
	*f = (*f)[8:]
	return int(n)
}

func (f *fields) text() string { return string(f.peek()) }

// peek is text without a copy, valid until the next record is read.
func (f *fields) peek() []byte {
	n, used := binary.Uvarint(*f)
	s := (*f)[used : used+int(n)]
	*f = (*f)[used+int(n):]
	return s
}

// table joins facts by key: everything under one key comes together, in the order of the values.
type table struct{ s *extsort.Sorter }

func (t table) add(key string, r record) error {
	return t.s.Add(unsafe.Slice(unsafe.StringData(key), len(key)), r) //nolint:gosec // it is copied, not changed
}

// rows gives the records; first tells that a key begins.
func (t table) rows() iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		var last []byte
		started := false
		for r, err := range t.s.Sorted() {
			if err != nil {
				yield(row{}, err)
				return
			}
			first := !started || string(last) != string(r.Key)
			if first {
				last, started = append(last[:0], r.Key...), true
			}
			if !yield(row{first: first, key: r.Key, fields: fields(r.Value)}, nil) {
				return
			}
		}
	}
}

// row is one record of a table; key is valid until the next.
type row struct {
	first bool
	key   []byte
	fields
}
