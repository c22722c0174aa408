package llm

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text in which differences that a model makes in copying are gone: case, accents, the
// form of quotes and dashes, runs of white space, emphasis marks, invisible characters. at and end
// are the bytes of the source that each rune stands for.
type folded struct {
	runes   []rune
	at, end []int
}

// alike maps signs to the one that is compared.
var alike = map[rune]rune{
	'’': '\'', '‘': '\'', '‛': '\'', '´': '\'', '`': '\'', 'ʼ': '\'', '′': '\'',
	'“': '"', '”': '"', '„': '"', '‟': '"', '«': '"', '»': '"', '″': '"',
	'‹': '<', '›': '>', '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-',
	'，': ',', '。': '.', '！': '!', '？': '?', '：': ':', '；': ';', 'ı': 'i', 'ø': 'o', 'ł': 'l', 'đ': 'd',
}

// fold folds the bytes from start to end of a text.
func fold(text string, start, end int) folded {
	f := folded{runes: make([]rune, 0, end-start), at: make([]int, 0, end-start), end: make([]int, 0, end-start)}
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(text[i:end])
		next := i + size
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			if n := len(f.runes); n > 0 && f.runes[n-1] != ' ' {
				f.add(' ', i, next)
			}
		case r == '*' || invisible(r) || r == 0x200C || r == 0x200D || unicode.Is(unicode.Mn, r):
		case r < 0x80:
			f.add(unicode.ToLower(r), i, next)
		default:
			f.letter(r, i, next)
		}
		i = next
	}
	if n := len(f.runes); n > 0 && f.runes[n-1] == ' ' {
		f.runes, f.at, f.end = f.runes[:n-1], f.at[:n-1], f.end[:n-1]
	}
	return f
}

func (f *folded) add(r rune, at, end int) {
	f.runes = append(f.runes, r)
	f.at = append(f.at, at)
	f.end = append(f.end, end)
}

// letter adds a rune beyond ASCII without its accents; one that stands for several (a ligature)
// gives them all.
func (f *folded) letter(r rune, at, end int) {
	if to, ok := alike[r]; ok {
		f.add(to, at, end)
		return
	}
	if r == 'ß' {
		f.add('s', at, end)
		f.add('s', at, end)
		return
	}
	var one [utf8.UTFMax]byte
	n := utf8.EncodeRune(one[:], r)
	for _, d := range string(norm.NFKD.Bytes(one[:n])) {
		if unicode.Is(unicode.Mn, d) {
			continue
		}
		d = unicode.ToLower(d)
		if to, ok := alike[d]; ok {
			d = to
		}
		f.add(d, at, end)
	}
}

// foldText is the folded form of a text by itself.
func foldText(text string) []rune { return fold(text, 0, len(text)).runes }
