package apertomemory

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// errCBOR is returned for bytes that are not the CBOR (RFC 8949) that a memory is written in.
var errCBOR = errors.New("it is not CBOR of definite length")

const (
	maxDepth = 64
	maxItems = 1 << 20
)

// Major types of CBOR.
const (
	majorUint, majorNegative, majorBytes, majorText = 0, 1, 2, 3
	majorArray, majorMap, majorTag, majorSimple     = 4, 5, 6, 7
)

// reader reads CBOR as JSON: byte strings become hex, keys of maps texts. items bounds what a small
// input can claim to hold.
type reader struct {
	b     []byte
	i     int
	items int
}

// toJSON gives the first value of the bytes as JSON, and how many bytes it took.
func toJSON(b []byte) (text []byte, n int, err error) {
	r := &reader{b: b}
	text, err = r.value(nil, 0)
	return text, r.i, err
}

// head reads the first byte of a value and its argument.
func (r *reader) head() (major byte, arg uint64, info byte, err error) {
	if r.i >= len(r.b) {
		return 0, 0, 0, errCBOR
	}
	first := r.b[r.i]
	r.i++
	major, info = first>>5, first&31
	switch {
	case info < 24:
		return major, uint64(info), info, nil
	case info > 27:
		return 0, 0, 0, errCBOR
	}
	size := 1 << (info - 24)
	if len(r.b)-r.i < size {
		return 0, 0, 0, errCBOR
	}
	var wide [8]byte
	copy(wide[8-size:], r.b[r.i:r.i+size])
	r.i += size
	return major, binary.BigEndian.Uint64(wide[:]), info, nil
}

func (r *reader) value(dst []byte, depth int) ([]byte, error) {
	major, arg, info, err := r.head()
	if r.items++; err != nil || depth > maxDepth || r.items > maxItems {
		return dst, errors.Join(errCBOR, err)
	}
	switch major {
	case majorUint:
		return strconv.AppendUint(dst, arg, 10), nil
	case majorNegative:
		if arg > math.MaxInt64-1 {
			return dst, errCBOR
		}
		return strconv.AppendInt(dst, -1-int64(arg), 10), nil
	case majorBytes, majorText:
		s, err := r.text(major, arg)
		return pamio.AppendString(dst, s), err
	case majorArray:
		return r.array(dst, arg, depth)
	case majorMap:
		return r.object(dst, arg, depth)
	case majorTag:
		return r.value(dst, depth+1)
	}
	return simple(dst, arg, info)
}

// text takes a string. What is no UTF-8 in a text is none.
func (r *reader) text(major byte, n uint64) (string, error) {
	if n > uint64(len(r.b)-r.i) { //nolint:gosec // never negative
		return "", errCBOR
	}
	s := r.b[r.i : r.i+int(n)] //nolint:gosec // within the bytes
	r.i += len(s)
	if major == majorBytes {
		return hex.EncodeToString(s), nil
	}
	if !validText(s) {
		return "", errCBOR
	}
	return string(s), nil
}

func (r *reader) array(dst []byte, n uint64, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	for k := uint64(0); k < n; k++ {
		if k > 0 {
			dst = append(dst, ',')
		}
		if dst, err = r.value(dst, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (r *reader) object(dst []byte, n uint64, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	seen := map[string]bool{}
	for k := uint64(0); k < n; k++ {
		if k > 0 {
			dst = append(dst, ',')
		}
		major, arg, _, err := r.head()
		if err != nil {
			return dst, err
		}
		key := strconv.FormatUint(arg, 10)
		switch major {
		case majorUint:
		case majorBytes, majorText:
			if key, err = r.text(major, arg); err != nil {
				return dst, err
			}
		default:
			return dst, errCBOR
		}
		if seen[key] {
			return dst, errCBOR
		}
		seen[key] = true
		dst = append(pamio.AppendString(dst, key), ':')
		if dst, err = r.value(dst, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func simple(dst []byte, arg uint64, info byte) ([]byte, error) {
	var f float64
	switch {
	case info == 25:
		f = half(uint16(arg)) //nolint:gosec // two bytes
	case info == 26:
		f = float64(math.Float32frombits(uint32(arg))) //nolint:gosec // four bytes
	case info == 27:
		f = math.Float64frombits(arg)
	case arg == 20:
		return append(dst, "false"...), nil
	case arg == 21:
		return append(dst, "true"...), nil
	default:
		return append(dst, "null"...), nil
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, errCBOR
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64), nil
}

// half is a number of 16 bits (IEEE 754).
func half(h uint16) float64 {
	exponent, mantissa := int(h>>10)&31, float64(h&1023)
	f := math.Ldexp(1+mantissa/1024, exponent-15)
	switch exponent {
	case 0:
		f = math.Ldexp(mantissa, -24)
	case 31:
		f = math.NaN()
	}
	if h&0x8000 != 0 {
		f = -f
	}
	return f
}
