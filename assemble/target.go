package assemble

import (
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
)

// A target is what an ending or a retraction names. Targets and memories are filed under keys; they
// meet where a key is the same.
//
//	m id                    one memory
//	a polarity attribute    every value of an attribute
//	v attribute value polarity
//	w attribute words       memories whose value has at least these words
//	r attribute words       memories whose value has no others
//	n words                 memories whose content has these words in a row
//	x attribute words       both of the last and the first
//
// An attribute "uses.*" is met by each attribute below uses. A memory without a slot is filed under
// the attribute none.TYPE.

func memoryIDKey(dst []byte, id uuid.UUID) []byte { return append(append(dst, 'm'), id[:]...) }

func attributeKey(dst []byte, attribute string, negative bool) []byte {
	return tupleString(append(dst, 'a', flag(negative)), attribute)
}

func valueKey(dst []byte, s *normalize.Slot, negative bool) []byte {
	return append(tupleString(tupleString(append(dst, 'v'), s.Attribute), s.Value), flag(negative))
}

func wordsKey(dst []byte, kind byte, attribute, words string) []byte {
	return tupleString(tupleString(append(dst, kind), attribute), words)
}

// endingKeys are the keys of an ending, and whether it names a value or a name, so that it also
// ends what was said at the same time.
func endingKeys(e *normalize.Ending) (keys [][]byte, precise bool) {
	words := strings.Fields(e.Value)
	switch {
	case e.Name != "" && e.Attribute != "":
		return [][]byte{wordsKey(nil, 'x', e.Attribute, stemName(e.Name))}, true
	case e.Name != "":
		return [][]byte{tupleString([]byte{'n'}, stemName(e.Name))}, true
	case e.Value == "":
		return [][]byte{attributeKey(nil, e.Attribute, false)}, false
	}
	keys = append(keys, wordsKey(nil, 'w', e.Attribute, wordSet(words)))
	for _, part := range parts(words) {
		keys = append(keys, wordsKey(nil, 'r', e.Attribute, part))
	}
	return keys, true
}

// memoryKeys calls file with each key of a memory. named tells that something is named by the words
// of its content.
func memoryKeys(f *facts, named bool, file func(key []byte) error) error {
	if err := file(memoryIDKey(nil, f.id)); err != nil {
		return err
	}
	var names []string
	if named {
		names = phrases(f.text)
		for _, n := range names {
			if err := file(tupleString([]byte{'n'}, n)); err != nil {
				return err
			}
		}
	}
	for i := 0; i+1 < len(f.entities); i += 2 {
		slot := normalize.Slot{Attribute: "entity." + f.entities[i], Value: f.entities[i+1]}
		if err := slotKeys(&slot, false, names, file); err != nil {
			return err
		}
	}
	if f.slot.Attribute == "" {
		return slotKeys(&normalize.Slot{Attribute: noSlot + f.typ}, f.negative, names, file)
	}
	if f.negative {
		denied := f.slot
		denied.Attribute = "!" + denied.Attribute
		if err := slotKeys(&denied, false, names, file); err != nil {
			return err
		}
	}
	return slotKeys(&f.slot, f.negative, names, file)
}

// noSlot is before the type of a memory without a slot, where an attribute stands.
const noSlot = "none."

// slotKeys calls file with each key of a slot.
func slotKeys(s *normalize.Slot, negative bool, names []string, file func(key []byte) error) error {
	words := strings.Fields(s.Value)
	for _, attribute := range attributes(s.Attribute) {
		keys := [][]byte{attributeKey(nil, attribute, negative), valueKey(nil, &normalize.Slot{Attribute: attribute, Value: s.Value}, negative)}
		for _, n := range names {
			keys = append(keys, wordsKey(nil, 'x', attribute, n))
		}
		if !negative {
			keys = append(keys, wordsKey(nil, 'w', attribute, wordSet(words)), wordsKey(nil, 'r', attribute, wordSet(words)))
			for _, part := range parts(words) {
				keys = append(keys, wordsKey(nil, 'w', attribute, part))
			}
		}
		for _, key := range keys {
			if err := file(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// attributes are an attribute and the patterns that it falls under: uses.editor, uses.*.
func attributes(attribute string) []string {
	out := []string{attribute}
	for i := len(attribute) - 1; i > 0; i-- {
		if attribute[i] == '.' {
			out = append(out, attribute[:i+1]+"*")
		}
	}
	return out
}

// maxNameWords is how many words a name has at most, maxNameSigns how many characters in scripts
// that write no spaces.
const (
	maxNameWords = 4
	maxNameSigns = 6
)

// phrases are what a content names: its runs of up to maxNameWords words, without endings, and in
// scripts without spaces its runs of up to maxNameSigns characters.
func phrases(content string) []string {
	var out []string
	words := strings.Fields(normalize.FoldValue(content))
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stemWord(w)
	}
	for i, w := range words {
		for n := 1; n <= maxNameWords && i+n <= len(words); n++ {
			out = append(out, strings.Join(stems[i:i+n], " "))
		}
		signs := []rune(w)
		for j := range signs {
			for n := 1; n <= maxNameSigns && j+n <= len(signs) && unspaced(signs[j+n-1]); n++ {
				if n < len(signs) {
					out = append(out, string(signs[j:j+n]))
				}
			}
		}
	}
	return out
}

// unspaced tells whether a script writes no spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul)
}
