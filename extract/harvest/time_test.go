package harvest

import (
	"slices"
	"testing"

	"github.com/pamline/pamline/extract"
)

// TestTimesOfARecordAreDatesOrLeftOut reads records that were written on May 1, 2024, or nobody
// knows when.
func TestTimesOfARecordAreDatesOrLeftOut(t *testing.T) {
	for _, c := range []struct{ text, dated, undated string }{
		// What a rule reads has the time beside its content.
		{"User plans a retreat in Norway next month.", "Plans a retreat in Norway.", "Plans a retreat in Norway."},
		{"User repurposes church bells since last year, mostly.", "Repurposes church bells since 2023, mostly.", "Repurposes church bells, mostly."},
		{"User goes to the organ loft every Sunday.", "Goes to the organ loft every Sunday.", "Goes to the organ loft every Sunday."},
		{"User rebuilt an organ in 2019.", "Rebuilt an organ in 2019.", "Rebuilt an organ in 2019."},
		{"Die Nutzerin verzinnt nächsten Monat Glocken in Lund.", "Verzinnt im Juni 2024 Glocken in Lund.", "Verzinnt Glocken in Lund."},
		{"L'utilisateur rempaille des orgues à Lund le mois prochain.", "Rempaille des orgues à Lund en juin 2024.", "Rempaille des orgues à Lund."},
		{"El usuario encola órganos en Lund el próximo mes.", "Encola órganos en Lund en junio de 2024.", "Encola órganos en Lund."},
		{"L'utente rilega messali a Lund il mese prossimo.", "Rilega messali a Lund a giugno 2024.", "Rilega messali a Lund."},
	} {
		for at, want := range map[string]string{"2024-05-01T00:00:00Z": c.dated, "": c.undated} {
			found, _ := New().ExtractRecord(&extract.Record{Kind: extract.RecordMemory, Provider: "claude", Text: c.text, CreatedAt: at})
			var contents []string
			for _, f := range statedOnly(found) {
				contents = append(contents, f.Content)
			}
			if !slices.Contains(contents, want) {
				t.Errorf("%q written at %q gives %q, not %q", c.text, at, contents, want)
			}
		}
	}
}
