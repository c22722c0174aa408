package rules

import "testing"

func TestTheSecondVerbOfAStatementIsInTheThirdPersonToo(t *testing.T) {
	wantContents(t, map[string]string{
		"I repair wooden boats in winter and row for the town club.": "Repairs wooden boats in winter and rows for the town club.",
		"I usually cook rice and fish for my aunt.":                  "Usually cooks rice and fish for their aunt.",
		"I teach yoga and dance classes.":                            "Teaches yoga and dance classes.",
		"Cuido gallinas y vendo los huevos en el mercado.":           "Cuida gallinas y vende los huevos en el mercado.",
		"Riparo barche di legno e remo per il circolo.":              "Ripara barche di legno e rema per il circolo.",
		"Ich repariere Holzboote und rudere für den Verein.":         "Rudert für den Verein.",
		"Je répare des bateaux en bois et rame pour le club.":        "Rame pour le club.",
	})
}
