package extract

import (
	"testing"

	"github.com/pamline/pamline/pamio"
)

func TestPromptsAreNoTalk(t *testing.T) {
	say := func(role, text string) pamio.Message {
		return pamio.Message{ID: role + text, Role: role, Content: &pamio.Content{Type: "text", Text: &text}}
	}
	picture := pamio.Message{ID: "p", Role: "assistant", Content: &pamio.Content{Type: "multipart", Parts: []pamio.Part{{Type: "image", Ref: "assets/1.png"}}}}
	attached := pamio.Message{ID: "q", Role: "tool", Attachments: []pamio.Attachment{{Type: "image", Name: "a.png"}}}
	for _, c := range []struct {
		name, raw string
		messages  []pamio.Message
		want      bool
	}{
		{"a talk", "", []pamio.Message{say("user", "a barn owl"), say("assistant", "What about it?")}, false},
		{"an unanswered message", "", []pamio.Message{say("user", "I live in Lund.")}, false},
		{"pictures alone", "", []pamio.Message{say("user", "my horse in oil"), picture, say("user", "larger"), attached}, true},
		{"a picture with words", "", []pamio.Message{say("user", "my horse in oil"), picture, say("assistant", "Here it is.")}, false},
		{"marked by the importer", `{"prompts_only":true}`, []pamio.Message{say("user", "a barn owl")}, true},
		{"marked as no such list", `{"prompts_only":false}`, []pamio.Message{say("user", "I live in Lund.")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := &pamio.Conversation{ID: "c", RawMetadata: pamio.RawJSON(c.raw), Messages: c.messages}
			if got := PromptsOnly(doc); got != c.want {
				t.Errorf("got %t", got)
			}
			turns, _ := Turns(doc)
			for i := range turns {
				if turns[i].Own == c.want && turns[i].Role == "user" {
					t.Errorf("the turn %q is evidence: %t", turns[i].Text, turns[i].Own)
				}
			}
		})
	}
}
