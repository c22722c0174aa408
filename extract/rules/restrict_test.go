package rules

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

// contents joins what a message gives.
func contents(text string) string {
	got, _ := New().Extract(said(text), nil)
	var all []string
	for i := range got {
		all = append(all, got[i].Content)
	}
	return strings.Join(all, " ")
}

func TestWhatRestrictsAStatementBelongsToIt(t *testing.T) {
	for text, want := range map[string]string{
		"I hate board games that take longer than an hour.":  "Hates board games that take longer than an hour.",
		"I like beer when it comes from a small brewery.":    "Likes beer when it comes from a small brewery.",
		"I prefer trains except on holidays.":                "Prefers trains except on holidays.",
		"I avoid desserts unless they contain dark berries.": "Avoids desserts unless they contain dark berries.",
		"I like birds, especially owls.":                     "Likes birds, especially owls.",
		"I prefer small, quiet offices.":                     "Prefers small, quiet offices.",
		"I live in a bright, narrow house.":                  "Lives in a bright, narrow house.",
		// A name is the whole value, whatever is said of it.
		"I live in Lund, working from home.": "Lives in Lund.",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestAStatementIsNotCutBeforeItsLimit(t *testing.T) {
	for _, text := range []string{"I am vegan unless my aunt cooks.", "I'm vegan except at weddings.", "I'm retired whenever it suits me."} {
		if got := contents(text); strings.Contains(got, "vegan.") || strings.Contains(got, "retired.") {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

func TestBothHalvesOfACompoundAreKept(t *testing.T) {
	for text, want := range map[string]string{
		"I'm a vegetarian and allergic to lupins.":        "Is vegetarian. Is allergic to lupins.",
		"I am divorced and a nurse.":                      "Is divorced. Works as a nurse.",
		"I'm retired and live in Lund.":                   "Is retired. Lives in Lund.",
		"I'm fond of sea birds and old maps.":             "Likes sea birds and old maps.",
		"I'm from Peru but fluent in Swedish and German.": "Is from Peru. Speaks Swedish. Speaks German.",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestABareNounPhraseStatesNothing(t *testing.T) {
	for _, text := range []string{"A cat, watercolor", "two dogs on a beach", "a boy with a kite, oil on canvas", "one horse"} {
		if got := contents(text); got != "" {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

func TestThingsToldInARowAreToldOneByOne(t *testing.T) {
	for text, want := range map[string]string{
		"I speak Danish, Dutch and German.": "Speaks Danish. Speaks Dutch. Speaks German.",
		"I have a dog and a cat.":           "Has a dog. Has a cat.",
		"I have a dog and a garden gnome.":  "Has a dog.",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestTheSettingIsThatOfThePerson(t *testing.T) {
	answer := strings.Repeat("A long answer of an assistant. ", 20)
	for _, c := range []struct {
		name     string
		messages []string
		want     setting
	}{
		{"brief on both sides", []string{"I sold my boat.", "Why?", "It leaked."}, setting{talk: true, personal: true}},
		{"a person with an assistant", []string{"I sold my boat.", answer, "It leaked."}, setting{talk: true, personal: true}},
		{"orders", []string{"Write a poem about boats.", answer, "I sold my boat."}, setting{personal: true}},
		{"long texts of the person", []string{answer, "Yes."}, setting{personal: true}},
		{"a talk about something", []string{"Who built it?", answer, "I see.", "Sure.", "And the mast?"}, setting{talk: true}},
		{"a talk", []string{"I sold my boat.", "Why?", "It leaked.", "Oh.", "I am sad.", "I see.", "I had it for years."}, setting{talk: true, personal: true, chat: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var turns []extract.Turn
			for i, text := range c.messages {
				turn := extract.Turn{Role: "assistant", Text: text}
				if i%2 == 0 {
					turn.Role, turn.Own = "user", true
				}
				turns = append(turns, turn)
			}
			if got := (&reader{}).settingOf(turns); got != c.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestWhatIsJoinedToADenialIsDenied(t *testing.T) {
	for text, want := range map[string]string{
		"I am not spiritual or religious.":     "Is not spiritual or religious.",
		"I don't drink coffee or smoke pipes.": "Does not drink coffee or smoke pipes.",
	} {
		if got := contents(text); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}
