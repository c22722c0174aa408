package rules

import (
	"strings"
	"testing"
)

// How often something is done is said in the clause or at its end, and counts there, too.
func TestFrequencyIsReadAroundAMatch(t *testing.T) {
	for text, want := range map[string]string{
		"I take the ferry.":                            "",
		"I take the ferry every Monday.":               "Takes the ferry every Monday.",
		"I take the ferry all the time.":               "Takes the ferry.",
		"On most weekends I take the ferry.":           "Takes the ferry.",
		"I row every day and I take the ferry.":        "Rows every day.",
		"Every day was hard because I take the ferry.": "",
	} {
		if got := strings.Join(contentsOf(text), " "); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}
