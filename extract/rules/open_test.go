package rules

import (
	"slices"
	"strings"
	"testing"
)

// told are the contents of what one statement gives among others, in a conversation with an
// assistant.
func told(text string, others ...string) []string {
	got, _ := New().Extract(assisted(append(slices.Clone(others), text)...), nil)
	var all []string
	for i := range got {
		all = append(all, got[i].Content)
	}
	return all
}

var (
	orders = []string{"Write a poem about harbors.", "Rewrite the second verse.", "Translate it into Dutch."}
	topics = []string{"Which boats have two masts?", "And three?", "What does the mizzen do?", "Why is it so short?"}
	life   = []string{"I grew tired of the city.", "My days are quiet now.", "I sleep a lot better."}
)

func TestAmongOrdersOnlyWhatLastsIsTold(t *testing.T) {
	for text, want := range map[string]string{
		"I have a kayak.":                     "Has a kayak.",
		"I have a rash every winter.":         "Has a rash every winter.",
		"I drive a bus every weekend.":        "Drives a bus every weekend.",
		"I have seventeen harbor names.":      "",
		"I pick two rhymes.":                  "",
		"I have a loose line in the refrain.": "",
	} {
		if got := strings.Join(told(text, orders...), " "); got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestWhoTalksOfSomethingElseTellsOnlyWhatLasts(t *testing.T) {
	const text = "I have nine masts on screen."
	if got := told(text, topics...); len(got) > 0 {
		t.Errorf("in a talk about ships it gives %q", got)
	}
	if got := told(text, life...); len(got) == 0 {
		t.Error("in a talk about a life it gives nothing")
	}
}

func TestAShoutIsNoName(t *testing.T) {
	for text, name := range map[string]string{
		"I'm EXHAUSTED":       "",
		"I'm Benedikt":        "Name is Benedikt.",
		"MY NAME IS BENEDIKT": "Name is BENEDIKT.",
	} {
		got := slices.DeleteFunc(told(text, life...), func(c string) bool { return !strings.HasPrefix(c, "Name") })
		if strings.Join(got, " ") != name {
			t.Errorf("%q gives %q, not %q", text, got, name)
		}
	}
}

func TestAnEmployerIsToldAmongOrders(t *testing.T) {
	if got := told("I joined Nordwind in 2019.", orders...); !slices.Contains(got, "Joined Nordwind in 2019.") {
		t.Errorf("it gives %q", got)
	}
}

func TestAQuotedDraftInASeriesIsNotThePersons(t *testing.T) {
	const order = "Improve the grammar and the style of my text:\n"
	answer := func(text string) string { return order + "“" + text + "”" }
	text := answer("I have three brothers and I live in a fishing village, where I learn to sail. I love the sea, and my father is a baker who sings.")
	others := []string{answer("My mother paints."), answer("I have no car."), answer("I sing in a choir.")}
	if got := told(text, others...); len(got) > 0 {
		t.Errorf("in a series it gives %q", got)
	}
	if got := told(text); !slices.Contains(got, "Has three brothers.") {
		t.Errorf("alone it gives %q", got)
	}
	if got := told(strings.NewReplacer("“", "", "”", "").Replace(text), others...); len(got) == 0 {
		t.Error("without quotation marks it gives nothing")
	}
}

func TestAClauseBehindARelativeHasItsOwnSubject(t *testing.T) {
	if got := told("I want to study, since they look for professors who earned a second degree."); slices.Contains(got, "Earned a second degree.") {
		t.Errorf("it gives %q", got)
	}
}

func TestWhatIsQuotedAmongOrdersIsOfTheText(t *testing.T) {
	if got := told(`I don't like "serene" and "haven".`, orders...); len(got) > 0 {
		t.Errorf("it gives %q", got)
	}
}

func TestAFigureIsNoName(t *testing.T) {
	for text, others := range map[string][]string{
		"The thing is that I am Mister Crane": {"Mister Crane fights with a ladder.", "Who would win?"},
		"I am 'BB'.":                          nil,
	} {
		if got := told(text, others...); slices.ContainsFunc(got, func(c string) bool { return strings.HasPrefix(c, "Name") }) {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

func TestACorrectionIsOfWhatWasJustSaid(t *testing.T) {
	later := []string{"I live in Ghent.", "What grows there?", "A sheet has dates in dollars."}
	if got := told("However, it should be formatted as yen.", later...); !slices.Contains(got, "Lives in Ghent.") || slices.Contains(got, "Lives in Formatted.") {
		t.Errorf("it gives %q", got)
	}
}

func TestASingleOrderMakesNoTaskOfAChatAboutALife(t *testing.T) {
	const text, want = "I repaired two canoes.", "Repaired two canoes."
	if got := told(text, append(slices.Clone(life), "Recommend a novel.")...); !slices.Contains(got, want) {
		t.Errorf("beside a single order it gives %q", got)
	}
	if got := told(text, append(slices.Clone(life), orders...)...); slices.Contains(got, want) {
		t.Error("it gives the same among orders")
	}
}

func TestWhoGivesNoOrderIsPersonalWithFewerWordsOfTheFirstPerson(t *testing.T) {
	const text = "I have nine masts on screen."
	if got := told(text, "The city was loud.", "And so far away.", "Days are quiet now."); len(got) == 0 {
		t.Error("in a talk without orders it gives nothing")
	}
}
