package extract

import (
	"testing"

	"github.com/pamline/pamline/pamio"
)

func TestOnlyWhatThePersonWroteIsTheirOwnTurn(t *testing.T) {
	text := "I live in Turku."
	for raw, want := range map[string]bool{
		``: true, `{"content":{"content_type":"text"}}`: true, `{"metadata":{"is_visually_hidden_from_conversation":false}}`: true,
		`{"metadata":{"is_visually_hidden_from_conversation":true}}`: false, `{"metadata":{"is_user_system_message":true}}`: false,
		`{"content":{"content_type":"user_editable_context"}}`: false, `{"content":{"content_type":"tether_quote"}}`: false,
		`{"content":{"content_type":"execution_output"}}`: false, `{"isMeta":true}`: false, `{"note":"tether_quote"}`: true,
	} {
		doc := &pamio.Conversation{Messages: []pamio.Message{{ID: "a", Role: "user", Content: &pamio.Content{Type: "text", Text: &text}, RawMetadata: pamio.RawJSON(raw)}}}
		turns, forbidden := Turns(doc)
		if forbidden || len(turns) != 1 || turns[0].Own != want {
			t.Errorf("%s: %+v, %v", raw, turns, forbidden)
		}
	}
}

func TestTurnsHaveTheirTimeAndWhatIsNoProse(t *testing.T) {
	prose, code := "Look at this", "I live in Turku"
	doc := &pamio.Conversation{Temporal: pamio.Span{CreatedAt: "2025-01-01T00:00:00Z"}, Messages: []pamio.Message{
		{ID: "a", Role: "user", CreatedAt: "1970-01-01T00:00:00Z", Content: &pamio.Content{Type: "multipart", Parts: []pamio.Part{{Type: "text", Text: &prose}, {Type: "image"}, {Type: "code", Text: &code}}}},
		{ID: "b", Role: "assistant", CreatedAt: "2025-01-02T00:00:00Z", Content: &pamio.Content{Type: "text", Text: &code}},
		{ID: "c", Role: "user"},
	}}
	turns, _ := Turns(doc)
	if len(turns) != 2 || turns[0].ObservedAt != "2025-01-01T00:00:00Z" || turns[1].ObservedAt != "2025-01-02T00:00:00Z" || turns[1].Own {
		t.Fatalf("%+v", turns)
	}
	if s := turns[0].Opaque; len(s) != 1 || turns[0].Text[s[0].Start:s[0].End] != code {
		t.Errorf("%+v", turns[0])
	}
	doc.RawMetadata = pamio.RawJSON(`{"is_do_not_remember":true}`)
	if turns, forbidden := Turns(doc); len(turns) != 0 || !forbidden {
		t.Errorf("%+v, %v", turns, forbidden)
	}
}
