package grok_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/grok"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: grok.New()}

const folder = "ttl/30d/export_data/5bc8fbbc-bde5-4099-8164-d8399f767c45/"

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func file(t testing.TB, name string) importertest.File {
	return importertest.File{Name: "prod-grok-backend.json", Data: fixture(t, name)}
}

// list is the list of conversations of a fixture, alone.
func list(t testing.TB, name string) []byte {
	t.Helper()
	var root struct{ Conversations json.RawMessage }
	if err := json.Unmarshal(fixture(t, name), &root); err != nil {
		t.Fatal(err)
	}
	return root.Conversations
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := format.Read(t, files...)
	format.Check(t, r)
	return r
}

func archive(t testing.TB) []importertest.File {
	return []importertest.File{
		{Name: folder + "prod-mc-auth-mgmt-api.json", Data: []byte(`{"user":{"email":"x@example.com"},"sessions":[{"ip":"192.0.2.1"}]}`)},
		{Name: folder + "prod-mc-billing.json", Data: []byte(`{"balance_map":{}}`)},
		{Name: folder + "prod-mc-asset-server/4bfc8983-9d13-45f5-960c-117eb54146ec/content", Data: []byte(`[{"conversation":{},"responses":[]}]`)},
		{Name: folder + "prod-mc-asset-server/76dec5ce-06d0-4b90-87a5-65a4bb34e707/content", Data: []byte("\x89PNG\r\n\x1a\n")},
		{Name: folder + "prod-mc-asset-server/beb9722b-ae87-4b6f-9c6d-13a1598a2ea5/content", Data: []byte("\xff\xd8\xff\xe0")},
		{Name: folder + "5bc8fbbc-bde5-4099-8164-d8399f767c45-profile-picture.webp", Data: []byte("RIFF")},
		{Name: folder + "renamed (1).json", Data: fixture(t, "2026.json")},
		{Name: folder + "notes.json", Data: []byte(`{"notes":[{"a":1}]}`)},
	}
}

func TestWholeArchive(t *testing.T) {
	r := read(t, archive(t)...)
	if c, n := len(r.Conversations()), len(r.Quarantined()); c != 4 || n != 0 {
		t.Fatalf("%d conversations, %d quarantined", c, n)
	}
	if len(r.Claim.Members) != 7 {
		t.Errorf("%d members are claimed, want all but the notes", len(r.Claim.Members))
	}
	if s := r.Skips(); s["account-sessions"] != 1 || s["billing"] != 1 || s["empty-lists"] != 1 {
		t.Errorf("skips: %v", s)
	}
	importertest.Documents(t, "testdata/2026.golden", r)
	format.Coverage(t, "testdata/2026-coverage.golden", r)
}

func TestAccountFilesAreNeverRead(t *testing.T) {
	for _, u := range read(t, archive(t)...).Units {
		for _, i := range u.Items {
			if i.Record != nil && strings.Contains(string(i.Record.Raw), "192.0.2.1") {
				t.Error("a record holds a session")
			}
		}
		if strings.Contains(string(u.Raw), "192.0.2.1") || strings.Contains(string(u.Raw), "example.com\"") {
			t.Errorf("the unit of role %q holds a session", u.Role)
		}
	}
	r := format.Read(t, archive(t)[:2]...)
	if len(r.Claim.Members) != 0 || len(r.Claim.Refused) != 2 {
		t.Errorf("without conversations: %d claimed, %d refused", len(r.Claim.Members), len(r.Claim.Refused))
	}
}

func TestGenerations(t *testing.T) {
	for _, c := range []struct {
		fixture, version string
		conversations    int
		messages         int
	}{
		{"2025-06.json", "2025-06", 3, 15},
		{"minimal.json", "2026-minimal", 3, 12},
		{"flat.json", "nameless-flat-minimal", 3, 5},
		{"empty.json", "", 0, 0},
	} {
		t.Run(c.fixture, func(t *testing.T) {
			r := read(t, file(t, c.fixture))
			got := r.Conversations()
			if len(got) != c.conversations || len(r.Quarantined()) != 0 {
				t.Fatalf("%d conversations, %d quarantined", len(got), len(r.Quarantined()))
			}
			n := 0
			for _, s := range got {
				n += len(s.Doc.Messages)
			}
			if n != c.messages {
				t.Errorf("%d messages, want %d", n, c.messages)
			}
			if len(got) > 0 && got[0].Doc.Provider.ExportFormatVersion != c.version {
				t.Errorf("format version %q", got[0].Doc.Provider.ExportFormatVersion)
			}
			importertest.Documents(t, "testdata/"+strings.TrimSuffix(c.fixture, ".json")+".golden", r)
			if len(got) > 0 {
				format.Coverage(t, "testdata/"+strings.TrimSuffix(c.fixture, ".json")+"-coverage.golden", r)
				format.Mutate(t, r, 100)
			}
		})
	}
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, format.Read(t, archive(t)...), 100)
}

func TestEmptyExportIsRecognized(t *testing.T) {
	r := read(t, file(t, "empty.json"))
	if s := r.Skips(); s["empty-export"] != 1 || len(r.Units) != 1 {
		t.Errorf("%d units, skips %v", len(r.Units), s)
	}
}

func TestOneConversationAsRoot(t *testing.T) {
	var all []json.RawMessage
	if err := json.Unmarshal(list(t, "2025-06.json"), &all); err != nil {
		t.Fatal(err)
	}
	if r := read(t, importertest.File{Name: "x.json", Data: all[0]}); len(r.Conversations()) != 1 {
		t.Errorf("%d conversations", len(r.Conversations()))
	}
}

func TestDamagedExports(t *testing.T) {
	for _, name := range []string{"2025-06.json", "minimal.json"} {
		t.Run(name, func(t *testing.T) {
			format.Damage(t, []importertest.File{{Name: "list.json", Data: list(t, name)}}, 0, importertest.JSONDamages()...)
		})
	}
}

func TestDamageInsideTheRootObjectSparesTheRest(t *testing.T) {
	whole := fixture(t, "2026.json")
	cut := whole[:strings.LastIndex(string(whole), `"conversation": {`)]
	r := read(t, importertest.File{Name: "prod-grok-backend.json", Data: cut})
	if len(r.Conversations()) != 3 || len(r.Quarantined()) != 1 {
		t.Errorf("%d conversations, %d quarantined", len(r.Conversations()), len(r.Quarantined()))
	}
	null := strings.Replace(string(whole), `"projects": [`, `"projects": [null, 7,`, 1)
	r = read(t, importertest.File{Name: "prod-grok-backend.json", Data: []byte(null)})
	if len(r.Conversations()) != 4 || len(r.Quarantined()) != 2 || len(r.Records()) != 6 {
		t.Errorf("%d conversations, %d quarantined, %d records", len(r.Conversations()), len(r.Quarantined()), len(r.Records()))
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	doc := read(t, file(t, "2025-06.json")).Conversations()[0].Doc
	title, text := "Another title", "Another text"
	doc.Title = &title
	doc.Messages[0].Content.Text = &text
	for i := range doc.Messages {
		if doc.Messages[i].IsThought {
			doc.Messages[i].Content.Text = &text
		}
	}
	out, err := grok.New().Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Conversation struct{ Title string }
		Responses    []struct {
			Response struct {
				Message  string
				Thinking *string `json:"thinking_trace"`
			}
		}
	}
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if back.Conversation.Title != title || back.Responses[0].Response.Message != text || *back.Responses[3].Response.Thinking != text {
		t.Errorf("restored: %+v", back)
	}
}

// Case 51 of the reference SDK's failures: ids were cut to eight characters and collided.
func TestRecordsKeepTheirWholeIDs(t *testing.T) {
	ids := map[string]int{}
	kinds := map[string]int{}
	pointers := map[string]bool{}
	for _, r := range read(t, archive(t)...).Records() {
		ids[r.ID]++
		kinds[r.Kind]++
		pointers[r.Pointer] = true
	}
	if ids["0197b0fe-90c6-7000-8000-000000000001"] != 2 || ids["0197b0fe-90c6-7000-8000-000000000002"] != 1 || ids["0197b0fe-90c6-7000-8000-000000000003"] != 1 {
		t.Errorf("ids: %v", ids)
	}
	if kinds[importer.RecordProject] != 2 || kinds[importer.RecordInstruction] != 1 || kinds[importer.RecordSetting] != 3 {
		t.Errorf("kinds: %v", kinds)
	}
	for _, p := range []string{"/projects/0", "/projects/0/custom_instructions", "/projects/1", "/tasks/0", "/media_posts/0", "/media_generations/0"} {
		if !pointers[p] {
			t.Errorf("no record at %s", p)
		}
	}
}

func TestIDsNeverChange(t *testing.T) {
	for _, c := range []struct{ in, id string }{
		{`{"conversation":{"id":"c-1"},"responses":[]}`, "d2ff4d85-5a0c-52b6-a2b8-14da1d8bba12"},
		{`{"conversation":{"id":"c-1","conversation_id":"c-2"},"responses":[]}`, "4c8c4b04-55ed-5bef-93b9-b689fadc23c5"},
		{`{"conversation":null,"responses":[{"response":{"conversation_id":"c-3","message":"x"}}]}`, "dfbd04db-0b38-5bc4-8aa1-acccd178381d"},
		{`{"conversation":{"title":"Old","create_time":"2026-08-01T10:00:00Z"},"responses":[{"sender":"human","message":"x","create_time":"2026-08-01T10:00:01Z"}]}`, "c47d1ccb-272a-5a41-96cc-c6f948abc138"},
		{`{"conversation":{"title":"New","create_time":"2026-08-01T10:00:00Z"},"responses":[{"sender":"human","message":"x","create_time":"2026-08-01T10:00:01Z"},{"sender":"grok","message":"y"}]}`, "c47d1ccb-272a-5a41-96cc-c6f948abc138"},
		{`{"conversation":{},"responses":[]}`, "ae9cb1f5-0869-5041-8779-c10d8ace4bb4"},
	} {
		r := read(t, importertest.File{Name: "x.json", Data: []byte("[" + c.in + "]")})
		if got := r.Conversations()[0].Doc.ID; got != c.id {
			t.Errorf("%s: %s, was %s", c.in, got, c.id)
		}
	}
}

func TestOtherFormatsAreNotClaimed(t *testing.T) {
	for name, in := range map[string]string{
		"conversations with messages":        `{"conversations":[{"id":"1","messages":[{"role":"user"}]}]}`,
		"a Perplexity export":                `{"conversations":[{"context_uuid":"1","entries":[{"query":"x"}]}]}`,
		"lists of a program with other ones": `{"projects":[{"id":1}],"tasks":[{"id":2}]}`,
		"a ChatGPT export":                   `[{"mapping":{},"title":"x"}]`,
		"nothing":                            `{}`,
	} {
		r := format.Read(t, importertest.File{Name: "conversations.json", Data: []byte(in)})
		if len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", name)
		}
	}
}

func TestExportsOfEveryShapeAreClaimed(t *testing.T) {
	for in, units := range map[string]int{
		`{"projects":[{"id":"p"}],"tasks":[],"conversations":[{"responses":[{"response":{"sender":"human"}}],"conversation":{"id":"c"}}]}`: 2,
		`{"conversations":[{"conversation":null,"responses":[]}]}`:                                                                         1,
		`{"media_posts":[],"media_generations":[],"conversations":[]}`:                                                                     1,
		`[{"conversation":{"id":"c"},"responses":null}]`:                                                                                   1,
		`{"responses":[{"sender":"human","message":"x"}],"conversation":{"id":"c"}}`:                                                       1,
		"\xef\xbb\xbf" + `{"conversations":[{"conversation":{"id":"c"},"responses":[]}],"projects":null}`:                                  2,
	} {
		r := read(t, importertest.File{Name: "any name", Data: []byte(in)})
		if len(r.Claim.Members) != 1 || len(r.Units) != units || len(r.Quarantined()) != 0 {
			t.Errorf("%s: %d members, %d units, %d quarantined", in, len(r.Claim.Members), len(r.Units), len(r.Quarantined()))
		}
	}
}

func TestRealExportOf2025(t *testing.T) {
	r := format.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "grok", "real-2025-06"))...)
	format.Check(t, r)
	for _, s := range r.Conversations() {
		if len(s.Anomalies) != 0 || s.Doc.Provider.ExportFormatVersion != "2025-06" {
			t.Errorf("version %s, anomalies %v", s.Doc.Provider.ExportFormatVersion, s.Anomalies)
		}
	}
	format.Mutate(t, r, 30)
	t.Logf("%d conversations", len(r.Conversations()))
}

func TestFlatExportOfAnotherProgram(t *testing.T) {
	r := format.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "grok", "flat"))...)
	format.Check(t, r)
	if got := r.Conversations(); len(got) != 1 || len(got[0].Doc.Messages) != 2 {
		t.Errorf("%d conversations", len(got))
	}
}

func FuzzConversation(f *testing.F) {
	for _, name := range []string{"2025-06.json", "minimal.json", "2026.json"} {
		var all []json.RawMessage
		if err := json.Unmarshal(list(f, name), &all); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(all[0]))
	}
	f.Add([]byte(`{"conversation":null,"responses":[{"sender":null,"card_attachments_json":["{"]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "conversations"}, raw) })
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"id":"p","custom_instructions":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "project"}, raw) })
}
