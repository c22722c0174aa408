package chatgpt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func readFiles(t *testing.T, files ...string) *importertest.Result {
	t.Helper()
	var all []importertest.File
	for i := 0; i < len(files); i += 2 {
		all = append(all, importertest.File{Name: files[i], Data: []byte(files[i+1])})
	}
	r := format.Read(t, all...)
	format.Check(t, r)
	return r
}

func records(r *importertest.Result) (out []string) {
	for _, rec := range r.Records() {
		out = append(out, fmt.Sprintf("%s %s%s %s %s", rec.Kind, rec.Title, rec.Pointer, rec.ID, rec.Raw))
	}
	return out
}

func TestSidecarsAreRecords(t *testing.T) {
	r := readFiles(t,
		"conversations.json", "["+conv("a")+"]",
		"user.json", `{"id":"user-1","email":"mia@example.org","chatgpt_plus_user":true,"phone_number":"+100","birth_year":1990}`,
		"group_chats.json", `{"chats":[{"id":"g1","title":"Kites"}]}`, "user_settings.json", `{"theme":"dark"}`, "sora.json", `{"tasks":[]}`, "shopping.json", `[]`,
		"message_feedback.json", `[{"id":"m-id","conversation_id":"a","rating":"thumbsUp"},{"id":"x","conversation_id":"gone","rating":"thumbsDown","create_time":"2024-05-01T10:00:00Z"},{"id":"y","rating":"thumbsUp"}]`,
		"shared_conversations.json", `[{"id":"s1","conversation_id":"a","title":"T","is_anonymous":true},{"id":"s2","conversation_id":"gone","title":"Old","is_anonymous":false}]`,
		"ads.json", `{"x":1}`, "library_files.json", `[{"file_id":"file_1","file_name":"x","state":"ready"}]`, "conversation_asset_file_names.json", `[]`,
	)
	want := []string{
		`profile  user-1 {"id":"user-1","chatgpt_plus_user":true}`,
		`setting group_chats.json  {"chats":[{"id":"g1","title":"Kites"}]}`,
		`setting user_settings.json  {"theme":"dark"}`,
		`setting library_files.json  [{"file_id":"file_1","file_name":"x","state":"ready"}]`,
		`feedback /1 x {"id":"x","conversation_id":"gone","rating":"thumbsDown","create_time":"2024-05-01T10:00:00Z"}`,
		`feedback /2 y {"id":"y","rating":"thumbsUp"}`,
		`setting Old/1 s2 {"id":"s2","conversation_id":"gone","title":"Old","is_anonymous":false}`,
	}
	if got := records(r); !slices.Equal(got, want) {
		t.Errorf("records\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(want, "\n "))
	}
	if got := r.Skips(); got["personal-data-not-imported"] != 3 || got["sidecar-not-imported"] != 1 {
		t.Errorf("skips %v", got)
	}
	for _, rec := range r.Records() {
		if strings.Contains(string(rec.Raw)+rec.Text, "example.org") || strings.Contains(string(rec.Raw)+rec.Text, "+100") {
			t.Errorf("personal data in a record: %s", rec.Raw)
		}
		if rec.AccountID != "user-1" {
			t.Errorf("%s %s belongs to %q", rec.Kind, rec.ID, rec.AccountID)
		}
	}
}

func TestABrokenSidecarIsQuarantinedAlone(t *testing.T) {
	r := readFiles(t, "conversations.json", "["+conv("a")+"]", "group_chats.json", `{"chats":[{"id":nul}]}`, "sora.json", `{"x":1}`)
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Member != "group_chats.json" || len(r.Conversations()) != 1 || len(r.Records()) != 1 {
		t.Errorf("quarantined %v, %d conversations, %d records", bad, len(r.Conversations()), len(r.Records()))
	}
}

func TestCodexCloudTasksAreConversations(t *testing.T) {
	const id = "task_e_00000000000000000000000000000001"
	one := `{"id":"` + id + `","title":"Fix the kite","turns":[
		{"id":"` + id + `~usertrn_e_1","role":"user","input_items":[{"type":"message","role":"user","content":[{"content_type":"text","text":"Fix the kite test."}]}]},
		{"id":"` + id + `~assttrn_e_2","role":"assistant","branch":"codex/fix","external_pull_request_id":null,"pull_request_status":"none","turn_status":"completed",
		 "output_items":[{"type":"message","role":"assistant","content":[{"content_type":"text","text":"Fixed, see "},{"content_type":"repo_file_citation","path":"kite_test.go","line_range_start":3,"line_range_end":9},{"content_type":"text","text":"."}]}]}]}`
	for name, files := range map[string][]string{
		"a list":            {"codex.json", "[" + one + "]", "conversations.json", "[" + conv("a") + "]"},
		"a wrapper":         {"codex.json", `{"tasks":[` + one + `]}`, "conversations.json", "[" + conv("a") + "]"},
		"one by itself":     {"renamed.json", one, "conversations.json", "[" + conv("a") + "]"},
		"no conversations":  {"codex.json", "[" + one + "]"},
		"a zip in the drop": {strings.Repeat("ab", 32) + "-2026-07-29-10-11-12-" + strings.Repeat("cd", 16) + ".zip/codex.json", "[" + one + "]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := readFiles(t, files...)
			i := slices.IndexFunc(r.Conversations(), func(s *importer.Snapshot) bool { return s.Doc.Provider.ConversationID == id })
			if i < 0 {
				t.Fatalf("%d conversations, none of them the task", len(r.Conversations()))
			}
			d := r.Conversations()[i].Doc
			if d.ID != "73c6b6dd-6421-5b3e-9b5f-e48d6194f7d3" || d.Provider.ExportFormatVersion != "chatgpt-codex-cloud" || d.Title == nil || *d.Title != "Fix the kite" {
				t.Errorf("%s of %s, %v", d.ID, d.Provider.ExportFormatVersion, d.Title)
			}
			if len(d.Messages) != 2 || d.Messages[0].Role != "user" || *d.Messages[0].Content.Text != "Fix the kite test." || len(d.Messages[1].Content.Parts) != 2 {
				t.Errorf("messages %+v", d.Messages)
			}
			created, from := "1970-01-01T00:00:00Z", `"created_at_source":"none"`
			if strings.HasPrefix(name, "a zip") {
				created, from = "2026-07-29T10:11:12Z", `"created_at_source":"export_time"`
			}
			if d.Temporal.CreatedAt != created || !strings.Contains(string(d.RawMetadata), from) || !strings.Contains(string(d.RawMetadata), `"surface":"codex-cloud"`) {
				t.Errorf("created %s, %s", d.Temporal.CreatedAt, d.RawMetadata)
			}
		})
	}
}
