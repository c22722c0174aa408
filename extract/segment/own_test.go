package segment

import (
	"strings"
	"testing"
)

func TestOnlyThePersonsOwnUnsignedTextIsADraft(t *testing.T) {
	bio := "I grew up on a barge in Ghent. I have built boats for eleven years, and I teach carpentry to children on weekends. My own boat is called Otter."
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"a bio to be improved", "Please improve my bio:\n\n" + bio, true},
		{"a letter", "Please improve my letter:\n\nDear Ms Vos,\n\n" + bio + "\n\nKind regards,\nA. Guest", false},
		{"what is to be said anew", "Rephrase this in your own words:\n\n" + bio, false},
		{"a student's answer", "Correct this answer of my student:\n\n" + bio, false},
		{"a translation", "Translate this into Dutch:\n\n" + bio, false},
		{"a summary", "Summarize this text:\n\n" + bio, false},
		{"one sentence", "Please correct this: I has a boat.", false},
		{"an exercise", "Correct this sentence: I grew up on a barge in Ghent and I have built my own boats for eleven years, says my aunt.", false},
		{"a long answer that is called a sentence", "Correct this sentence: " + bio + " I sail it with my two daughters, and we sell what I catch.", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := false
			for _, s := range Message(c.text, nil) {
				got = got || s.Kind == Draft && strings.Contains(c.text[s.Start:s.End], "barge")
			}
			if got != c.want {
				t.Errorf("it is a draft: %t", got)
			}
		})
	}
}
