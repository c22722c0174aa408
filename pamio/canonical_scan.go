package pamio

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// canonicalDepth is the nesting up to which bytes are recognized as canonical: that up to which
// they are parsed.
const canonicalDepth = jsonscan.DefaultMaxDepth

// isCanonical tells whether src is in RFC 8785 canonical form and holds nothing that Canonicalize
// refuses.
func isCanonical(src []byte) bool {
	s := canonicalScan{b: src}
	return s.value(0) && s.i == len(src)
}

// isCanonicalNumber is isCanonical for the text of a number.
func isCanonicalNumber(raw []byte) bool {
	s := canonicalScan{b: raw}
	return s.number() && s.i == len(raw)
}

type canonicalScan struct {
	b []byte
	i int
	// member is a key of the outermost object whose text value is wanted, found its text between
	// the quotes.
	member string
	found  []byte
}

func (s *canonicalScan) next() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *canonicalScan) take(c byte) bool {
	if s.next() == c {
		s.i++
		return true
	}
	return false
}

func (s *canonicalScan) value(depth int) bool {
	switch c := s.next(); {
	case c == '"':
		return s.str()
	case c == '{':
		return depth < canonicalDepth && s.object(depth+1)
	case c == '[':
		return depth < canonicalDepth && s.array(depth+1)
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *canonicalScan) word(w string) bool {
	if !bytes.HasPrefix(s.b[s.i:], []byte(w)) {
		return false
	}
	s.i += len(w)
	return true
}

func (s *canonicalScan) array(depth int) bool {
	s.i++
	if s.take(']') {
		return true
	}
	for {
		if !s.value(depth) {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *canonicalScan) object(depth int) bool {
	s.i++
	if s.take('}') {
		return true
	}
	var last []byte
	for first := true; ; first = false {
		start := s.i + 1
		if s.next() != '"' || !s.str() {
			return false
		}
		key := s.b[start : s.i-1]
		// Ascending without equals: sorted, and no key twice.
		if !first && !keyLess(last, key) {
			return false
		}
		last = key
		if !s.take(':') {
			return false
		}
		start = s.i
		if !s.value(depth) {
			return false
		}
		if depth == 1 && s.b[start] == '"' && string(key) == s.member {
			s.found = s.b[start+1 : s.i-1]
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// str passes over a string that is written with the fewest escapes.
func (s *canonicalScan) str() bool {
	start := s.i + 1
	i := start
	ascii := true
	for {
		i += plainPrefix(s.b[i:], &ascii)
		if i >= len(s.b) {
			return false
		}
		if s.b[i] == '"' {
			break
		}
		if s.b[i] != '\\' { // a bare control character
			return false
		}
		n := canonicalEscape(s.b[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	s.i = i + 1
	return ascii || utf8.Valid(s.b[start:i])
}

// canonicalEscape is the length of the escape at the start of b, 0 if RFC 8785 would have written
// it otherwise.
func canonicalEscape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 || b[2] != '0' || b[3] != '0' || b[4] != '0' && b[4] != '1' {
			return 0
		}
		low := b[5]
		digit := low >= '0' && low <= '9'
		if !digit && (low < 'a' || low > 'f') {
			return 0
		}
		if b[4] == '0' && (low == '8' || low == '9' || low == 'a' || low == 'c' || low == 'd') {
			return 0 // these have a short form
		}
		return 6
	}
	return 0
}

// number passes over a number in ECMAScript form.
func (s *canonicalScan) number() bool {
	start := s.i
	if s.next() == '-' {
		s.i++
	}
	whole := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	n := s.i - whole
	if n == 0 {
		return false
	}
	if c := s.next(); c != '.' && c != 'e' {
		if s.b[whole] == '0' {
			return n == 1 && whole == start
		}
		const limit = "9007199254740991"
		return n < len(limit) || n == len(limit) && string(s.b[whole:s.i]) <= limit
	}
	if s.decimal(whole, n) {
		return true
	}
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c >= '0' && c <= '9', c == '.', c == 'e', c == '+', c == '-':
			s.i++
			continue
		}
		break
	}
	f, err := strconv.ParseFloat(string(s.b[start:s.i]), 64)
	if err != nil {
		return false
	}
	var form [32]byte
	return bytes.Equal(appendNumber(form[:0], f), s.b[start:s.i])
}

// decimal passes over the fraction of a number if it is short, so that nothing has to be computed:
// a double tells decimals of up to 15 digits apart, and writes them as they are, without zeros at
// either end, and without an exponent down to 0.000001. whole is where the number begins behind its
// sign, n how many digits stand before the point. It says no for some numbers that are canonical.
func (s *canonicalScan) decimal(whole, n int) bool {
	if s.next() != '.' || s.b[whole] == '0' && n > 1 {
		return false
	}
	i := s.i + 1
	zeros := 0
	for i < len(s.b) && s.b[i] == '0' {
		i++
		zeros++
	}
	for i < len(s.b) && s.b[i] >= '0' && s.b[i] <= '9' {
		i++
	}
	digits := i - s.i - 1
	if digits == 0 || n+digits > 15 || s.b[i-1] == '0' || s.b[whole] == '0' && zeros > 5 || i < len(s.b) && (s.b[i]|0x20 == 'e' || s.b[i] == '.') {
		return false
	}
	s.i = i
	return true
}

// keyLess compares two canonical string literals without their quotes by UTF-16 code units.
func keyLess(a, b []byte) bool {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] && a[i] < utf8.RuneSelf && a[i] != '\\' {
		i++
	}
	if i == n {
		return len(a) < len(b)
	}
	if plainKeyByte(a[i]) && plainKeyByte(b[i]) {
		return a[i] < b[i]
	}
	return utf16Less(unescapeCanonical(a[i:]), unescapeCanonical(b[i:]))
}

func plainKeyByte(c byte) bool { return c < utf8.RuneSelf && c != '\\' }

// utf16Less orders UTF-8 as its UTF-16 code units: supplementary code points come before
// U+E000–U+FFFF.
func utf16Less(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		r, n := utf8.DecodeRune(a)
		q, m := utf8.DecodeRune(b)
		if r != q {
			if high := r >= 0x10000; high != (q >= 0x10000) {
				if high {
					return q >= 0xE000
				}
				return r < 0xE000
			}
			return r < q
		}
		a, b = a[n:], b[m:]
	}
	return len(a) < len(b)
}

func unescapeCanonical(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			low := b[i+4]
			if low >= 'a' {
				low -= 'a' - 10
			} else {
				low -= '0'
			}
			out = append(out, (b[i+3]-'0')<<4|low)
			i += 4
		default:
			out = append(out, b[i])
		}
	}
	return out
}
