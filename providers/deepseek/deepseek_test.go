package deepseek_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/deepseek"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: deepseek.New()}

func fixture(t testing.TB, name string) importertest.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return importertest.File{Name: "conversations.json", Data: data}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := format.Read(t, files...)
	format.Check(t, r)
	return r
}

var user = importertest.File{Name: "user.json", Data: []byte(`{"user_id":"u-1","email":"a@example.com","mobile":null,"oauth_profiles":[]}`)}

func TestGenerations(t *testing.T) {
	for _, c := range []struct {
		fixture, version        string
		conversations, messages int
	}{
		{"fragments.json", "fragments", 3, 18},
		{"content.json", "content", 3, 6},
		{"create-time.json", "fragments-create-time", 1, 5},
	} {
		t.Run(c.fixture, func(t *testing.T) {
			r := read(t, fixture(t, c.fixture), user)
			got := r.Conversations()
			n := 0
			for _, s := range got {
				n += len(s.Doc.Messages)
				if s.Doc.Provider.AccountID != "u-1" || s.Doc.Provider.ExportFormatVersion != c.version {
					t.Errorf("account %q, version %q", s.Doc.Provider.AccountID, s.Doc.Provider.ExportFormatVersion)
				}
			}
			if len(got) != c.conversations || n != c.messages || len(r.Quarantined()) != 0 || len(r.Records()) != 1 {
				t.Errorf("%d conversations, %d messages, %d quarantined, %d records", len(got), n, len(r.Quarantined()), len(r.Records()))
			}
			base := "testdata/" + strings.TrimSuffix(c.fixture, ".json")
			importertest.Documents(t, base+".golden", r)
			format.Coverage(t, base+"-coverage.golden", r)
			format.Mutate(t, r, 100)
		})
	}
}

func TestDamagedExports(t *testing.T) {
	for _, name := range []string{"fragments.json", "content.json"} {
		t.Run(name, func(t *testing.T) {
			format.Damage(t, []importertest.File{fixture(t, name)}, 0, importertest.JSONDamages()...)
		})
	}
}

func byID(doc *pamio.Conversation) map[string]*pamio.Message {
	out := map[string]*pamio.Message{}
	for i := range doc.Messages {
		out[doc.Messages[i].ID] = &doc.Messages[i]
	}
	return out
}

func TestSeveralChildrenAreBranches(t *testing.T) {
	doc := read(t, fixture(t, "fragments.json")).Conversations()[1].Doc
	m := byID(doc)
	if got := strings.Join(m["1"].ChildrenIDs, " "); got != "2#0 3" {
		t.Errorf("children of the first message: %s", got)
	}
	if m["1"].ParentID != "" || m["5"].ParentID != "" {
		t.Error("first messages have a parent")
	}
	if m["2#0"].Role != "assistant" || !m["2#0"].IsThought || m["2"].ParentID != "2#0" || m["2"].IsThought {
		t.Errorf("thought and answer: %+v, %+v", *m["2#0"], *m["2"])
	}
	if !m["6"].IsThought {
		t.Error("an answer that was stopped while thinking is no thought")
	}
	if len(m["3"].Content.Parts) != 2 {
		t.Error("fragments of one type that follow each other are not one message")
	}
	if a := m["1"].Attachments; len(a) != 1 || a[0].Name != "plan.pdf" || *a[0].SizeBytes != 12345 || a[0].Ref != "" {
		t.Errorf("attachments: %+v", a)
	}
}

func TestUnknownFragmentsAreNeverThePersons(t *testing.T) {
	s := read(t, fixture(t, "fragments.json")).Conversations()[2]
	m := byID(s.Doc)
	if m["2#0"].Role != "system" || m["2#2"].Role != "system" || s.Anomalies["unknown_fragment"] != 2 || s.Anomalies[importer.AnomalyUnknownVariant] != 1 {
		t.Errorf("anomalies: %v", s.Anomalies)
	}
	if m["3"] == nil || m["3"].Content != nil || m["3"].Role != "assistant" {
		t.Error("a message without fragments is gone or has text")
	}
}

func TestTimesAreUTC(t *testing.T) {
	doc := read(t, fixture(t, "create-time.json")).Conversations()[0].Doc
	if doc.Temporal.CreatedAt != "2024-12-31T02:30:00Z" || doc.Temporal.UpdatedAt != "2024-12-31T08:15:00Z" || !doc.IsArchived {
		t.Errorf("%+v, archived %v", doc.Temporal, doc.IsArchived)
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	doc := read(t, fixture(t, "fragments.json")).Conversations()[0].Doc
	title, text := "Another title", "Another text"
	doc.Title = &title
	m := byID(doc)
	m["2"].Content.Text, m["2#0"].Content.Text = &text, &text
	out, err := deepseek.New().Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Title   string
		Mapping map[string]struct {
			Message *struct{ Fragments []struct{ Content string } }
		}
	}
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	f := back.Mapping["2"].Message.Fragments
	if back.Title != title || f[0].Content != text || f[1].Content != text {
		t.Errorf("restored: %s", out)
	}
}

func TestIDsNeverChange(t *testing.T) {
	for _, c := range []struct{ in, id string }{
		{`{"id":"c-1","conversation_id":"c-2","inserted_at":"x","mapping":{}}`, "66f1b01e-8214-5566-a331-f1ba49564db5"},
		{`{"conversation_id":"c-2","inserted_at":"x","mapping":{}}`, "4cfd2345-3729-575e-8c86-277983ef02d7"},
		{`{"title":"a","inserted_at":"2025-01-01T00:00:00+08:00","mapping":{"root":{},"1":{"message":{"role":"user","content":"x"}}}}`, "e7b0af4d-d7c4-5039-9180-5ae6359e195b"},
		{`{"title":"b","inserted_at":"2025-01-01T00:00:00+08:00","mapping":{"root":{},"1":{"message":{"content":"x","role":"user"}},"2":{"message":{}}}}`, "e7b0af4d-d7c4-5039-9180-5ae6359e195b"},
		{`{"mapping":{"root":{}}}`, "8a9be964-c271-5f65-a357-c204da433e5f"},
	} {
		r := read(t, importertest.File{Name: "x.json", Data: []byte("[" + c.in + "]")})
		if got := r.Conversations()[0].Doc.ID; got != c.id {
			t.Errorf("%s: %s, was %s", c.in, got, c.id)
		}
	}
}

func TestOnlyExactMarksAreClaimed(t *testing.T) {
	for in, want := range map[string]int{
		`[{"title":"x","create_time":1.5,"mapping":{"a":{"id":"a","message":{"content":{"parts":[]}},"parent":null,"children":[]}}}]`: 0, // ChatGPT
		`[{"mapping":{"client-created-root":{"message":null}}}]`:                                                                      0,
		`[{"mapping":{"root":{"message":null},"a":{"message":{"author":{"role":"user"},"content":{"parts":["x"]}}}}}]`:                0,
		`{"fragments":[{"type":"REQUEST"}]}`:                  0,
		`[{"mapping":{"1":{"message":{"fragments":[]}}}}]`:    1,
		`[{"mapping":{"1":{"message":{"inserted_at":"x"}}}}]`: 1,
		`[{"mapping":{"root":{"message":null}}}]`:             1,
		`[{"inserted_at":"x","mapping":{}}]`:                  1,
		`{"inserted_at":"x","mapping":{}}`:                    1,
		`[{"inserted_at":"x","title":"no tree"}]`:             0,
	} {
		r := format.Read(t, importertest.File{Name: "x.json", Data: []byte(in)})
		if len(r.Claim.Members) != want {
			t.Errorf("%s: %d members claimed, want %d", in, len(r.Claim.Members), want)
		}
	}
}

func TestAccountsOfOthersAreNotClaimed(t *testing.T) {
	if r := format.Read(t, user); len(r.Claim.Members) != 0 {
		t.Error("an account without conversations is claimed")
	}
	r := read(t, fixture(t, "content.json"), importertest.File{Name: "other/user.json", Data: user.Data}, importertest.File{Name: "user.json", Data: []byte("{\"user_id\":\"u\",\"email\":")})
	if len(r.Claim.Members) != 2 || len(r.Quarantined()) != 1 || len(r.Conversations()) != 3 {
		t.Errorf("%d claimed, %d quarantined", len(r.Claim.Members), len(r.Quarantined()))
	}
}

func TestSampleOfAnotherProgram(t *testing.T) {
	r := format.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "deepseek"))...)
	format.Check(t, r)
	got := r.Conversations()
	if len(got) != 1 || len(got[0].Doc.Messages) != 7 || len(got[0].Anomalies) != 0 {
		t.Fatalf("%d conversations", len(got))
	}
	format.Mutate(t, r, 50)
}

func FuzzConversation(f *testing.F) {
	for _, name := range []string{"fragments.json", "content.json"} {
		var all []json.RawMessage
		if err := json.Unmarshal(fixture(f, name).Data, &all); err != nil {
			f.Fatal(err)
		}
		for _, c := range all {
			f.Add([]byte(c))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "conversations"}, raw) })
}
