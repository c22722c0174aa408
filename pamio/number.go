package pamio

import (
	"bytes"
	"math"
	"strconv"
)

// appendNumber appends f in the ECMAScript form that RFC 8785 §3.2.2.3 asks for. NaN and the
// infinities are not JSON; callers keep them out.
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // -0, too
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes at least two digits of exponent: 1e+09 is 1e+9 here.
	e := start + bytes.IndexByte(dst[start:], 'e')
	if dst[e+2] == '0' {
		dst = append(dst[:e+2], dst[e+3:]...)
	}
	return dst
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
