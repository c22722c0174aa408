package pamio

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// joiner is what golang.org/x/text puts behind 30 characters in a row that combine with those
// before them (the Stream-Safe format of UAX #15). Normalization as the specification means it has
// none, so it would change the hash.
const joiner = "\u034f"

// composed is s in normalization form C.
func composed(s string) string {
	if norm.NFC.IsNormalString(s) {
		return s
	}
	out := norm.NFC.String(s)
	if strings.Count(out, joiner) != strings.Count(s, joiner) {
		return composeLong(s)
	}
	return out
}

type mark struct {
	r   rune
	ccc uint8
}

// composeLong is the normalization algorithm of UAX #15 without a limit on the marks.
func composeLong(s string) string {
	marks := decompose(s)
	// Canonical ordering: runs between starters are sorted by class, equal classes keep their
	// order.
	for i := 0; i < len(marks); {
		j := i + 1
		for j < len(marks) && marks[j].ccc != 0 {
			j++
		}
		from := i
		if marks[i].ccc == 0 {
			from++
		}
		slices.SortStableFunc(marks[from:j], func(a, b mark) int { return int(a.ccc) - int(b.ccc) })
		i = j
	}
	out := marks[:0]
	starter := -1
	for _, m := range marks {
		if starter >= 0 {
			adjacent := starter == len(out)-1
			if last := out[len(out)-1]; adjacent || last.ccc != 0 && last.ccc < m.ccc {
				if c, ok := primary(out[starter].r, m.r); ok {
					out[starter].r = c
					continue
				}
			}
		}
		if m.ccc == 0 {
			starter = len(out)
		}
		out = append(out, m)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, m := range out {
		b.WriteRune(m.r)
	}
	return b.String()
}

func decompose(s string) []mark {
	var marks []mark
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		// One code point cannot have more marks than the library takes.
		d := norm.NFD.String(s[i : i+n])
		for len(d) > 0 {
			r, k := utf8.DecodeRuneInString(d)
			marks = append(marks, mark{r, norm.NFD.PropertiesString(d).CCC()})
			d = d[k:]
		}
		i += n
	}
	return marks
}

// primary is the one code point that a and b compose to.
func primary(a, b rune) (rune, bool) {
	c := norm.NFC.String(string([]rune{a, b}))
	r, n := utf8.DecodeRuneInString(c)
	return r, n == len(c)
}
