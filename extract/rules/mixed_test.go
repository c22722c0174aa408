package rules

import (
	"slices"
	"testing"
)

// TestAMessageInTwoLanguagesIsReadInBoth gives messages of people who mix their language with
// English, and titles that leave a sentence in one.
func TestAMessageInTwoLanguagesIsReadInBoth(t *testing.T) {
	for text, want := range map[string][]string{
		"I moved to Galway in May, agora trabalho no porto e moro com meu irmão. is the rent too high?":                   {"Lives in Galway."},
		"ich wohne in Kiel und arbeite bei der Post, but I want to know: which visa do I need for this?":                  {"Lebt in Kiel."},
		"Mi serie favorita es The Last of Us y me gusta mucho el final.":                                                  nil,
		"A personagem do meu livro não é rica e diz que I live in Boston and I have two dogs, mas não sei se isso é bom.": nil,
	} {
		got := contentsOf(text)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%q gives %q, not %q", text, got, w)
			}
		}
		if want == nil && slices.Contains(got, "Lives in Boston.") {
			t.Errorf("%q gives %q", text, got)
		}
		if slices.ContainsFunc(got, func(s string) bool { return len(s) > 60 }) {
			t.Errorf("%q runs on: %q", text, got)
		}
	}
}
