package rules

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// assisted is a conversation with an assistant in which the person says some things.
func assisted(texts ...string) *pamio.Conversation {
	doc := &pamio.Conversation{ID: "c"}
	doc.Provider.Name = "local"
	answer := strings.Repeat("An assistant explains. ", 30)
	for i := range texts {
		doc.Messages = append(doc.Messages,
			pamio.Message{ID: "p" + strconv.Itoa(i), Role: "user", Content: &pamio.Content{Type: "text", Text: &texts[i]}},
			pamio.Message{ID: "a" + strconv.Itoa(i), Role: "assistant", Content: &pamio.Content{Type: "text", Text: &answer}})
	}
	return doc
}

func TestWhatPassesMakesNoMemory(t *testing.T) {
	for _, text := range []string{
		"I get an error.", "I get an error when I start it.", "I have a container that stops at once.", "I run it locally.", "I put them into the list.", "I write the tests now.", "I explained it to her.",
		"I'd prefer to talk about", "I want to find", "In the future cars will fly.", "I met him there.",
	} {
		if got, _ := New().Extract(assisted(text), nil); len(got) > 0 {
			t.Errorf("%q gives %s", text, list(got))
		}
	}
}

func TestWhatLastsMakesAMemory(t *testing.T) {
	for text, want := range map[string]string{
		"I run every morning.":                              "Runs every morning.",
		"I write letters every Sunday.":                     "Writes letters every Sunday.",
		"I rarely eat lamb.":                                "Rarely eats lamb.",
		"I have an aunt.":                                   "Has an aunt.",
		"i dont like jazz i want to listen to punk all day": "Does not like jazz.",
	} {
		if got, _ := New().Extract(assisted(text), nil); len(got) == 0 || got[0].Content != want {
			t.Errorf("%q gives %s, not %q", text, list(got), want)
		}
	}
}

func TestRarelyIsNoHabit(t *testing.T) {
	if a, b := value(t, "I rarely eat lamb.", "habit"), value(t, "I eat lamb.", "habit"); a == b {
		t.Errorf("both have the value %q", a)
	}
}
