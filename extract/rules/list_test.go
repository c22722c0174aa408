package rules

import (
	"strings"
	"testing"
)

func TestAListIsKeptWhole(t *testing.T) {
	for text, want := range map[string]string{
		"I enjoy quiet hobbies such as knitting, walking my goat along the river, and baking rye bread.": "Enjoys quiet hobbies such as knitting, walking their goat along the river, and baking rye bread.",
		"I am a potter driven by the wish to join clay, glass, and old wood from barns in one piece.":    "Is a potter driven by the wish to join clay, glass, and old wood from barns in one piece.",
		"I have experience in forestry, beekeeping and the timber sector.":                               "Has experience in forestry, beekeeping and the timber sector.",
		"I like polka, swing, tango.": "Likes polka, swing, tango.",
		"I have a rubber duck called Pip, a lamp called Bo, and an old rocking chair from the market called Mia.": "Has a rubber duck called Pip, a lamp called Bo, and an old rocking chair from the market called Mia.",
		"I've been to the Dolomites, and the Vosges.":                                                             "Has been to the Dolomites, and the Vosges.",
	} {
		if got := contents(text); !strings.Contains(got, want) {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestAClauseIsNoItemOfAList(t *testing.T) {
	for text, not := range map[string]string{
		"I usually stop at home for lunch, let the goats out and rest a bit.":  "goats",
		"I walk up to the mill, buy a roll and walk back home.":                "roll",
		"I own a small farm, and many times the children help with the goats.": "children",
		"I trained slowly, and each week I ran two miles more.":                "week",
		"I like polka, our uncle hates all noise and the pets complain.":       "polka,",
	} {
		if got := contents(text); strings.Contains(got, not) {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

func TestALongListFitsAPatternOfFewWords(t *testing.T) {
	const text, want = "I have 4 years experience working several roles including demand planning, logistics, customer service and supply planning in a large bakery.",
		"Has 4 years of experience working several roles including demand planning, logistics, customer service and supply planning in a large bakery."
	if got := contents(text); got != want {
		t.Errorf("%q gives %q, not %q", text, got, want)
	}
}
