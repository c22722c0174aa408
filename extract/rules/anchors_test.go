package rules

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
)

// beginsChange tells whether one of the sentences of a text begins with a change or a request to
// forget, by the table of a language.
func beginsChange(b *book, t *table, text string) bool {
	r := newReader(b, &pamio.Conversation{})
	r.m.work, r.m.t, r.msg = &r.work, t, &extract.Turn{Text: text, Own: true}
	r.scan.reset(text, 0, len(text), t)
	for r.scan.next() {
		if r.m.tokens, r.timed = r.scan.tokens, false; r.forgetAt(t, 0) || r.changeAt(t, 0, true) {
			return true
		}
	}
	return false
}

// The examples of each language, read with the tables of all.
func TestAChangeHasAnAnchor(t *testing.T) {
	var texts []string
	for _, c := range changeTables(t) {
		for i := range c.Transitions {
			texts = append(texts, c.Transitions[i].Examples...)
		}
		texts = append(texts, c.Forget.Examples...)
	}
	b := standard()
	for l := range b.languages {
		if !b.languages[l].changing {
			continue
		}
		name, anchors, begun := b.languages[l].name, b.languages[l].anchors(), 0
		if anchors == nil {
			t.Errorf("%s: there are no anchors, so that its table is opened for each text without marks", name)
		}
		for _, text := range texts {
			text, _, _ = strings.Cut(text, " => ")
			if !beginsChange(b, b.table(l), text) {
				continue
			}
			begun++
			if !anchors.stand(new(scanner), text, 0, len(text)) {
				t.Errorf("%s: %q has no anchor", name, text)
			}
		}
		if begun < 10 {
			t.Errorf("%s: %d examples begin with a change", name, begun)
		}
	}
}

func TestTextsWithoutAnchorsOpenNoTable(t *testing.T) {
	reading := ""
	b := newBook(mustOpen(compileIndex()), func(name string) *table {
		t.Errorf("%q opens the table of %s", reading, name)
		return mustOpen(openTable(name))
	})
	for l := range b.languages {
		b.languages[l].anchors = standard().languages[l].anchors
	}
	x := &Extractor{open: func() *book { return b }}
	for _, text := range []string{"ok", "merge sort runtime", "water sentence place", "größer niño cœur"} {
		reading = text
		if got, _ := x.Extract(talked(text), nil); len(got) > 0 {
			t.Errorf("%q gives %q", text, got[0].Content)
		}
	}
}
