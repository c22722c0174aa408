package extract

import (
	"testing"

	"github.com/pamline/pamline/normalize"
)

func TestPlacesAreComparedWithoutTheirCountry(t *testing.T) {
	for value, want := range map[string]string{
		"graz austria": "graz", "Graz, Österreich": "graz", "leeds united kingdom": "leeds", "austria": "austria", "santa fe new mexico": "santa fe new mexico", "graz": "graz",
		"a village near graz": "a village near graz", "auckland, New Zealand": "auckland",
	} {
		found := []normalize.Candidate{{Content: "x", Slot: &normalize.Slot{Attribute: "residence", Value: value}}}
		Finish(found)
		if got := found[0].Slot.Value; got != want {
			t.Errorf("%q becomes %q, expected %q", value, got, want)
		}
	}
	other := []normalize.Candidate{{Content: "x", Slot: &normalize.Slot{Attribute: "likes", Value: "ham spain"}}}
	if Finish(other); other[0].Slot.Value != "ham spain" {
		t.Errorf("a thing is read as a place: %q", other[0].Slot.Value)
	}
}

func TestEveryCandidateIsMarkedByItsContent(t *testing.T) {
	found := []normalize.Candidate{{Content: "Has asthma."}, {Content: "Has a cat."}}
	Finish(found)
	if found[0].Sensitive != "health" || found[1].Sensitive != "" {
		t.Errorf("%+v", found)
	}
}
