package sensitive

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
)

// What a phrase is in its language.
type role uint8

const (
	sure  role = iota // a term that no topic makes harmless
	term              // another one
	topic             // turns the terms behind it into what somebody works on or reads about
	self              // turns them back
)

// use is what a phrase is in one of the languages that have it.
type use struct {
	language int8
	role     role
	kind     int8    // of kinds; of terms only
	unless   []int32 // phrases that make it harmless wherever they stand
}

// compiler makes the table of all languages.
type compiler struct {
	*table
	builder *lexicon.Builder
}

// addPhrase adds a phrase as it is written, with what makes it harmless.
func (c *compiler) addPhrase(written string, u use) error {
	parts := strings.Split(written, " !")
	n, err := c.number(parts[0])
	if err != nil {
		return err
	}
	for _, p := range parts[1:] {
		unless, err := c.number(p)
		if err != nil {
			return err
		}
		u.unless = append(u.unless, int32(unless)) //nolint:gosec // bounded by the tables
	}
	c.uses[n] = append(c.uses[n], u)
	return nil
}

// number gives the number of a phrase: words with or without open ends.
func (c *compiler) number(written string) (int, error) {
	var words []lexicon.ID
	for w := range strings.FieldsSeq(written) {
		front, back := strings.HasPrefix(w, "*"), strings.HasSuffix(w, "*")
		parts := c.builder.SplitText(lexicon.StripMarks(strings.Trim(w, "*")))
		if len(parts) == 0 {
			return 0, fmt.Errorf("phrase %q: %q is no word", written, w)
		}
		for i, p := range parts {
			letters := utf8.RuneCountInString(p)
			front, back := front && i == 0, back && i == len(parts)-1
			if back && !front && letters < 3 && len(words) == 0 {
				return 0, fmt.Errorf("phrase %q: an open word has three letters at least", written)
			}
			if back = back || isArabic(p) && letters >= 3; front || back { // endings of Arabic are open
				words = append(words, c.builder.OpenWord(p, front, back))
			} else {
				words = append(words, c.builder.Word(p))
			}
		}
	}
	if len(words) == 0 {
		return 0, fmt.Errorf("phrase %q has no word", written)
	}
	n := c.builder.AddWords(words)
	for len(c.uses) <= n {
		c.uses = append(c.uses, nil)
	}
	return n, nil
}

// isArabic tells whether a word is in Arabic letters.
func isArabic(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.Is(unicode.Arabic, r)
}

// particles are written at the front of Arabic words, the longest first.
var particles = []string{"وال", "بال", "فال", "كال", "لل", "ال", "و"}
