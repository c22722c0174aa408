package mem

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// ErrNotCanonical is wrapped when a value has no canonical form in this format.
var ErrNotCanonical = errors.New("no canonical form")

// Canonicalize gives the canonical bytes of one JSON value in the profile of the format: keys by
// code point, no white space, integers of any size exact. It differs from RFC 8785 in the order of
// keys beyond U+FFFF, and in numbers below 1e-4 and from 1e16 on, which have the form that the
// reference implementation writes.
func Canonicalize(src []byte) ([]byte, error) {
	d, err := jsonscan.Parse(src, 0)
	if err != nil {
		return nil, fmt.Errorf("canonicalize record: %w", err)
	}
	return AppendCanonical(nil, d.Root())
}

// AppendCanonical appends the canonical bytes of a parsed value.
func AppendCanonical(dst []byte, n jsonscan.Node) ([]byte, error) {
	if n.Odd() {
		return nil, fmt.Errorf("canonicalize record: %w: it has a duplicate key, half a surrogate pair or bytes that are not UTF-8", ErrNotCanonical)
	}
	return appendValue(dst, n)
}

func appendValue(dst []byte, n jsonscan.Node) (_ []byte, err error) {
	switch n.Kind() {
	case jsonscan.Number:
		return appendNumber(dst, string(n.Raw()))
	case jsonscan.String:
		return AppendString(dst, n.Str()), nil
	case jsonscan.Array:
		dst = append(dst, '[')
		first := true
		for item := range n.Items() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			if dst, err = appendValue(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case jsonscan.Object:
		return appendObject(dst, n)
	default:
		return append(dst, n.Raw()...), nil
	}
}

func appendObject(dst []byte, n jsonscan.Node) (_ []byte, err error) {
	type member struct {
		key   string
		value jsonscan.Node
	}
	members := make([]member, 0, n.Len())
	for k, v := range n.Fields() {
		members = append(members, member{k.Str(), v})
	}
	// The order of UTF-8 bytes is that of code points.
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, m.key), ':')
		if dst, err = appendValue(dst, m.value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendNumber writes an integer token exactly. Any other token is a double: whole ones below 1e16
// as integers, the others as Python's repr has them.
func appendNumber(dst []byte, token string) ([]byte, error) {
	if !strings.ContainsAny(token, ".eE") {
		if token == "-0" {
			token = "0"
		}
		return append(dst, token...), nil
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil {
		return nil, fmt.Errorf("canonicalize record: %w: a number is beyond the doubles", ErrNotCanonical)
	}
	abs := math.Abs(f)
	switch {
	case f == 0:
		return append(dst, '0'), nil
	case abs < 1e-4 || abs >= 1e16:
		return strconv.AppendFloat(dst, f, 'e', -1, 64), nil
	default:
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
}

// escapes are the short forms; other control characters are \u00xx.
var escapes = map[byte]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}

// AppendString appends a JSON string in its canonical form.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		if short, ok := escapes[c]; ok {
			dst = append(dst, short...)
		} else {
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
	}
	return append(append(dst, s[start:]...), '"')
}
