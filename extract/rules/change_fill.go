package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
)

// The captures that stand for the time of a change: when it happened, and since when it holds,
// where the person tells it so ("since March").
const (
	when  = "when"
	since = "since"
)

// bound tells whether all captures of a template say something.
func (c *filler) bound(t template) bool {
	for _, p := range t {
		if p.capture != "" && p.capture != when && p.capture != since && !c.capture(p.capture).set {
			return false
		}
	}
	return true
}

// capture gives the tokens of a capture.
func (c *filler) capture(name string) (k captured) {
	for i, n := range c.t.captures {
		if n == name {
			k = c.f.captures[i]
		}
	}
	return k
}

// first fills the first template whose captures all say something.
func (c *filler) first(all []template) (content string, ok bool) {
	for _, t := range all {
		if c.bound(t) {
			return c.content(t), true
		}
	}
	return "", false
}

// event is the filler of what happened once: at a time, not from then on ("seit März").
func (c *filler) event() *filler {
	if c.at == nil || !c.at.since {
		return c
	}
	e, at := *c, *c.at
	at.since = false
	e.at, e.held = &at, c.at
	return &e
}

// slot fills a slot. Its words are those of all languages.
func (c *filler) slot(attribute, value template, one bool) *normalize.Slot {
	return c.t.englishSlot(normalize.Slot{Attribute: c.attribute(attribute), Value: c.value(value), One: one})
}

// eventValue is what an event is told of, in a form that can be compared: its captures and its
// time.
func (c *filler) eventValue() string {
	var b strings.Builder
	for i := range c.t.captures {
		if k := c.f.captures[i]; k.set {
			text := c.t.stands[k.stands]
			if text == "" {
				text = c.said(k.start, k.end, false)
			}
			b.WriteString(c.t.englishWord(normalize.FoldValue(text)) + " ")
		}
	}
	if c.at != nil {
		b.WriteString(c.at.event())
	} else {
		b.WriteString("x")
	}
	return normalize.FoldValue(b.String())
}

// englishSlot gives a slot whose attribute and value are as in all languages.
func (t *table) englishSlot(s normalize.Slot) *normalize.Slot {
	if t.change == nil || len(t.change.english) == 0 {
		return &s
	}
	parts := strings.Split(s.Attribute, ".")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(t.englishWord(strings.ReplaceAll(p, "_", " ")), " ", "_")
	}
	s.Attribute = strings.Join(parts, ".")
	if english := t.englishWord(s.Value); !tellsName(s.Attribute) || english == parts[len(parts)-1] {
		if s.Value = english; slices.Contains(kindsOfThings, s.Attribute) {
			words := strings.Fields(s.Value)
			for i, w := range words {
				words[i] = t.englishWord(w)
			}
			s.Value = strings.Join(words, " ")
		}
	}
	return &s
}

// kindsOfThings are the attributes whose values name things of few kinds, beside their number and
// the like.
var kindsOfThings = []string{"pet", "allergy", "plays", "diet"}

// tellsName tells whether the values of an attribute are names, which are the same in all
// languages: Marie is not married.
func tellsName(attribute string) bool {
	switch attribute {
	case "name", "nickname", "partner", "pet.name":
		return true
	}
	return strings.HasPrefix(attribute, "relative.") || strings.HasPrefix(attribute, "entity.")
}

// englishWord is what a folded text is in slots.
func (t *table) englishWord(folded string) string {
	if t.change != nil {
		if e, ok := t.change.english[folded]; ok {
			return e
		}
	}
	return folded
}

// capitalized writes the words of a name that is all in small letters with capitals.
func capitalized(name string) string {
	if strings.ToLower(name) != name {
		return name
	}
	words := strings.Fields(name)
	for i, w := range words {
		r, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(r)) + w[n:]
	}
	return strings.Join(words, " ")
}
