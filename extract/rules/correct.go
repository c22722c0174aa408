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
		wrong = normalize.FoldValue(fill.said(y.start, y.end, false))
	}
	told := r.out
	if y.set {
		stated, _ := r.clauseOf(t, y.start) // "I said I live in Rome, I meant Turin"
		told = append(slices.Clone(told), stated...)
	}
	for i := len(told) - 1; i >= 0; i-- {
		old := &told[i]
		if old.Act != "" || old.Slot == nil || old.Event || wrong != "" && !holdsWords(wrong, old.Slot.Value) {
			continue
		}
		c := *old
		slot := *old.Slot
		slot.Value, slot.Beside = t.englishWord(normalize.FoldValue(right)), false
		content, ok := t.replaceFolded(old.Content, old.Slot.Value, right)
		if !ok {
			continue
		}
		c.Content, c.Slot, c.Evidence = content, &slot, []normalize.Evidence{r.evidence(f)}
		c.Ends = []normalize.Ending{{Attribute: slot.Attribute, Value: old.Slot.Value}}
		r.takeBack(c)
		return
	}
}

// holdsWords tells whether a text has the words of a value in a row.
func holdsWords(text, value string) bool {
	return value != "" && strings.Contains(" "+text+" ", " "+value+" ")
}

// replaceFolded replaces the words of a content that fold to a value.
func (t *table) replaceFolded(content, value, right string) (string, bool) {
	words := strings.Fields(content)
	for at := range len(words) * maxNamed {
		i, n := at/maxNamed, at%maxNamed+1
		if i+n > len(words) || t.englishWord(normalize.FoldValue(strings.Join(words[i:i+n], " "))) != value {
			continue
		}
		tail := ""
		if strings.HasSuffix(words[i+n-1], ".") {
			tail = "."
		}
		return strings.Join(append(append(append([]string{}, words[:i]...), right+tail), words[i+n:]...), " "), true
	}
	return "", false
}
