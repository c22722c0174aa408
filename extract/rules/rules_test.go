package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// talked is a conversation of turns, the person's first.
func talked(turns ...string) *pamio.Conversation {
	doc := &pamio.Conversation{ID: "c"}
	doc.Provider.Name, doc.Provider.AccountID = "local", "acc"
	for i, text := range turns {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		doc.Messages = append(doc.Messages, pamio.Message{ID: fmt.Sprint(i), Role: role, CreatedAt: "2024-05-01T10:00:00Z",
			Content: &pamio.Content{Type: "text", Text: &text}})
	}
	return doc
}

// spansHold checks that every quote is what stands at its span of a message of the person.
func spansHold(t *testing.T, doc *pamio.Conversation, all []normalize.Candidate) {
	t.Helper()
	for i := range all {
		e := all[i].Evidence[0]
		for j := range doc.Messages {
			if m := &doc.Messages[j]; m.ID == e.Message {
				text := []rune(m.PlainText())
				if m.Role != "user" || e.End > len(text) || e.Start >= e.End || string(text[e.Start:e.End]) != e.Quote {
					t.Fatalf("evidence %+v is not in message %s of the %s: %q", e, m.ID, m.Role, m.PlainText())
				}
			}
		}
	}
}

func TestACandidateSaysWhereItWasSaid(t *testing.T) {
	doc := talked("Ünïcode 🦄 first. Well, I live in Zürich, and I don't eat meat!")
	got, _ := New().Extract(doc, nil)
	spansHold(t, doc, got)
	want := []normalize.Candidate{
		{Type: "identity", Content: "Lives in Zürich.", Slot: &normalize.Slot{Attribute: "residence", Value: "zurich", One: true}},
		{Type: "fact", Content: "Does not eat meat.", Slot: &normalize.Slot{Attribute: "diet", Value: "meat"}, Negative: true},
	}
	if len(got) != len(want) {
		t.Fatalf("found %s", list(got))
	}
	for i, w := range want {
		g := got[i]
		if g.Type != w.Type || g.Content != w.Content || !reflect.DeepEqual(g.Slot, w.Slot) || g.Negative != w.Negative || g.Language != "en" ||
			g.Method != "explicit_user_input" || g.Extractor != New().Version() || g.Platform != "local" {
			t.Errorf("candidate %d is %+v", i, g)
		}
		if e := g.Evidence[0]; e.Conversation != "c" || e.Message != "0" || e.ObservedAt != "2024-05-01T10:00:00Z" || e.AccountID != "acc" {
			t.Errorf("evidence %d is %+v", i, e)
		}
	}
}

func TestOnlyWhatThePersonSaysOfThemselvesIsKept(t *testing.T) {
	for text, code := range map[string]string{
		"If I live in Berlin I need a bike.":           "",
		"If all goes well, I live in Berlin then.":     "hypothetical",
		"Imagine I live in Berlin, what would I need?": "",
		"He said, I live in Berlin now.":               "reported",
		"Should I say I live in Berlin?":               "",
		"I live in Berlin?":                            "question",
		"I own one.":                                   "vague",
		"I love it so much.":                           "",
		"My brother says hi.":                          "",
	} {
		got, report := New().Extract(talked(text), nil)
		for i := range got {
			if got[i].Type != "relationship" {
				t.Errorf("%q gives %s", text, list(got))
			}
		}
		if code != "" && report.Skipped[code] == 0 {
			t.Errorf("%q was passed over for %v, not as %s", text, report.Skipped, code)
		}
	}
}

func TestTheAssistantIsNoEvidence(t *testing.T) {
	got, _ := New().Extract(talked("Thanks!", "I live in Berlin and I love pizza. You live in Rome.", "You are welcome."), nil)
	if len(got) > 0 {
		t.Errorf("found %s", list(got))
	}
}

func TestAConversationNotToBeRemembered(t *testing.T) {
	doc := talked("I live in Berlin.")
	doc.RawMetadata = []byte(`{"is_do_not_remember":true}`)
	if got, report := New().Extract(doc, nil); len(got) > 0 || report.Skipped["do_not_remember"] != 1 {
		t.Errorf("found %s, passed over %v", list(got), report.Skipped)
	}
}

func TestMakeBelieveIsNoIdentity(t *testing.T) {
	got, _ := New().Extract(talked("Let's role-play: you are a dragon and I am a knight.", "Roar!", "I live in a castle and I love horses."), nil)
	if len(got) > 0 {
		t.Errorf("found %s", list(got))
	}
}

func TestThreeWordingsMeet(t *testing.T) {
	for want, said := range map[string][]string{
		"Lives in Berlin.":  {"I live in Berlin.", "i'm based in Berlin", "Well, my home is in Berlin!"},
		"Likes jazz.":       {"I like jazz.", "i’m really into jazz", "Im a fan of jazz"},
		"Name is Ada.":      {"My name is Ada.", "hi, my name's Ada", "I go by Ada"},
		"Is vegetarian.":    {"I'm a vegetarian.", "i am vegetarian", "Im a strict vegetarian"},
		"Works as a nurse.": {"I work as a nurse.", "I'm a nurse", "my profession is a nurse"},
	} {
		for _, s := range said {
			if got, _ := New().Extract(talked(s), nil); len(got) != 1 || got[0].Content != want {
				t.Errorf("%q gives %s, not %q", s, list(got), want)
			}
		}
	}
}

func TestARetractionNamesWhatItTakesBack(t *testing.T) {
	before, _ := New().Extract(talked("I live in Rome."), nil)
	after, _ := New().Extract(talked("I no longer live in Rome."), nil)
	if len(before) != 1 || len(after) != 1 || after[0].Act != normalize.ActRetract ||
		!slices.Equal(after[0].Ends, []normalize.Ending{{Attribute: before[0].Slot.Attribute, Value: before[0].Slot.Value}}) {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestOppositesHaveOneSlot(t *testing.T) {
	yes, _ := New().Extract(talked("I love mushrooms."), nil)
	no, _ := New().Extract(talked("I hate mushrooms."), nil)
	if len(yes) != 1 || len(no) != 1 || *yes[0].Slot != *no[0].Slot || yes[0].Negative || !no[0].Negative {
		t.Errorf("%+v and %+v", yes, no)
	}
}

func TestAFleetingAnswerStyleIsNoInstruction(t *testing.T) {
	for _, text := range []string{"Answer in morse code.", "Now reply only with emojis", "Use bullet points for this text."} {
		got, _ := New().Extract(talked(text), nil)
		for i := range got {
			if got[i].Type == "instruction" {
				t.Errorf("%q gives %s", text, list(got))
			}
		}
	}
	got, _ := New().Extract(talked("From now on always answer in English."), nil)
	if len(got) != 1 || got[0].Type != "instruction" {
		t.Errorf("found %s", list(got))
	}
}

func TestASecretIsHeldBack(t *testing.T) {
	secret := "My name is " + "sk-" + strings.Repeat("aB3d", 8)
	got, report := New().Extract(talked(secret, "", "remember that the password is "+"hunter"+"2abc!"), nil)
	for i := range got {
		if strings.Contains(got[i].Content, "aB3d") || strings.Contains(got[i].Content, "hunter") {
			t.Errorf("kept %s", got[i].Content)
		}
	}
	if len(report.Rejects) == 0 {
		t.Errorf("nothing was rejected: %v", report.Skipped)
	}
}

func TestAMentionCountsOnceInATalkWithAnAssistant(t *testing.T) {
	answer := strings.Repeat("A long answer of an assistant. ", 30)
	got, _ := New().Extract(talked("What can I cook for my wife?", answer, "And a dessert that my wife likes?", answer), nil)
	if len(got) != 1 || got[0].Content != "Has a wife." {
		t.Errorf("found %s", list(got))
	}
}

func TestTheSameConversationGivesTheSame(t *testing.T) {
	doc := chatter(7, 64<<10)
	want, wantReport := New().Extract(doc, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, report := New().Extract(doc, nil)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(report, wantReport) {
				t.Error("another run gives something else")
			}
		})
	}
	wg.Wait()
	spansHold(t, doc, want[:0])
	if len(want) == 0 {
		t.Error("nothing was found")
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"I live in Berlin, Germany, and I’m 34. My wife's name is Eve; she likes \"old\" cars.", "J'habite à Lyon et j'ai deux chiens…",
		"remember that i like i like i like", "My favorite color is, well, blue!?", "i i i my my and and or or", "\xff\xfe I live in \xc3\x28 now",
		"Vivo en Madrid\r\n\r\n- tengo 30 años", "Ich heiße Jörg\u0308 und wohne in Köln.", "I e\u0301 am a \u200b nurse", "``` I live ``` > I like x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		doc := talked(text)
		got, _ := New().Extract(doc, nil)
		spansHold(t, doc, got)
		if len(got) > 4*maxStatements {
			t.Errorf("%d candidates of one message", len(got))
		}
		for i := range got {
			if got[i].Content == "" || !strings.HasSuffix(got[i].Content, ".") || strings.ContainsAny(got[i].Content, "\n\r") {
				t.Errorf("content %q", got[i].Content)
			}
		}
	})
}
