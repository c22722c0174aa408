package perplexity_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/perplexity"
)

var format = importertest.Format{Importer: perplexity.New()}

func fixture(t testing.TB, name string) importertest.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return importertest.File{Name: name, Data: data}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := format.Read(t, files...)
	format.Check(t, r)
	return r
}

func TestGenerations(t *testing.T) {
	for _, c := range []struct {
		fixture, version        string
		conversations, messages int
		records                 int
	}{
		{"official.json", "official", 3, 10, 1},
		{"extension.json", "extension", 1, 4, 0},
		{"api.json", "api", 1, 4, 0},
	} {
		t.Run(c.version, func(t *testing.T) {
			r := read(t, fixture(t, c.fixture))
			n := 0
			for _, s := range r.Conversations() {
				n += len(s.Doc.Messages)
				if s.Doc.Provider.ExportFormatVersion != c.version {
					t.Errorf("version %q", s.Doc.Provider.ExportFormatVersion)
				}
			}
			if len(r.Conversations()) != c.conversations || n != c.messages || len(r.Records()) != c.records || len(r.Quarantined()) != 0 {
				t.Errorf("%d conversations, %d messages, %d records, %d quarantined", len(r.Conversations()), n, len(r.Records()), len(r.Quarantined()))
			}
			importertest.Documents(t, "testdata/"+c.version+".golden", r)
			format.Coverage(t, "testdata/"+c.version+"-coverage.golden", r)
			format.Mutate(t, r, 100)
		})
	}
}

func TestAnEntryIsAQuestionAndAnAnswer(t *testing.T) {
	doc := read(t, fixture(t, "official.json")).Conversations()[0].Doc
	m := doc.Messages
	if m[0].Role != "user" || m[1].Role != "assistant" || !strings.HasSuffix(m[0].ID, ":query") || m[1].ID != strings.TrimSuffix(m[0].ID, ":query")+":answer" {
		t.Errorf("ids and roles: %s %s, %s %s", m[0].ID, m[0].Role, m[1].ID, m[1].Role)
	}
	if m[0].CreatedAt != "2026-01-02T10:00:00.123456Z" || m[1].CreatedAt != m[0].CreatedAt || m[2].ParentID != m[1].ID {
		t.Errorf("times or links: %+v", m)
	}
	if strings.Contains(string(m[0].RawMetadata), "created_at_source") {
		t.Error("the time of a question is called another's")
	}
}

func TestFailedEntriesAreKeptAndCounted(t *testing.T) {
	got := read(t, fixture(t, "official.json")).Conversations()
	if s := got[1]; len(s.Doc.Messages) != 3 || s.Anomalies["incomplete_answer"] != 1 || s.Anomalies["unanswered"] != 1 || s.Anomalies["unknown_key"] != 1 {
		t.Errorf("%d messages, %v", len(s.Doc.Messages), s.Anomalies)
	}
	if s := got[2]; len(s.Doc.Messages) != 3 || s.Doc.Messages[2].Content != nil || s.Anomalies["unreadable_time"] != 1 {
		t.Errorf("%d messages, %v", len(s.Doc.Messages), s.Anomalies)
	}
}

func TestAnswersOfTheApplication(t *testing.T) {
	doc := read(t, fixture(t, "api.json")).Conversations()[0].Doc
	if doc.Title == nil || *doc.Title != "A small river" || doc.Provider.ConversationID != "22222222-0000-4000-8000-000000000001" {
		t.Errorf("title or id: %+v", doc.Provider)
	}
	m := doc.Messages
	if *m[1].Content.Text == "Not this one." || len(m[1].Citations) != 1 || m[1].Model != "pplx_pro" || *m[3].Content.Text != "Two pieces." {
		t.Errorf("answers: %+v, %+v", m[1], m[3])
	}
}

func TestCitationsHaveWebAddresses(t *testing.T) {
	m := read(t, fixture(t, "extension.json")).Conversations()[0].Doc.Messages
	if c := m[1].Citations; len(c) != 2 || c[0].Title != "A page" || c[1].URL != "https://example.org/b" {
		t.Errorf("%+v", c)
	}
}

func TestDamagedExports(t *testing.T) {
	var root struct{ Conversations json.RawMessage }
	if err := json.Unmarshal(fixture(t, "official.json").Data, &root); err != nil {
		t.Fatal(err)
	}
	format.Damage(t, []importertest.File{{Name: "list.json", Data: root.Conversations}}, 0, importertest.JSONDamages()...)

	whole := string(fixture(t, "official.json").Data)
	r := read(t, importertest.File{Name: "x.json", Data: []byte(strings.Replace(whole, `"conversations": [`, `"conversations": [null,{"a":[1]},`, 1))})
	if len(r.Conversations()) != 3 || len(r.Quarantined()) != 2 || len(r.Records()) != 1 {
		t.Errorf("%d conversations, %d quarantined", len(r.Conversations()), len(r.Quarantined()))
	}
	last := strings.LastIndex(whole, "{\n   \"context_uuid\"")
	r = read(t, importertest.File{Name: "x.json", Data: []byte(whole[:last] + `{"a":[,` + whole[last:])})
	if len(r.Conversations()) != 3 || len(r.Quarantined()) == 0 {
		t.Errorf("brackets that do not balance: %d conversations, %d quarantined", len(r.Conversations()), len(r.Quarantined()))
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	for _, name := range []string{"official.json", "extension.json", "api.json"} {
		doc := read(t, fixture(t, name)).Conversations()[0].Doc
		question, answer := "Another question", "Another answer"
		doc.Messages[0].Content.Text, doc.Messages[1].Content.Text = &question, &answer
		out, err := perplexity.New().Restore(nil, doc)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), `"Another question"`) || !strings.Contains(string(out), `"Another answer"`) {
			t.Errorf("%s: restored %s", name, out)
		}
	}
}

func TestIDsNeverChange(t *testing.T) {
	for _, c := range []struct{ in, id string }{
		{`{"conversations":[{"context_uuid":"c-1","entries":[]}]}`, "328860aa-0961-578e-8983-be45e9dc3023"},
		{`{"metadata":{"thread_id":"c-1"},"conversations":[{"query":"x"}]}`, "328860aa-0961-578e-8983-be45e9dc3023"},
		{`{"entries":[{"context_uuid":"c-1","query_str":"x"}]}`, "328860aa-0961-578e-8983-be45e9dc3023"},
		{`{"entries":[{"thread_url_slug":"slug","query_str":"x"}]}`, "0f97e070-c398-5bf3-a033-f750c832e34f"},
		{`{"thread_metadata":{"thread_title":"a"},"entries":[{"uuid":"u-1","query_str":"x","entry_created_datetime":"2025-10-01T10:00:00"}]}`, "10e98140-b3f0-5d42-bf61-823d65374433"},
		{`{"thread_metadata":{"thread_title":"b"},"entries":[{"uuid":"u-1","query_str":"x","entry_created_datetime":"2025-10-01T10:00:00"},{"query_str":"y"}]}`, "10e98140-b3f0-5d42-bf61-823d65374433"},
		{`{"entries":[{"query_str":null}]}`, "08875221-ac13-5683-af27-d150b2273168"},
	} {
		r := read(t, importertest.File{Name: "x.json", Data: []byte(c.in)})
		if got := r.Conversations()[0].Doc.ID; got != c.id {
			t.Errorf("%s: %s, was %s", c.in, got, c.id)
		}
	}
}

func TestRestoreOfARowHasNoInverse(t *testing.T) {
	doc := &pamio.Conversation{Provider: pamio.Provider{Name: "perplexity", ExportFormatVersion: "gdpr-xlsx"}}
	if _, err := perplexity.New().Restore(nil, doc); !errors.Is(err, importer.ErrNoInverse) {
		t.Error(err)
	}
	doc.Provider.ExportFormatVersion = "none"
	if _, err := perplexity.New().Restore(nil, doc); err == nil || errors.Is(err, importer.ErrNoInverse) {
		t.Error(err)
	}
}

func TestOtherFormatsAreNotClaimed(t *testing.T) {
	for _, in := range []string{
		`{"conversations":[{"conversation":{"id":"1"},"responses":[]}]}`,
		`{"conversations":[]}`,
		`{"conversations":[{"query":"x","answer":"y"}]}`,
		`{"entries":[{"title":"x","blocks":[{"type":"paragraph"}]}]}`,
		`[{"mapping":{}}]`,
	} {
		if r := format.Read(t, importertest.File{Name: "conversations.json", Data: []byte(in)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzThread(f *testing.F) {
	for i, name := range []string{"official.json", "extension.json", "api.json"} {
		f.Add(uint8(i), fixture(f, name).Data)
	}
	f.Add(uint8(0), []byte(`{"context_uuid":"c","entries":[{"entry_uuid":"e","query":"q","answer":"a"},null]}`))
	f.Fuzz(func(t *testing.T, role uint8, raw []byte) {
		format.Fuzz(t, importer.Unit{Role: []string{"official", "extension", "api"}[role%3]}, raw)
	})
}
