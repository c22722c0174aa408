package normalize

import (
	"bytes"
	"strconv"
)

// decimal is a number lexeme as digits × 10^exp without leading or trailing zeros; zero has no
// digits.
type decimal struct {
	neg    bool
	digits []byte
	exp    int64
}

// maxExponent bounds the exponents that are understood; beyond it a lexeme only equals itself.
const maxExponent = 1 << 40

// parseDecimal reads a JSON number lexeme.
func parseDecimal(lexeme []byte) (d decimal, ok bool) {
	s := lexeme
	if len(s) > 0 && s[0] == '-' {
		d.neg = true
		s = s[1:]
	}
	if i := bytes.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.ParseInt(string(bytes.TrimPrefix(s[i+1:], []byte("+"))), 10, 64)
		if err != nil || e > maxExponent || e < -maxExponent {
			return decimal{}, false
		}
		d.exp = e
		s = s[:i]
	}
	if i := bytes.IndexByte(s, '.'); i >= 0 {
		d.exp -= int64(len(s) - i - 1)
		d.digits = append(append(make([]byte, 0, len(s)), s[:i]...), s[i+1:]...)
	} else {
		d.digits = append([]byte(nil), s...)
	}
	for len(d.digits) > 0 && d.digits[len(d.digits)-1] == '0' {
		d.digits = d.digits[:len(d.digits)-1]
		d.exp++
	}
	d.digits = bytes.TrimLeft(d.digits, "0")
	if len(d.digits) == 0 {
		return decimal{}, len(s) > 0
	}
	return d, true
}

// appendDecimal appends the one form that all lexemes of an equal number share.
func appendDecimal(dst, lexeme []byte) []byte {
	d, ok := parseDecimal(lexeme)
	if !ok {
		return append(dst, lexeme...)
	}
	if len(d.digits) == 0 {
		return append(dst, '0')
	}
	if d.neg {
		dst = append(dst, '-')
	}
	dst = append(append(dst, d.digits...), 'e')
	return strconv.AppendInt(dst, d.exp, 10)
}

// SameNumber tells whether two JSON number lexemes are the same decimal number, whatever their size
// and precision.
func SameNumber(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(appendDecimal(nil, a), appendDecimal(nil, b))
}
