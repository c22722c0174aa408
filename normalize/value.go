package normalize

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Equal tells whether two values are the same JSON value: numbers as decimals, strings by UTF-16
// code unit, objects without regard to the order of different keys. Of a key that is there twice,
// every occurrence counts, in its order.
func Equal(a, b jsonscan.Node) bool {
	return string(AppendIdentity(nil, a)) == string(AppendIdentity(nil, b))
}

// Digest is the hex SHA-256 of a value's identity: equal values have equal digests however they are
// written.
func Digest(n jsonscan.Node) string {
	sum := sha256.Sum256(AppendIdentity(nil, n))
	return hex.EncodeToString(sum[:])
}

// AppendIdentity appends a text that two values share exactly when they are [Equal]. It is not
// JSON.
func AppendIdentity(dst []byte, n jsonscan.Node) []byte {
	switch n.Kind() {
	case jsonscan.Number:
		return appendDecimal(dst, n.Raw())
	case jsonscan.String:
		return appendUnits(dst, n)
	case jsonscan.Array:
		dst = append(dst, '[')
		for v := range n.Items() {
			dst = append(AppendIdentity(dst, v), ',')
		}
		return append(dst, ']')
	case jsonscan.Object:
		var mem [manyFields]field
		fields := mem[:0]
		for k, v := range n.Fields() {
			fields = append(fields, field{keyUnits(k), v})
		}
		slices.SortStableFunc(fields, compareFields)
		dst = append(dst, '{')
		for _, f := range fields {
			dst = append(append(append(dst, '"'), f.key...), 0xFF, '"', ':')
			dst = append(AppendIdentity(dst, f.value), ',')
		}
		return append(dst, '}')
	}
	return append(dst, n.Raw()...)
}

// manyFields is the number of fields of an object from which on sorting them takes memory.
const manyFields = 24

// field is a field of an object: the units of its key, without quotes.
type field struct {
	key   []byte
	value jsonscan.Node
}

// keyUnits are the code units of a key as appendUnits writes them, without what stands around them.
func keyUnits(k jsonscan.Node) []byte {
	if raw := k.Raw(); !k.Odd() && k.Flags()&jsonscan.Escaped == 0 {
		return raw[1 : len(raw)-1]
	}
	units := appendUnits(nil, k)
	return units[1 : len(units)-2]
}

// compareFields orders fields by their keys with the mark behind them.
func compareFields(x, y field) int {
	n := min(len(x.key), len(y.key))
	if c := bytes.Compare(x.key[:n], y.key[:n]); c != 0 {
		return c
	}
	return bytes.Compare(append(slices.Clip(x.key[n:]), 0xFF, '"'), append(slices.Clip(y.key[n:]), 0xFF, '"'))
}

// appendUnits appends a string's code units so that equal strings look equal: lone surrogates keep
// their value, which UTF-8 text cannot (they are written as the three bytes that UTF-8 forbids),
// and bytes that are not UTF-8 stand as they are behind a mark that no UTF-8 text has.
func appendUnits(dst []byte, n jsonscan.Node) []byte {
	dst = append(dst, '"')
	if !n.Odd() {
		dst = n.AppendStr(dst)
	} else {
		for u := range units(n.Raw()) {
			switch {
			case u.raw:
				dst = append(dst, 0xFE, byte(u.r))
			case u.r >= 0xD800 && u.r < 0xE000:
				dst = append(dst, 0xED, byte(0x80|u.r>>6&0x3F), byte(0x80|u.r&0x3F))
			default:
				dst = utf8.AppendRune(dst, u.r)
			}
		}
	}
	return append(dst, 0xFF, '"')
}
