package rules

import "testing"

func TestAMatchWithAWordThatItsFamilyMustNotHaveIsDropped(t *testing.T) {
	for text, want := range map[string]bool{
		"My car is a red pickup.": true, "My password is correct horse battery staple.": false, "Mi contraseña es caballo azul.": false,
	} {
		all, report := New().Extract(said(text), nil)
		if found := len(all) > 0; found != want || !want && report.Skipped["without"] == 0 {
			t.Errorf("%q gives %s, %+v", text, list(all), report)
		}
	}
}
