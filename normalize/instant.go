package normalize

import (
	"strconv"
	"strings"
	"time"
)

// Instant is a point in time as documents have it: UTC, to the microsecond. What is finer is cut
// off, never rounded.
type Instant struct {
	Sec   int64 // since 1970-01-01T00:00:00Z
	Micro int32 // 0 to 999,999
}

// Epoch is the time of what has no time at all.
var Epoch = Instant{}

// lastSecond is 9999-12-31T23:59:59Z: later years have no RFC 3339 form.
const lastSecond = 253402300799

// EpochInstant reads a JSON number of seconds since 1970, without passing through a float. Values
// above 10^11 are milliseconds, above 10^14 microseconds. Zero and negative values are no times:
// they stand for "unknown" in exports.
func EpochInstant(lexeme []byte) (Instant, bool) {
	if t, ok := plainSeconds(lexeme); ok {
		return t, true
	}
	d, ok := parseDecimal(lexeme)
	if !ok || d.neg || len(d.digits) == 0 {
		return Instant{}, false
	}
	// The number of digits before the point decides: 10^11 has twelve, and so has everything above.
	switch whole := int64(len(d.digits)) + d.exp; {
	case whole >= 15:
		d.exp -= 6
	case whole >= 12:
		d.exp -= 3
	}
	point := int64(len(d.digits)) + d.exp // digits before the decimal point
	if point > 12 || point < -6 {
		return Instant{}, false
	}
	at := func(i int64) byte {
		if i >= 0 && i < int64(len(d.digits)) {
			return d.digits[i]
		}
		return '0'
	}
	var t Instant
	for i := int64(0); i < point; i++ {
		t.Sec = t.Sec*10 + int64(at(i)-'0')
	}
	for i := point; i < point+6; i++ {
		t.Micro = t.Micro*10 + int32(at(i)-'0')
	}
	return t, t.Sec <= lastSecond && (t.Sec > 0 || t.Micro > 0)
}

// plainSeconds is the usual form: up to eleven digits and a fraction.
func plainSeconds(b []byte) (t Instant, ok bool) {
	i := 0
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		if i == 11 {
			return Instant{}, false
		}
		t.Sec = t.Sec*10 + int64(b[i]-'0')
	}
	if i == 0 || t.Sec == 0 {
		return Instant{}, false
	}
	if i < len(b) {
		if b[i] != '.' {
			return Instant{}, false
		}
		i++
		n := 0
		for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
			if n < 6 {
				t.Micro = t.Micro*10 + int32(b[i]-'0')
				n++
			}
		}
		for ; n < 6; n++ {
			t.Micro *= 10
		}
	}
	return t, i == len(b) && t.Sec <= lastSecond
}

// ISOInstant reads an ISO 8601 time with offset or without (then UTC), with "T" or a space, to any
// precision.
func ISOInstant(s string) (Instant, bool) {
	if len(s) < len("2006-01-02T15:04") || len(s) > 64 {
		return Instant{}, false
	}
	if s[10] == ' ' || s[10] == 't' {
		s = s[:10] + "T" + s[11:]
	}
	s = strings.ReplaceAll(s, "z", "Z")
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999-0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return Instant{t.Unix(), int32(t.Nanosecond() / 1000)}, t.Unix() > 0 && t.Unix() <= lastSecond
		}
	}
	return Instant{}, false
}

// ParseInstant reads the form that String writes.
func ParseInstant(s string) (Instant, bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return Instant{}, false
	}
	return Instant{t.Unix(), int32(t.Nanosecond() / 1000)}, true
}

// Compare orders instants: -1, 0, 1.
func (t Instant) Compare(o Instant) int {
	switch {
	case t.Sec < o.Sec || t.Sec == o.Sec && t.Micro < o.Micro:
		return -1
	case t == o:
		return 0
	}
	return 1
}

// String is RFC 3339 in UTC, without a fraction or with exactly six digits.
func (t Instant) String() string {
	var b [27]byte
	return string(t.append(b[:0], t.Micro != 0))
}

// Six is RFC 3339 in UTC with six digits always, so that texts sort as times do.
func (t Instant) Six() string {
	var b [27]byte
	return string(t.append(b[:0], true))
}

func (t Instant) append(dst []byte, fraction bool) []byte {
	dst = time.Unix(t.Sec, 0).UTC().AppendFormat(dst, "2006-01-02T15:04:05")
	if fraction {
		dst = appendMicros(dst, t.Micro)
	}
	return append(dst, 'Z')
}

func appendMicros(dst []byte, micro int32) []byte {
	dst = append(dst, '.')
	for div := int32(100_000); div > 0; div /= 10 {
		dst = append(dst, byte('0'+micro/div%10))
	}
	return dst
}

// AppendSeconds appends the JSON number of seconds since 1970 that EpochInstant reads back.
func (t Instant) AppendSeconds(dst []byte) []byte {
	dst = strconv.AppendInt(dst, t.Sec, 10)
	if t.Micro != 0 {
		dst = appendMicros(dst, t.Micro)
	}
	return dst
}

// Gives tells whether the number lexeme is exactly what AppendSeconds writes for t, as a decimal
// number.
func (t Instant) Gives(lexeme []byte) bool {
	var a [32]byte
	out := t.AppendSeconds(a[:0])
	if len(lexeme) <= len(out) && string(out[:len(lexeme)]) == string(lexeme) && t.Micro != 0 {
		// 1.5 against 1.500000
		for _, c := range out[len(lexeme):] {
			if c != '0' {
				return false
			}
		}
		for _, c := range lexeme {
			if c == '.' {
				return true
			}
		}
	}
	return SameNumber(lexeme, out)
}
