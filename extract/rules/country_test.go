package rules

import (
	"slices"
	"testing"
)

// Words are compared in lower case, but the country is no pronoun.
func TestTheCountryIsNoPronoun(t *testing.T) {
	all, _ := New().Extract(said("I am a US citizen."), nil)
	var contents []string
	for _, c := range all {
		contents = append(contents, c.Content)
	}
	if !slices.Contains(contents, "Is a US citizen.") {
		t.Errorf("got %q", contents)
	}
}

func TestAFeelingIsNoResidence(t *testing.T) {
	all, _ := New().Extract(said("I live in constant fear of losing my job. I live in hope."), nil)
	for _, c := range all {
		if c.Slot != nil && c.Slot.Attribute == "residence" {
			t.Errorf("got %+v", c)
		}
	}
}
