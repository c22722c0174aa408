package rules

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// correct puts the words of capture x in the place of those of capture y ("I said Rome, I meant
// Milan"), or of the value that was told last, in what the person stated before.
func (r *reader) correct(t *table, f *found) {
	fill := filler{t: t, text: r.msg.Text, tokens: r.m.tokens, f: f}
	x, y := fill.capture("x"), fill.capture("y")
	if !x.set {
		return
	}
	right := fill.said(x.start, x.end, false)
	wrong := ""
	if y.set {
		wrong = t.comparable(fill.said(y.start, y.end, false))
	}
	told := r.out
	if y.set {
		stated, _ := r.clauseOf(t, y.start) // "I said I live in Rome, I meant Turin"
		told = append(slices.Clone(told), stated...)
	}
	for i := len(told) - 1; i >= 0; i-- {
		old := &told[i]
		if old.Act != "" || old.Slot == nil || old.Event {
			continue
		}
		if id := old.Evidence[0].Message; wrong == "" && id != r.msg.ID && id != r.before {
			return // "it should be yellow" is of what was just said
		}
		c, slot := *old, *old.Slot
		right, replaced := right, slot.Value
		if number, _, _ := strings.Cut(right, " "); isNumber(replaced) && isNumber(t.comparable(number)) {
			right = number // "three brothers" of "two brothers"
		}
		slot.Value, slot.Beside = t.comparable(right), false
		if wrong != "" && !holdsWords(wrong, replaced) {
			if !holdsWords(replaced, wrong) {
				continue
			}
			// "lives in Rome" of a sister, "turns 8 on Saturday": only a part is corrected
			slot.Value = strings.TrimSpace(strings.Replace(" "+replaced+" ", " "+wrong+" ", " "+slot.Value+" ", 1))
			replaced = wrong
		}
		content, ok := t.replaceFolded(old.Content, replaced, right)
		if !ok {
			continue
		}
		c.Content, c.Slot, c.Evidence = content, &slot, []normalize.Evidence{r.evidence(f)}
		c.Ends = []normalize.Ending{{Attribute: slot.Attribute, Value: old.Slot.Value}}
		r.takeBack(c)
		return
	}
}

// comparable writes words as values of slots are written: folded, in English where that is known,
// numbers in digits.
func (t *table) comparable(said string) string {
	return t.inDigits(t.englishWord(normalize.FoldValue(said)))
}

// isNumber tells whether a text is a number in digits.
func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// holdsWords tells whether a text has the words of a value in a row.
func holdsWords(text, value string) bool {
	return value != "" && strings.Contains(" "+text+" ", " "+value+" ")
}

// replaceFolded replaces the words of a content that fold to a value.
func (t *table) replaceFolded(content, value, right string) (string, bool) {
	words, wanted := strings.Fields(content), t.comparable(value)
	for at := range len(words) * maxNamed {
		i, n := at/maxNamed, at%maxNamed+1
		if i+n > len(words) || t.comparable(strings.Join(words[i:i+n], " ")) != wanted {
			continue
		}
		if i > 0 && strings.ToLower(words[i]) != words[i] {
			right = capitalized(right) // a name takes the place of a name
		}
		tail := ""
		if strings.HasSuffix(words[i+n-1], ".") {
			tail = "."
		}
		return strings.Join(append(append(append([]string{}, words[:i]...), right+tail), words[i+n:]...), " "), true
	}
	if t.fullStop != "." && value != "" && strings.Count(content, value) == 1 { // no spaces between words
		return strings.Replace(content, value, right, 1), true
	}
	return "", false
}
