package rules

import "testing"

func TestAThingThatOnlyTheTalkKnowsStatesNothing(t *testing.T) {
	for text, want := range map[string]string{
		"I want to burn down the servers.":       "",
		"I read all the books and saw the play.": "",
		"I never understood the lyrics.":         "",
		"I read all the books by Ada Berg.":      "Read all the books by Ada Berg.",
		"I love the songs of the sea.":           "Loves the songs of the sea.",
		"I want to join the book club in Lund.":  "Wants to join the book club in Lund.",
		"I wish I had a recording of my songs.":  "Wishes they had a recording of their songs.",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}
