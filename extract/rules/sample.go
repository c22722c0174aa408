package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isSample tells whether a match in Latin letters is written together with Chinese or Japanese:
// "Ich wohne in Kiel语法正确吗" asks whether a sentence is right. A name in such letters that stands
// by itself is no question.
func (r *reader) isSample(t *table, f *found) bool {
	if t.script {
		return false
	}
	start, end := r.m.tokens[f.start].start, r.m.tokens[f.end-1].end
	before, after := r.msg.Text[:start], r.msg.Text[end:]
	if last, _ := utf8.DecodeLastRuneInString(before); isIdeograph(last) {
		return true
	}
	after = strings.TrimLeft(after, ".!?,")
	if next, _ := utf8.DecodeRuneInString(after); isIdeograph(next) {
		return true
	}
	return gluesScripts(r.msg.Text[start:end])
}

// gluesScripts tells whether a Latin letter and an ideograph of a text stand side by side.
func gluesScripts(text string) bool {
	var last rune
	for _, c := range text {
		if isIdeograph(c) && unicode.Is(unicode.Latin, last) || unicode.Is(unicode.Latin, c) && isIdeograph(last) {
			return true
		}
		last = c
	}
	return false
}

// isIdeograph tells whether a letter is of the Chinese script or of Japanese syllables.
func isIdeograph(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// isCutAtInitial tells whether what stands for a name ends with an initial, behind whose full stop
// the name goes on: "I'm J.K. Adler" is no "J.K".
func (r *reader) isCutAtInitial(t *table, f *found) bool {
	for i := range t.captures {
		k := &f.captures[i]
		if !k.set || k.end != f.end {
			continue
		}
		end := r.m.tokens[k.end-1].end
		said, rest := r.msg.Text[r.m.tokens[k.start].start:end], strings.TrimLeft(r.msg.Text[end:], ".")
		initial, n := utf8.DecodeLastRuneInString(said)
		before, _ := utf8.DecodeLastRuneInString(said[:len(said)-n])
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
		if unicode.IsUpper(initial) && !unicode.IsLetter(before) && len(rest) < len(r.msg.Text[end:]) && unicode.IsUpper(next) {
			return true
		}
	}
	return false
}
