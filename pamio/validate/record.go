package validate

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"unsafe"

	"github.com/pamline/pamline/pamio/extsort"
)

// record writes the value of a sorted record: single bytes and numbers that sort as they compare,
// then texts.
type record []byte

func (r record) byte(b byte) record { return append(r, b) }

// int writes a number as its length in bytes and those bytes, so that small numbers are short and
// all sort as they compare. Negative ones come last.
func (r record) int(n int) record {
	var b [9]byte
	binary.BigEndian.PutUint64(b[1:], uint64(n))
	skip := bits.LeadingZeros64(uint64(n)) / 8
	b[skip] = byte(8 - skip)
	return append(r, b[skip:]...)
}

func (r record) int64(n int64) record { return binary.BigEndian.AppendUint64(r, uint64(n)) }

// key writes the key of an id, with its length.
func (r record) key(id string) record {
	at := len(r)
	r = appendKey(append(r, 0), id)
	if n := len(r) - at - 1; n < 0x80 {
		r[at] = byte(n)
		return r
	}
	return r[:at].bytes(appendKey(nil, id))
}

// id is key for what may have no id.
func (r record) id(id string) record {
	if id == "" {
		return append(r, 0)
	}
	return r.key(id)
}

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
	size := int((*f)[0])
	n := uint64(0)
	for _, b := range (*f)[1 : 1+size] {
		n = n<<8 | uint64(b)
	}
	*f = (*f)[1+size:]
	return int(n)
}

func (f *fields) int64() int64 {
	n := binary.BigEndian.Uint64(*f)
	*f = (*f)[8:]
	return int64(n)
}

// length reads the length of what follows.
func (f *fields) length() int {
	n, used := binary.Uvarint(*f)
	*f = (*f)[used:]
	return int(n)
}

func (f *fields) text() string { return string(f.peek()) }

// peekString is text without a copy, valid until the next record is read.
func (f *fields) peek() []byte {
	n := f.length()
	s := (*f)[:n:n]
	*f = (*f)[n:]
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
		for r, err := range sortedAhead(t.s) {
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
