package sensitive

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// phrase is a term with what makes it harmless.
type phrase struct {
	words    []pattern
	unspaced string // of a script without spaces, or with particles at its words: found inside of words
	unless   []phrase
}

// pattern is a word with or without open ends.
type pattern struct {
	text        string
	front, back bool
}

func (p *pattern) matches(w string) bool {
	switch {
	case p.front && p.back:
		return strings.Contains(w, p.text)
	case p.front:
		return len(w) > len(p.text)+2 && strings.HasSuffix(w, p.text)
	case p.back:
		return strings.HasPrefix(w, p.text)
	}
	return w == p.text
}

// index finds phrases by their first word.
type index struct {
	whole    map[string][]*phrase // by the word
	open     map[string][]*phrase // by the first three letters of a word with an open end
	front    []*phrase            // whose first word has an open beginning
	unspaced []*phrase
}

func newIndex(list []string) (index, error) {
	x := index{whole: map[string][]*phrase{}, open: map[string][]*phrase{}}
	for _, s := range list {
		p, err := parsePhrase(s)
		if err != nil {
			return x, err
		}
		switch {
		case p.unspaced != "":
			x.unspaced = append(x.unspaced, p)
		case p.words[0].front:
			x.front = append(x.front, p)
		case p.words[0].back:
			k := head(p.words[0].text)
			x.open[k] = append(x.open[k], p)
		default:
			x.whole[p.words[0].text] = append(x.whole[p.words[0].text], p)
		}
	}
	return x, nil
}

func parsePhrase(s string) (*phrase, error) {
	p := &phrase{}
	text, rest, _ := strings.Cut(s, " !")
	for rest != "" {
		var one string
		one, rest, _ = strings.Cut(rest, " !")
		u, err := parsePhrase(one)
		if err != nil {
			return nil, err
		}
		p.unless = append(p.unless, *u)
	}
	if inside(text) {
		p.unspaced = strings.ReplaceAll(fold(text), " ", "")
		return p, nil
	}
	for w := range strings.FieldsSeq(text) {
		bare := strings.Trim(w, "*")
		pat := pattern{front: strings.HasPrefix(w, "*"), back: strings.HasSuffix(w, "*")}
		list := wordsOf(bare)
		if len(list) == 0 {
			return nil, fmt.Errorf("phrase %q: %q is no word", s, w)
		}
		for i, part := range list {
			arabic := isArabic(part) && len([]rune(part)) >= 3 // endings are open
			p.words = append(p.words, pattern{text: part, front: pat.front && i == 0, back: arabic || pat.back && i == len(list)-1})
		}
	}
	if len(p.words) == 0 {
		return nil, fmt.Errorf("phrase %q has no word", s)
	}
	if p.words[0].back && len([]rune(p.words[0].text)) < 3 {
		return nil, fmt.Errorf("phrase %q: an open word has three letters at least", s)
	}
	return p, nil
}

// inside tells whether a text is of a script whose terms are looked for inside of words.
func inside(s string) bool {
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return true
		}
	}
	return false
}

// head is the first three letters of a word.
func head(w string) string {
	n := 0
	for i := range w {
		if n++; n > 3 {
			return w[:i]
		}
	}
	return w
}

// fold compares letters without case and accents.
func fold(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r) && r != '\u3099' && r != '\u309a':
		case r == 'ı':
			b.WriteByte('i')
		case r == 'ß':
			b.WriteString("ss")
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(b.String())
}

// wordsOf cuts a text into folded words. Arabic words stand without the article and the particles
// that are written with them.
func wordsOf(s string) []string {
	list := strings.FieldsFunc(fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range list {
		if isArabic(w) {
			list[i] = withoutParticles(w)
		}
	}
	return list
}

// isArabic tells whether a word is in Arabic letters.
func isArabic(w string) bool {
	for _, r := range w {
		return unicode.Is(unicode.Arabic, r)
	}
	return false
}

// particles are written at the front of Arabic words, the longest first.
var particles = []string{"وال", "بال", "فال", "كال", "لل", "ال", "و"}

func withoutParticles(w string) string {
	for _, p := range particles {
		if cut, ok := strings.CutPrefix(w, p); ok && len([]rune(cut)) >= 3 {
			return cut
		}
	}
	return w
}
