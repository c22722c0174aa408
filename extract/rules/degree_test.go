package rules

import "testing"

func TestAStatementHasItsDegreeAndNoOtherClause(t *testing.T) {
	for text, want := range map[string]string{
		"I don't smoke very much.":                        "Does not smoke very much.",
		"I don't smoke.":                                  "Does not smoke.",
		"I play the harp and the neighbours complain.":    "Plays the harp.",
		"I'm from Peru, travelling in Italy.":             "Is from Peru.",
		"I am interviewing the new bass player.":          "",
		"I quit my job just like that.":                   "Quit their job.",
		"Usei o Linux e é um tanto lento.":                "Usou o Linux.",
		"I wish I had a photo or a recording of the song": "",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}
