package restate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Owner gives the names that a text about one person calls that person by, the longest first: the
// capitalized words that its first sentence begins with, before a verb in the third person. A text
// that says "the user" has none.
func Owner(tongue Tongue, sentences []string) []string {
	if len(sentences) == 0 {
		return nil
	}
	r := Reader{Tongue: tongue, t: tableOf("en")}
	for _, s := range sentences {
		for _, subject := range append(r.t.Subjects, r.t.Genitives...) {
			if _, ok := r.cut(s, subject); ok {
				return nil
			}
		}
	}
	words := strings.Fields(sentences[0])
	var name []string
	for _, w := range words {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if c, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(c) || len(name) == 3 || strings.ContainsAny(w, ".,:;!?") {
			break
		}
		name = append(name, w)
	}
	if len(name) == 0 || len(name) == len(words) || r.isThird(name[0]) || slices.Contains(r.t.Pronouns, strings.ToLower(name[0])) || !r.verbAt(words, len(name)) {
		return nil
	}
	names := []string{strings.Join(name, " ")}
	if len(name) > 1 {
		names = append(names, name[0])
	}
	return names
}

// verbAt tells whether a verb in the third person is at a place, behind adverbs.
func (r *Reader) verbAt(words []string, i int) bool {
	if strings.HasSuffix(words[i-1], "'s") || strings.HasSuffix(words[i-1], "’s") {
		return true
	}
	for ; i < len(words); i++ {
		w := strings.ToLower(words[i])
		if slices.Contains(r.t.Adverbs, w) {
			continue
		}
		if _, ok := r.t.Verbs[w]; ok {
			return true
		}
		_, ok := r.Tongue.FirstPerson("en", w)
		return ok
	}
	return false
}
