package fold

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// What is left of a message's source, and the notes that put it together again, go with the version
// whose body won: a hole of one version is no hole of another.
func TestTheSourceFollowsTheBody(t *testing.T) {
	text := "now it is there"
	conversation := func(content *pamio.Content, message, own string) *pamio.Conversation {
		return &pamio.Conversation{
			ID: "c", Messages: []pamio.Message{{ID: "m", Role: "user", CreatedAt: "2026-01-01T00:00:00Z", Content: content, RawMetadata: pamio.RawJSON(message)}},
			Temporal: pamio.Span{CreatedAt: "2026-01-01T00:00:00Z"}, RawMetadata: pamio.RawJSON(own),
		}
	}
	older := func() *pamio.Conversation {
		return conversation(nil, `{"source":{"text":null,"gone":1},"restore":{"except":["/model"]}}`, `{"restore":{"others":{"/list":{"0":null}}},"source":{"seen":1}}`)
	}
	newer := func() *pamio.Conversation {
		return conversation(&pamio.Content{Type: "text", Text: &text}, `{"source":{"mood":"calm"}}`, `{"source":{"starred":true}}`)
	}
	doc, _, err := Fold([]string{"1", "2"}, []*pamio.Conversation{older(), newer()})
	if err != nil {
		t.Fatal(err)
	}
	raw := string(doc.Messages[0].RawMetadata)
	if !strings.Contains(raw, `"source":{"mood":"calm"}`) || strings.Contains(raw, "restore") {
		t.Errorf("the message has %s", raw)
	}
	own := string(doc.RawMetadata)
	for _, want := range []string{`"seen":1`, `"starred":true`, `"/messages/0/raw_metadata/source"`, `"gone":1`, `"/raw_metadata/restore"`} {
		if !strings.Contains(own, want) {
			t.Errorf("%s is not in %s", want, own)
		}
	}
	if before, _, _ := strings.Cut(own, `"conflicts"`); strings.Contains(before, "restore") {
		t.Errorf("the older notes are those of the conversation: %s", own)
	}
	// The other way round the older body stays, with its source, where the newer version has none.
	doc, _, err = Fold([]string{"1", "2"}, []*pamio.Conversation{newer(), older()})
	if err != nil {
		t.Fatal(err)
	}
	if raw := string(doc.Messages[0].RawMetadata); !strings.Contains(raw, `"source":{"mood":"calm"}`) {
		t.Errorf("the message has %s", raw)
	}
}
