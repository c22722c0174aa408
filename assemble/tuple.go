package assemble

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"github.com/google/uuid"
)

// A tuple is the form of sort keys: fields that compare one after the other, as their bytes do when
// they are compared as a whole. A string ends with 00 01 and a NUL in it is 00 FF; a number is
// eight bytes, big-endian, with its sign bit flipped.

func tupleString(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			return append(append(dst, s...), 0, 1)
		}
		dst = append(append(dst, s[:i]...), 0, 0xFF)
		s = s[i+1:]
	}
}

func tupleInt(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63)
}

// A record is the form of sorted values: fields of known kinds, packed.

func packString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func packInt(dst []byte, n int64) []byte { return binary.AppendVarint(dst, n) }

func packFloat(dst []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
}

func packStrings(dst []byte, values []string) []byte {
	dst = packInt(dst, int64(len(values)))
	for _, v := range values {
		dst = packString(dst, v)
	}
	return dst
}

func packPointer(dst []byte, s *string) []byte {
	if s == nil {
		return append(dst, 0)
	}
	return packString(append(dst, 1), *s)
}

var errRecord = errors.New("read scratch record: it is not what was written")

// unpacker reads a record. Strings are copied. The first error is kept in err.
type unpacker struct {
	left []byte
	err  error
}

func (u *unpacker) fail() { u.left, u.err = nil, errRecord }

func (u *unpacker) string() string {
	n, size := binary.Uvarint(u.left)
	if size <= 0 || n > uint64(len(u.left)-size) {
		u.fail()
		return ""
	}
	s := string(u.left[size : size+int(n)])
	u.left = u.left[size+int(n):]
	return s
}

// again reads a string into one that may be the same, so that it need not be copied.
func (u *unpacker) again(s *string) {
	n, size := binary.Uvarint(u.left)
	if size <= 0 || n > uint64(len(u.left)-size) {
		u.fail()
		*s = ""
		return
	}
	if field := u.left[size : size+int(n)]; string(field) != *s {
		*s = string(field)
	}
	u.left = u.left[size+int(n):]
}

func (u *unpacker) int() int64 {
	n, size := binary.Varint(u.left)
	if size <= 0 {
		u.fail()
		return 0
	}
	u.left = u.left[size:]
	return n
}

func (u *unpacker) float() float64 {
	if len(u.left) < 8 {
		u.fail()
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(u.left))
	u.left = u.left[8:]
	return f
}

func (u *unpacker) uuid() (id uuid.UUID) {
	if len(u.left) < len(id) {
		u.fail()
		return id
	}
	copy(id[:], u.left)
	u.left = u.left[len(id):]
	return id
}

func (u *unpacker) flag() bool {
	if len(u.left) == 0 {
		u.fail()
		return false
	}
	f := u.left[0] == 1
	u.left = u.left[1:]
	return f
}

func (u *unpacker) strings() []string {
	n := u.int()
	if n < 0 || n > int64(len(u.left)) { // each takes a byte at least
		u.fail()
		return nil
	}
	if n == 0 {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = u.string()
	}
	return out
}

func (u *unpacker) pointer() *string {
	if len(u.left) == 0 {
		u.fail()
		return nil
	}
	there := u.left[0] == 1
	u.left = u.left[1:]
	if !there {
		return nil
	}
	s := u.string()
	return &s
}
