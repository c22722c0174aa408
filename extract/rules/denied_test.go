package rules

import "testing"

// TestWhatIsDeniedIsNoChange says in several languages what did not happen, with the word that
// denies it where patterns let any words stand.
func TestWhatIsDeniedIsNoChange(t *testing.T) {
	x := New()
	for _, text := range []string{
		"Ik ben niet ontslagen.", "We gaan niet scheiden.", "Mijn moeder is niet overleden.",
		"Ich wurde nicht entlassen.", "Wir lassen uns nicht scheiden.", "Meine Oma ist nicht gestorben.", "Ich bin noch nicht auf Linux umgestiegen.",
		"Mi abuela no murió.", "Mia nonna non è morta.", "Minha avó não morreu.",
	} {
		got, _ := x.Extract(talked(text), nil)
		for i := range got {
			if c := &got[i]; c.Event || len(c.Ends) > 0 || c.Confidence >= changeConfidence {
				t.Errorf("%q gives %q, which ends %v", text, c.Content, c.Ends)
			}
		}
	}
}
