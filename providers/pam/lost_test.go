package pam_test

import (
	"strings"
	"testing"
)

// Two messages of one id, a parent that is not there, and empty texts: nothing of them is lost, and
// the document is valid.
func TestWhatADocumentCannotHaveIsKept(t *testing.T) {
	const message = `"role":"user","content":{"type":"text","text":"hi"},"created_at":"2026-01-01T00:00:00Z"`
	text := strings.TrimSuffix(conversation, "}") + `,"model":""},` +
		`{"id":"b",` + message + `,"parent_id":"gone","children_ids":["c","nowhere"]},` +
		`{"id":"c",` + message + `,"parent_id":"b","tool_calls":[{"name":"x","output":""}]},` + // both are kept where they are +
		`{"id":"a",` + message + `},{"id":"a~2",` + message + `},` +
		`{"id":"d",` + message + `,"attachments":[{"type":"file","mime_type":"a/b"}],"children_ids":[]}],"title":"","tags":[]}`
	r := read(t, file("conversations/c1.json", text))
	got := r.Conversations()
	if len(got) != 1 {
		t.Fatal(r.Quarantined())
	}
	var ids, kept []string
	for _, m := range got[0].Doc.Messages {
		ids = append(ids, m.ID)
		kept = append(kept, string(m.RawMetadata))
	}
	if want := "a b c a~3 a~2 d"; strings.Join(ids, " ") != want {
		t.Errorf("ids %q, want %s", ids, want)
	}
	want := []string{
		`{"unknown_members":{"/model":""}}`,
		`{"unknown_members":{"/children_ids":["c","nowhere"],"/parent_id":"gone"}}`,
		"", `{"unknown_members":{"/id":"a"}}`, "", "",
	}
	if strings.Join(kept, "\n") != strings.Join(want, "\n") {
		t.Errorf("kept %q", kept)
	}
}
