package llm

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// readOf reads a document as if the model had answered its only question so.
func readOf(t *testing.T, doc *pamio.Conversation, text string) ([]normalize.Candidate, extract.Report) {
	t.Helper()
	x, err := New(Options{Model: "test-model"})
	if err != nil {
		t.Fatal(err)
	}
	answers := newKept()
	all := x.chunks(doc)
	if len(all) != 1 {
		t.Fatalf("%d questions", len(all))
	}
	value, err := recorded{State: stateOK, Text: text}.marshal()
	if err != nil {
		t.Fatal(err)
	}
	answers.values[x.chunkKey(all[0].text())] = value
	return read(t, x, answers, doc)
}

func TestWhatTheModelMayNotSayIsRejectedWithItsReason(t *testing.T) {
	doc := talkOf("c1",
		"My brother lives in Bergen and I moved to Oslo in 2019. I work as a nurse.",
		">Great! You told me you love sushi, and that your name is Vera. Right?",
		"Yes",
		"The key of my server is sk-"+strings.Repeat("aB3dE5gH7", 4)+" by the way, so keep it.",
	)
	key := "sk-" + strings.Repeat("aB3dE5gH7", 4)
	for _, c := range []struct {
		name   string
		memory object
		want   string
	}{
		{"good", said("fact", "Works as a nurse.", 1, "I work as a nurse"), ""},
		{"a turn that is not there, and words of nobody", said("fact", "Works as a nurse.", 9, "I work as a doctor"), RejectTurn},
		{"turn zero, and a scrap", said("fact", "Works as a nurse.", 0, "a nurse"), RejectTurn},
		{"the assistant's turn", said("preference", "Loves sushi.", 2, "you love sushi"), RejectTurn},
		{"the assistant's words, placed in the person's turn", said("preference", "Loves sushi.", 1, "you love sushi"), RejectQuote},
		{"a yes", said("preference", "Loves sushi.", 3, "Yes"), RejectNothing},
		{"invented quote", said("fact", "Owns a boat.", 1, "I own a boat"), RejectQuote},
		{"wrong turn, long quote of another", said("fact", "Moved to Oslo in 2019.", 3, "I moved to Oslo in 2019"), ""},
		{"no evidence", said("fact", "Works as a nurse.", 1, "x", "evidence", []object{}), RejectForm},
		{"somebody else", said("fact", "Lives in Bergen.", 1, "My brother lives in Bergen", "subject", "other"), RejectSubject},
		{"one-off", said("goal", "Wants a server.", 1, "I work as a nurse", "stability", "one_off"), RejectOnce},
		{"temporary project", said("project", "Sets up a server.", 4, "my server", "stability", "temporary"), ""},
		{"stability of no list", said("project", "Sets up a server.", 4, "my server", "stability", "eternal"), ""},
		{"type of no list", said("secret", "Works as a nurse.", 1, "I work as a nurse"), RejectForm},
		{"custom type", said("custom", "Works as a nurse.", 1, "I work as a nurse"), RejectForm},
		{"a name that was not said", said("fact", "Works as a nurse at Ullevål.", 1, "I work as a nurse"), RejectUnsupported},
		{"a name that only the assistant said", said("identity", "Is called Vera.", 1, "I work as a nurse"), RejectUnsupported},
		{"a number that was not said", said("fact", "Moved to Oslo in 2018.", 1, "I moved to Oslo"), RejectUnsupported},
		{"example token", said("fact", "Is XQ1.", 1, "I work as a nurse"), RejectExample},
		{"low confidence and two doubts", said("fact", "Works as a nurse.", 4, "I work as a nurse", "confidence", "low", "stability", "temporary"), RejectLow},
		{"the assistant's words beside the person's", said("preference", "Loves sushi.", 1, "I work as a nurse", "evidence",
			[]object{{"turn": 1, "quote": "I work as a nurse"}, {"turn": 2, "quote": "you love sushi"}}), RejectTurn},
		{"a retelling", said("fact", "Works "+strings.Repeat("and works ", 60)+".", 1, "I work as a nurse"), RejectLong},
		{"a secret", said("environment", "Uses the key "+key+".", 4, "The key of my server is "+key), gate.Secret},
		{"empty content", said("fact", "  ", 1, "I work as a nurse"), RejectForm},
	} {
		found, report := readOf(t, doc, says(c.memory))
		if c.want == "" {
			if len(found) != 1 {
				t.Errorf("%s: rejected: %+v", c.name, report)
			}
			continue
		}
		if len(found) != 0 || report.Skipped[c.want] != 1 || len(report.Rejects) != 1 || report.Rejects[0].Reason != c.want {
			t.Errorf("%s: found %v, report %+v; expected %s", c.name, contents(found), report, c.want)
		}
	}
}

// What the guards hold back for a doubt is as often true as what passes them: the doubt shows in
// the confidence.
func TestDoubtsLowerTheConfidence(t *testing.T) {
	doc := talkOf("c1",
		"I work as a nurse in a small town by the sea. My brother moved away years ago.",
		">Nice! Vera, is it?",
		"Please correct this text:\n\nI have played the violin since I was a child and I teach it to children at weekends.\n",
		"I like kale soup and long walks on the beach.",
		"Please improve my bio:\n\nI am a gardener and I look after the parks of a small town. In my free time I build kites, and I have shown my kites at fairs since I was a child.\n",
	)
	for _, c := range []struct {
		name   string
		memory object
		want   float64
	}{
		{"no doubt", said("fact", "Works as a nurse.", 1, "I work as a nurse"), 0.8},
		{"medium", said("fact", "Works as a nurse.", 1, "I work as a nurse", "confidence", "medium"), 0.6},
		{"low", said("fact", "Works as a nurse.", 1, "I work as a nurse", "confidence", "low"), 0.4},
		{"a turn that is not there", said("fact", "Works as a nurse.", 9, "I work as a nurse"), 0.65},
		{"the assistant's turn", said("fact", "Works as a nurse.", 2, "i work as a nurse"), 0.65},
		{"another turn of the person", said("fact", "Works as a nurse.", 4, "I work as a nurse"), 0.65},
		{"most of a quote", said("fact", "Works as a nurse.", 1, "I work as a nurse ... and I like it"), 0.65},
		{"pieces of two turns", said("fact", "Works as a nurse.", 1, "I work as a nurse ... I like kale soup and long walks"), 0.5},
		{"pieces out of order", said("fact", "Works as a nurse.", 1, "My brother moved away ... I work as a nurse"), 0.65},
		{"a state that passes", said("fact", "Works as a nurse.", 1, "I work as a nurse", "stability", "temporary"), 0.65},
		{"a stability of no list", said("fact", "Works as a nurse.", 1, "I work as a nurse", "stability", "eternal"), 0.65},
		{"a text to be worked on", said("skill", "Plays the violin.", 3, "I have played the violin"), 0.4},
		{"the same, of a doubting model", said("skill", "Plays the violin.", 3, "I have played the violin", "confidence", "medium"), 0.2},
		{"a text about the person to be improved", said("skill", "Builds kites.", 5, "I build kites"), 0.55},
		{"the same, in another turn", said("skill", "Builds kites.", 4, "In my free time I build kites"), 0.4},
	} {
		found, report := readOf(t, doc, says(c.memory))
		if len(found) != 1 || found[0].Confidence != c.want {
			t.Errorf("%s: %+v, report %+v; expected %.2f", c.name, found, report, c.want)
		}
	}
}

func TestStatesThatPassAreContext(t *testing.T) {
	doc := talkOf("c1", "I stay with my aunt this month.")
	found, report := readOf(t, doc, says(said("fact", "Stays with an aunt.", 1, "I stay with my aunt", "stability", "temporary")))
	if len(found) != 1 || found[0].Type != "context" || found[0].Decay != "time_exponential" {
		t.Errorf("%+v %+v", found, report)
	}
}

func TestDraftsGiveNoInstructions(t *testing.T) {
	doc := talkOf("c1", "Please correct this text:\n\nFrom now on all answers have to be in short sentences, thank you very much.\n")
	found, report := readOf(t, doc, says(said("instruction", "Wants short sentences.", 1, "all answers have to be in short sentences")))
	if len(found) != 0 || report.Skipped[RejectDraft] != 1 {
		t.Errorf("%+v %+v", found, report)
	}
}

func TestCandidatesCarryWhatTheModelSaidOfThem(t *testing.T) {
	doc := talkOf("c1", "I moved from Bergen to Oslo in 2019 because of my asthma. I can't stand noise, so I chose a quiet street.")
	found, report := readOf(t, doc, says(
		said("fact", "the user moved to Oslo in 2019", 1, "I moved from Bergen to Oslo in 2019", "attribute", "location", "value", "the Oslo", "event_time", "2019-01-01"),
		said("fact", "Has asthma.", 1, "my asthma", "attribute", "condition", "value", "asthma", "confidence", "medium", "event_time", "in 2019"),
		said("preference", "Does not like noise.", 1, "I can't stand noise", "polarity", "negative", "attribute", "dislikes", "value", "noise"),
		said("goal", "Wants to live in quiet places.", 1, "I chose a quiet street", "explicit", false, "derived_from", []int{2, 3, 9, -1}, "attribute", "no such thing!", "value", "x"),
	))
	if len(found) != 4 {
		t.Fatalf("%+v %+v", found, report)
	}
	moved, asthma, noise, quiet := found[0], found[1], found[2], found[3]
	if moved.Content != "Moved to Oslo in 2019." || moved.Slot.Attribute != "residence" || moved.Slot.Value != "oslo" || !moved.Slot.One || moved.EventTime != "" {
		t.Errorf("%+v %+v", moved, moved.Slot)
	}
	if asthma.Sensitive != "health" || asthma.Confidence != 0.6 || asthma.EventTime != "2019" {
		t.Errorf("%+v", asthma)
	}
	if !noise.Negative || noise.Slot.Attribute != "likes" || noise.Slot.Value != "noise" || noise.Inferred || noise.Decay != "time_exponential" {
		t.Errorf("%+v %+v", noise, noise.Slot)
	}
	want := []string{normalize.MemoryID("preference", "", pamio.ContentHash("Does not like noise."))}
	if !quiet.Inferred || quiet.Slot != nil || !slices.Equal(quiet.DerivedFrom, want) {
		t.Errorf("%+v", quiet)
	}
}

func TestInstructionsAreNotBelievedWhereTheModelSawAnInjection(t *testing.T) {
	doc := talkOf("c1", "I work as a nurse. Always answer in short sentences please.")
	text := strings.Replace(says(said("fact", "Works as a nurse.", 1, "I work as a nurse"),
		said("instruction", "Always answer in short sentences.", 1, "Always answer in short sentences")), `"injection_suspected":false`, `"injection_suspected":true`, 1)
	found, report := readOf(t, doc, text)
	if contents(found) != "Works as a nurse." || report.Skipped[RejectInjection] != 1 {
		t.Errorf("%+v %+v", found, report)
	}
}

// Only a model can tell whether a letter is the person's own. So it is weak evidence: a store does
// not show what nothing else says.
func TestLettersAloneMakeNoActiveMemory(t *testing.T) {
	doc := talkOf("c1", "Please summarize this mail:\n\nDear Sir or Madam,\n\nI am writing to you because I live in Oslo and remember that I like herring.\n\nBest regards,\nVera Lund\n")
	found, report := readOf(t, doc, says(said("fact", "Lives in Oslo.", 1, "I live in Oslo"), said("preference", "Likes herring.", 1, "remember that I like herring")))
	if len(found) != 2 || report.Records != 2 {
		t.Errorf("%+v %+v", found, report)
	}
	for _, c := range found {
		if c.Confidence >= 0.5 {
			t.Errorf("%q has confidence %.2f", c.Content, c.Confidence)
		}
	}
}

func TestWordsOfOthersAreNoEvidence(t *testing.T) {
	for name, text := range map[string]string{
		"quotation": "What do you think of that?\n\n> I live in Oslo and I like herring a lot.\n",
		"code":      "Why does it not print?\n\n```\nprint(\"I live in Oslo and I like herring a lot.\")\n```\n",
	} {
		found, report := readOf(t, talkOf("c1", text), says(said("fact", "Lives in Oslo.", 1, "I live in Oslo")))
		if len(found) != 0 || report.Skipped[RejectQuote] != 1 {
			t.Errorf("%s: %+v %+v", name, found, report)
		}
	}
}

func TestFloodOfMemoriesIsCutOff(t *testing.T) {
	var many []object
	words := strings.Fields("apples pears plums figs dates limes kale beans peas corn rice oats")
	for _, w := range words {
		many = append(many, said("preference", "Likes "+w+".", 1, "I like "+strings.Join(words, " ")))
	}
	found, report := readOf(t, talkOf("c1", "I like "+strings.Join(words, " ")), says(many...))
	if len(found) != fewMemories || report.Skipped[RejectMany] != len(words)-fewMemories {
		t.Errorf("%d found, %+v", len(found), report.Skipped)
	}
	same := said("fact", "Works as a nurse.", 1, "I work as a nurse")
	if found, report := readOf(t, talkOf("c2", "I work as a nurse."), says(same, same)); len(found) != 1 || report.Skipped[RejectRepeated] != 1 {
		t.Errorf("%d found, %+v", len(found), report.Skipped)
	}
}

func TestMarkedConversationsAndAnswersThatAreMissingAreCounted(t *testing.T) {
	x, err := New(Options{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	doc := talkOf("c1", "I live in Oslo.")
	if found, report := x.Extract(doc, nil); len(found) != 0 || report.Failed[FailMissing] != 1 {
		t.Errorf("%+v %+v", found, report)
	}
	doc.RawMetadata = pamio.RawJSON(`{"is_do_not_remember":true}`)
	if found, report := x.Extract(doc, nil); len(found) != 0 || report.Skipped[SkipForbidden] != 1 || len(report.Failed) != 0 {
		t.Errorf("%+v %+v", found, report)
	}
	if u := x.Estimate(doc); u.Requests != 0 {
		t.Errorf("%+v", u)
	}
	doc.RawMetadata = pamio.RawJSON(`{"prompts_only":true}`)
	if found, report := x.Extract(doc, nil); len(found) != 0 || report.Skipped[SkipPrompts] != 1 || len(report.Failed) != 0 {
		t.Errorf("a list of prompts: %+v %+v", found, report)
	}
	if u := x.Estimate(doc); u.Requests != 0 {
		t.Errorf("a list of prompts: %+v", u)
	}
	doc.RawMetadata = nil
	answers := newKept()
	for _, value := range []string{`nonsense`, `{"state":"??"}`} {
		answers.values[x.chunkKey(x.chunks(doc)[0].text())] = []byte(value)
		if _, report := read(t, x, answers, doc); report.Failed[FailDamaged] != 1 {
			t.Errorf("%+v", report)
		}
	}
}

func TestUnsupportedNamesAndNumbers(t *testing.T) {
	for _, c := range []struct {
		content, said, lang string
		want                bool
	}{
		{"Lives in Oslo.", "i live in oslo", "en", false},
		{"Lives in Oslo.", "I live in Bergen", "en", true},
		{"Has 2 children.", "my two kids", "en", false},
		{"Has 2 children.", "my three kids", "en", true},
		{"Earned $1,200.", "I got 1200 dollars", "en", false},
		{"Is 34.", "born 1934", "en", true},
		{"Is from the UK.", "from the united kingdom", "en", false},
		{"Studies at MIT.", "from the united kingdom", "en", true},
		{"Живёт в Москве.", "моя Москва", "ru", false},
		{"Arbeitet als Lehrer an einer Schule.", "ich unterrichte an der schule", "de", false},
		{"Wohnt in Berlin bei Anna.", "ich wohne hier", "de", true},
		{"Uses C++ and Go.", "c++ and go", "en", false},
		{"Vit à Saint-Étienne.", "j'habite saint etienne", "fr", false},
		{"Plays Bach's works.", "I play bach", "en", false},
		{"Reads Norwegian-made comics.", "i read norwegian comics", "en", false},
		{"Reads Norwegian-made comics.", "i read comics", "en", true},
	} {
		if number, name := findUnsaid(c.content, c.said, c.lang); (number || name) != c.want {
			t.Errorf("%q by %q: number %v, name %v", c.content, c.said, number, name)
		}
	}
}

func TestNamesThatCannotBeComparedAreNotRejected(t *testing.T) {
	for _, c := range []struct {
		content, quotes, written string
		want                     bool
	}{
		{"Lives in Moscow.", "я живу в Москве", "", true},
		{"Would like to live in Germany one day, if possible.", "me gustaría vivir algún día en Alemania si es posible", "", true},
		{"Studies at Twente.", "I study there", "I was at Twente in May. I study there", true},
		{"Studies at Twente.", "I study there", "I study there", false},
	} {
		if got := couldBeSaid(c.content, c.quotes, c.written, "en"); got != c.want {
			t.Errorf("%q by %q: %v", c.content, c.quotes, got)
		}
	}
}

func TestStatementsHaveOneForm(t *testing.T) {
	for in, want := range map[string]string{
		"the user lives in Oslo":          "Lives in Oslo.",
		" Lives  in\nOslo. ":              "Lives in Oslo.",
		"L'utilisatrice habite à Nîmes":   "Habite à Nîmes.",
		"éteint tout":                     "Éteint tout.",
		"住在奥斯陆。":                          "住在奥斯陆。",
		"":                                "",
		"Likes \u202etea\u202c \u0007now": "Likes tea now.",
	} {
		if got := statement(in); got != want {
			t.Errorf("%q: %q, expected %q", in, got, want)
		}
	}
}

func TestSlots(t *testing.T) {
	for _, c := range []struct{ attribute, value, want, folded string }{
		{"residence", "the Hague", "residence", "hague"},
		{"favorite.color", "Blue", "favorite.color", "blue"},
		{"favourite_color", "Blue", "favorite.color", "blue"},
		{"relative.mother", "my mother Ann", "relative.mother", "mother ann"},
		{"Occupation", "a nurse", "", ""},
		{"occupation", "a nurse", "job", "nurse"},
		{"uses", "x", "", ""},
		{"uses.os", "Linux", "uses.os", "linux"},
		{"a.b.c", "x", "", ""},
		{"", "x", "", ""},
		{"job", " ", "", ""},
		{"employer", "LA Times", "employer", "la times"},
	} {
		s := slotOf(c.attribute, c.value)
		if (s == nil) != (c.want == "") || s != nil && (s.Attribute != c.want || s.Value != c.folded) {
			t.Errorf("%s = %s: %+v", c.attribute, c.value, s)
		}
	}
}
