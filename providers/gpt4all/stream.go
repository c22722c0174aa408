package gpt4all

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf16"

	"github.com/pamline/pamline/pamio"
)

// Errors of a stream.
var (
	errShort = errors.New("the file ends inside a value")
	errLarge = errors.New("a value is larger than the limit")
)

// malformed is an error about bytes that no version writes.
type malformed struct{ what string }

func (e malformed) Error() string { return e.what }

// stream reads the values of a QDataStream, big endian. A length is only a claim: nothing is
// allocated for it before its bytes are there. After an error every read gives zero values.
type stream struct {
	r     *bufio.Reader
	at    int64 // bytes read
	left  int64 // bytes of strings that may still be read
	err   error
	bytes [8]byte
}

func (s *stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// fixed reads n ≤ 8 bytes as a number.
func (s *stream) fixed(n int) uint64 {
	if s.err != nil {
		return 0
	}
	clear(s.bytes[:])
	m, err := io.ReadFull(s.r, s.bytes[8-n:])
	s.at += int64(m)
	if err != nil {
		s.fail(short(err))
		return 0
	}
	return binary.BigEndian.Uint64(s.bytes[:])
}

func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errShort
	}
	return err
}

func (s *stream) u32() uint32 { return uint32(s.fixed(4)) }
func (s *stream) i32() int32  { return int32(s.fixed(4)) }
func (s *stream) i64() int64  { return int64(s.fixed(8)) }

func (s *stream) boolean() bool {
	v := s.fixed(1)
	if v > 1 {
		s.fail(malformed{"a truth value is neither 0 nor 1"})
	}
	return v == 1
}

// count reads the number of elements of a list.
func (s *stream) count() int64 {
	n := s.i64()
	if n < 0 {
		s.fail(malformed{"a list has a negative number of elements"})
		return 0
	}
	return n
}

// skip passes over n values of size bytes.
func (s *stream) skip(n uint64, size uint64) uint64 {
	if s.err != nil {
		return 0
	}
	if n > math.MaxInt64/size {
		s.fail(errShort)
		return 0
	}
	m, err := io.CopyN(io.Discard, s.r, int64(n*size))
	s.at += m
	if err != nil {
		s.fail(short(err))
	}
	return n * size
}

// null is the length of a string or byte array that is not there.
const null = 0xFFFFFFFF

// array reads bytes with their length before them; ok is false for none.
func (s *stream) array() (data []byte, ok bool) {
	n := s.u32()
	switch {
	case s.err != nil || n == null:
		return nil, false
	case int64(n) > s.left:
		// A length beyond the end of the file is damage, one beyond the limit a matter of settings.
		if m, err := io.CopyN(io.Discard, s.r, int64(n)); err != nil {
			s.at += m
			s.fail(short(err))
		}
		s.fail(errLarge)
		return nil, false
	}
	s.left -= int64(n)
	data = make([]byte, 0, min(n, 64<<10))
	for len(data) < int(n) {
		chunk := min(int(n)-len(data), 64<<10)
		data = append(data, make([]byte, chunk)...)
		m, err := io.ReadFull(s.r, data[len(data)-chunk:])
		s.at += int64(m)
		if err != nil {
			s.fail(short(err))
			return nil, false
		}
	}
	return data, true
}

// text reads a string as JSON: UTF-16, null for one that is not there. Lone surrogates stay,
// escaped.
func (s *stream) text() []byte {
	data, ok := s.array()
	switch {
	case !ok:
		return []byte("null")
	case len(data)%2 != 0:
		s.fail(malformed{"a text has an odd number of bytes"})
		return []byte("null")
	}
	out := []byte{'"'}
	var plain []rune
	flush := func() {
		if q := pamio.AppendString(nil, string(plain)); len(plain) > 0 {
			out = append(out, q[1:len(q)-1]...)
		}
		plain = plain[:0]
	}
	for i := 0; i < len(data); i += 2 {
		u := rune(binary.BigEndian.Uint16(data[i:]))
		if !utf16.IsSurrogate(u) {
			plain = append(plain, u)
			continue
		}
		if i+3 < len(data) {
			if r := utf16.DecodeRune(u, rune(binary.BigEndian.Uint16(data[i+2:]))); r != 0xFFFD {
				plain = append(plain, r)
				i += 2
				continue
			}
		}
		flush()
		out = fmt.Appendf(out, `\u%04x`, u)
	}
	flush()
	return append(out, '"')
}

// Types of a QVariant that can be in a tool's parameters.
const (
	variantInvalid  = 0
	variantBool     = 1
	variantInt      = 2
	variantUint     = 3
	variantLong     = 4
	variantUlong    = 5
	variantDouble   = 6
	variantText     = 10
	variantTexts    = 11
	variantBytes    = 12
	variantNull     = 51
	maxVariantTexts = 1 << 20
)

// variant reads a value whose type stands before it, as JSON.
func (s *stream) variant() []byte {
	kind := s.u32()
	s.fixed(1) // is it null: the value is there all the same
	if s.err != nil {
		return []byte("null")
	}
	switch kind {
	case variantInvalid, variantNull:
		return []byte("null")
	case variantBool:
		return strconv.AppendBool(nil, s.boolean())
	case variantInt:
		return strconv.AppendInt(nil, int64(s.i32()), 10)
	case variantUint:
		return strconv.AppendUint(nil, uint64(s.u32()), 10)
	case variantLong:
		return strconv.AppendInt(nil, s.i64(), 10)
	case variantUlong:
		return strconv.AppendUint(nil, s.fixed(8), 10)
	case variantDouble:
		f := math.Float64frombits(s.fixed(8))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return pamio.AppendString(nil, fmt.Sprint(f))
		}
		return strconv.AppendFloat(nil, f, 'g', -1, 64)
	case variantText:
		return s.text()
	case variantTexts:
		return s.texts()
	case variantBytes:
		data, _ := s.array()
		return pamio.AppendString(nil, hex.EncodeToString(data))
	}
	s.fail(malformed{fmt.Sprintf("a tool has a parameter of type %d, which this version does not know", kind)})
	return []byte("null")
}

// texts reads a list of strings as JSON.
func (s *stream) texts() []byte {
	n := s.u32()
	if n > maxVariantTexts {
		s.fail(malformed{"a list of texts has more elements than there can be"})
		n = 0
	}
	out := []byte{'['}
	for i := uint32(0); i < n && s.err == nil; i++ {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, s.text()...)
	}
	return append(out, ']')
}
