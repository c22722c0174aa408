package extract

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/pamline/pamline/extract/sensitive"
	"github.com/pamline/pamline/normalize"
)

// Finish does to candidates what holds for all extractors, in the one place that all of them pass:
// contents of special categories of personal data are marked, and places are compared without their
// country.
func Finish(found []normalize.Candidate) {
	sensitive.Mark(found)
	for i := range found {
		if s := found[i].Slot; s != nil && placeSlots[s.Attribute] {
			foldPlace(s)
		}
	}
}

// placeSlots are attributes whose values are places.
var placeSlots = map[string]bool{"residence": true, "origin": true}

//go:embed countries.txt
var countryNames string

// countries are the names of countries in the languages of the tables, folded.
var countries = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(countryNames) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			names[normalize.FoldValue(line)] = true
		}
	}
	return names
})

// maxCountryWords is how many words the name of a country has at most.
const maxCountryWords = 3

// foldPlace takes the country from the end of a place: "Graz, Austria" is the same place as "Graz".
func foldPlace(s *normalize.Slot) {
	words := strings.Fields(normalize.FoldValue(s.Value))
	for n := min(maxCountryWords, len(words)-1); n > 0; n-- {
		if countries()[strings.Join(words[len(words)-n:], " ")] && words[len(words)-n-1] != "new" { // New Mexico, New England
			s.Value = strings.Join(words[:len(words)-n], " ")
			return
		}
	}
}
