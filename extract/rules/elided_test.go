package rules

import (
	"slices"
	"testing"
)

func TestAChangeMayLeaveItsSubjectOutBehindAClauseOfThePerson(t *testing.T) {
	wantContents(t, map[string]string{
		"I am so happy, moved to Oslo in March.":  "Lives in Oslo.",
		"I've sold my boat and retired in April.": "Is retired.",
	})
	if got := contentsOf("My brother likes Norway, moved to Oslo in March."); slices.Contains(got, "Lives in Oslo.") {
		t.Errorf("what a brother did gives %q", got)
	}
	if got := contentsOf("What do I cut first?"); len(got) > 0 {
		t.Errorf("a question gives %q", got)
	}
}
