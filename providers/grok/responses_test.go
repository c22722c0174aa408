package grok_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// item is a list with one conversation made of responses.
func item(responses string) importertest.File {
	return importertest.File{Name: "x.json", Data: []byte(`[{"conversation":{"id":"c"},"responses":[` + responses + `]}]`)}
}

func response(id, parent, sender, when string) string {
	return `{"response":{"_id":"` + id + `","message":"` + id + `","sender":` + sender + `,"parent_response_id":` + parent + `,"create_time":` + when + `}}`
}

// Case 49 of the reference SDK's failures: a relaxed $date became the time of the import, one
// without $numberLong 1970.
func TestTimesOfEveryForm(t *testing.T) {
	for when, want := range map[string]string{
		`{"$date":{"$numberLong":"1700000000123"}}`: "2023-11-14T22:13:20.123000Z",
		`{"$date":1700000000000}`:                   "2023-11-14T22:13:20Z",
		`{"$date":"2023-11-14T22:13:20Z"}`:          "2023-11-14T22:13:20Z",
		`1700000000`:                                "2023-11-14T22:13:20Z",
		`1700000000000`:                             "2023-11-14T22:13:20Z",
		`"2023-11-14T23:13:20+01:00"`:               "2023-11-14T22:13:20Z",
	} {
		r := read(t, item(response("a", "null", `"human"`, when)))
		if got := r.Conversations()[0].Doc.Messages[0].CreatedAt; got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	r := read(t, item(response("a", "null", `"human"`, `{"$date":{}}`)))
	s := r.Conversations()[0]
	if s.Doc.Messages[0].CreatedAt != "1970-01-01T00:00:00Z" || s.Anomalies["unreadable_time"] != 1 || s.Newest != "" || !strings.Contains(string(s.Doc.Messages[0].RawMetadata), `"created_at_source":"none"`) {
		t.Errorf("a malformed time: %+v, %v", s.Doc.Messages[0], s.Anomalies)
	}
}

// Case 50 of the reference SDK's failures: a null sender, workspace_id, media time as BSON, or
// conversation ended the import.
func TestNullsWhereTextsShouldBe(t *testing.T) {
	r := read(t, importertest.File{Name: "x.json", Data: []byte(`{"conversations":[{"conversation":null,"responses":[` + response("a", "null", "null", "null") + `]}],
		"projects":[{"id":"p","workspace_id":null,"name":null,"custom_instructions":null}],"tasks":[],
		"media_posts":[{"id":"m","create_time":{"$date":{"$numberLong":"1700000000000"}}}]}`)})
	s := r.Conversations()[0]
	if s.Doc.Messages[0].Role != "assistant" || s.Anomalies["no_sender"] != 1 {
		t.Errorf("a message without sender: %s, %v", s.Doc.Messages[0].Role, s.Anomalies)
	}
	records := r.Records()
	if len(records) != 2 || len(r.Quarantined()) != 0 || records[1].CreatedAt != "2023-11-14T22:13:20Z" {
		t.Errorf("%d records, %d quarantined", len(records), len(r.Quarantined()))
	}
}

// Case 52 of the reference SDK's failures: a parent that is not in the conversation was kept as a
// dangling link.
func TestMissingParentsFallBackToTheResponseBefore(t *testing.T) {
	r := read(t, item(response("a", "null", `"human"`, "1700000000")+","+response("b", `"a"`, `"ASSISTANT"`, "1700000001")+","+
		response("c", `"gone"`, `"human"`, "1700000002")+","+response("d", "null", `"ASSISTANT"`, "1700000003")+","+response("e", "null", `"user"`, "1700000004")))
	s := r.Conversations()[0]
	want := map[string]string{"a": "", "b": "a", "c": "b", "d": "c", "e": ""}
	for _, m := range s.Doc.Messages {
		if m.ParentID != want[m.ID] {
			t.Errorf("parent of %s: %q, want %q", m.ID, m.ParentID, want[m.ID])
		}
	}
	if s.Anomalies["linear_fallback"] != 2 {
		t.Errorf("anomalies: %v", s.Anomalies)
	}
}

func TestSendersOfEveryGeneration(t *testing.T) {
	for sender, want := range map[string]string{"human": "user", "Human": "user", "user": "user", "assistant": "assistant", "ASSISTANT": "assistant", "grok": "assistant", "grok-4-heavy": "assistant"} {
		r := read(t, item(response("a", "null", `"`+sender+`"`, "1700000000")))
		if got := r.Conversations()[0].Doc.Messages[0].Role; got != want {
			t.Errorf("%s: %s, want %s", sender, got, want)
		}
	}
}

func TestFilesOfResponses(t *testing.T) {
	r := read(t, archive(t)...)
	refs, missing := 0, 0
	for _, s := range r.Conversations() {
		missing += s.Anomalies[importer.AnomalyAssetMissing]
		for _, m := range s.Doc.Messages {
			for _, a := range m.Attachments {
				if a.Ref != "" {
					refs++
				}
			}
		}
	}
	if refs != 3 || missing != 2 {
		t.Errorf("%d files are there and %d are missing, want 3 and 2", refs, missing)
	}
}
