package rules

import (
	"strings"
	"testing"
)

// A verb without a subject opens a sentence; behind "and" it has the subject before it.
func TestHeadMatchesOnlyAtTheBeginning(t *testing.T) {
	for text, want := range map[string]string{
		"Majored in geology, and you?":         "Studied geology.",
		"I bake bread and play the drums.":     "Bakes bread. Plays the drums.",
		"My aunt is here and hate is a word.":  "Has an aunt.",
		"Used to live on a barge. What a life": "Used to live on a barge.",
	} {
		if got := strings.Join(contentsOf(text), " "); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}
