package lexicon

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxOpen is up to how many bytes of a word open words are looked for in: no word of a language is
// longer.
const maxOpen = 512

// openWord stands for all words that have a text at an end, or inside.
type openWord struct {
	text        string
	front, back bool // whether letters may stand before the text, and behind it
	id          ID
}

// openWords finds those that a word is one of, by its first three letters if it can.
type openWords struct {
	list   []openWord
	heads  Words
	starts []int32 // in the list, by the number of the head, 0 for none
}

// newOpenWords sorts open words by their heads.
func newOpenWords(list []openWord) openWords {
	slices.SortFunc(list, func(a, b openWord) int { return cmp.Or(cmp.Compare(a.head(), b.head()), cmp.Compare(a.id, b.id)) })
	heads, starts := map[string]ID{"": 0}, []int32{0}
	for i := range list {
		head := list[i].head()
		if _, known := heads[head]; !known {
			heads[head] = ID(len(starts))     //nolint:gosec // bounded by the tables
			starts = append(starts, int32(i)) //nolint:gosec // bounded by the tables
		}
	}
	return openWords{list, NewWords(heads), append(starts, int32(len(list)))} //nolint:gosec // bounded by the tables
}

// appendIDs appends the numbers of those that a word is one of.
func (o *openWords) appendIDs(ids []ID, word []byte) []ID {
	ids = o.appendHeaded(ids, word, 0)
	if head := o.heads.Find(headOf(word)); head != 0 {
		ids = o.appendHeaded(ids, word, head)
	}
	return ids
}

func (o *openWords) appendHeaded(ids []ID, word []byte, head ID) []ID {
	for i := o.starts[head]; i < o.starts[head+1]; i++ {
		if o.list[i].has(word) {
			ids = append(ids, o.list[i].id)
		}
	}
	return ids
}

func (o *openWord) has(word []byte) bool {
	switch w := string(word); {
	case o.front && o.back:
		return strings.Contains(w, o.text)
	case o.front:
		return len(w) > len(o.text)+2 && strings.HasSuffix(w, o.text)
	default:
		return strings.HasPrefix(w, o.text)
	}
}

// head gives the first three letters of the words, "" if these differ.
func (o *openWord) head() string {
	if o.front || utf8.RuneCountInString(o.text) < 3 {
		return ""
	}
	return string(headOf([]byte(o.text)))
}

// headOf gives the first three letters of a word.
func headOf(word []byte) []byte {
	at := 0
	for n := 0; n < 3 && at < len(word); n++ {
		_, size := utf8.DecodeRune(word[at:])
		at += size
	}
	return word[:at]
}
