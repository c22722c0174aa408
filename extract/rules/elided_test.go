package rules

import (
	"slices"
	"testing"
)

func TestChangesMayLeaveTheirSubjectOutBehindAClauseOfThePerson(t *testing.T) {
	for text, want := range map[string]string{
		"I am so happy, moved to Oslo in March.":               "Lives in Oslo.",
		"I've sold my boat and retired in April.":              "Is retired.",
		"btw rust is my favorite language.":                    "Favorite language is rust.",
		"I have two brothers. Sorry, three brothers, not two.": "Has three brothers.",
		"I'm on parental leave until January.":                 "Is on parental leave until January 2025.",
	} {
		if got := contentsOf(text); !slices.Contains(got, want) {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
	for _, text := range []string{"My brother likes Norway, moved to Oslo in March.", "What do I cut first?"} {
		if got := contentsOf(text); slices.Contains(got, "Lives in Oslo.") || len(got) > 1 {
			t.Errorf("%q gives %q", text, got)
		}
	}
}
