package normalize

import (
	"iter"
	"strconv"
	"unicode/utf8"
)

// unit is one character of a string literal: a code point, half a surrogate pair that stands alone,
// or a byte that is not UTF-8.
type unit struct {
	r   rune
	raw bool
}

// units yields the characters of a string literal that the parser accepted, quotes included in lit.
// Surrogate pairs are joined, whether they are written as escapes or as the two three-byte
// sequences of CESU-8.
func units(lit []byte) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		s := lit[1 : len(lit)-1]
		var high rune // a high surrogate that waits for its other half
		put := func(u unit) bool {
			if high != 0 {
				h := high
				high = 0
				if !u.raw && u.r >= 0xDC00 && u.r < 0xE000 {
					return yield(unit{r: (h-0xD800)<<10 | (u.r - 0xDC00) + 0x10000})
				}
				if !yield(unit{r: h}) {
					return false
				}
			}
			if !u.raw && u.r >= 0xD800 && u.r < 0xDC00 {
				high = u.r
				return true
			}
			return yield(u)
		}
		for i := 0; i < len(s); {
			u, n := nextUnit(s[i:])
			if !put(u) {
				return
			}
			i += n
		}
		if high != 0 {
			yield(unit{r: high})
		}
	}
}

var shortEscapes = map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func nextUnit(s []byte) (unit, int) {
	if s[0] == '\\' {
		if s[1] == 'u' {
			v, _ := strconv.ParseUint(string(s[2:6]), 16, 16) // the parser has checked the digits
			return unit{r: rune(v)}, 6
		}
		if r, ok := shortEscapes[s[1]]; ok {
			return unit{r: r}, 2
		}
		return unit{r: rune(s[1])}, 2
	}
	r, n := utf8.DecodeRune(s)
	if r != utf8.RuneError || n > 1 {
		return unit{r: r}, n
	}
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2] >= 0x80 && s[2] <= 0xBF {
		return unit{r: 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)}, 3
	}
	return unit{r: rune(s[0]), raw: true}, 1
}
