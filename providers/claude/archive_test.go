package claude_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/claude"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

const oneChat = `[{"uuid":"c1","name":"","created_at":"2026-01-02T03:04:05.678901Z","updated_at":"2026-01-02T03:04:05.678901Z","chat_messages":[{"uuid":"m1","sender":"human","text":"Hello","created_at":"2026-01-02T03:04:05.678901Z","updated_at":"2026-01-02T03:04:05.678901Z"}]}]`

// categories are the archives of an export of August 2026, by name, and their manifest.
func categories(t *testing.T) map[string][]importertest.File {
	t.Helper()
	return map[string][]importertest.File{
		"conversations-000.zip":  {text("conversations.json", oneChat)},
		"conversations-001.zip":  {text("conversations.json", strings.ReplaceAll(oneChat, "c1", "c2"))},
		"projects-000.zip":       {text("projects/p1.json", `{"uuid":"p1","name":"Bakery","description":"d","prompt_template":"","docs":[]}`)},
		"memories-000.zip":       {text("memories/aaaaaaaa-0000-4000-8000-000000000099.json", `{"conversations_memory":"Bakes.","project_memories":{}}`)},
		"light_metadata-000.zip": {text("users.json", `[{"uuid":"u1","full_name":"Somebody","email_address":"a@example.com"}]`), text("login_history.json", `[{"ip":"192.0.2.1"}]`)},
		"frames-000.zip": {
			text("artifacts/f1/artifact.json", `{"id":"f1","kind":"html","visibility":"private","versions":[{"id":"v1","title":"t"}],"owner_account":"u1","active_version":1}`),
			text("artifacts/f1/artifact_comments.json", `{"threads":[{"comments":[]}]}`),
			text("artifacts/f1/versions/1.html", "<html>a page</html>"),
		},
		"design_chats-000.zip": {text("design_chats/d1.json", `{"uuid":"d1","title":"t","created_at":"2026-08-01T12:00:00Z","project":{"uuid":"p1","name":"Bakery"},"messages":[]}`)},
		"feedback-000.zip":     {text("reflections/r1.json", `{"uuid":"r1"}`)},
	}
}

func manifest(names ...string) importertest.File {
	var list []string
	for _, n := range names {
		category, _, _ := strings.Cut(n, "-")
		list = append(list, `{"batch_index":0,"export_url":"https://once.example/x","category":"`+category+`","part":0,"filename":"`+n+`"}`)
	}
	return text("manifest-1.json", `{"version":"1.0","total_files":1,"data_files":[`+strings.Join(list, ",")+`]}`)
}

func names(all map[string][]importertest.File) []string {
	var out []string
	for n := range all {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func TestAnArchiveForEachCategory(t *testing.T) {
	all := categories(t)
	packed := map[string]func() *importertest.Result{
		"zips in one zip": func() *importertest.Result {
			files := []importertest.File{manifest(names(all)...)}
			for _, n := range names(all) {
				files = append(files, importertest.File{Name: "all/" + n, Data: importertest.Pack(t, all[n]...)})
			}
			return read(t, files...)
		},
		"unpacked folders": func() *importertest.Result {
			files := []importertest.File{manifest(names(all)...)}
			for _, n := range names(all) {
				for _, f := range all[n] {
					files = append(files, importertest.File{Name: strings.TrimSuffix(n, ".zip") + "/" + f.Name, Data: f.Data})
				}
			}
			return read(t, files...)
		},
		"side by side": func() *importertest.Result {
			parts := [][]byte{importertest.Pack(t, manifest(names(all)...))}
			for _, n := range names(all) {
				parts = append(parts, importertest.Pack(t, all[n]...))
			}
			return importertest.ReadParts(t, claude.New(), importer.Limits{}, parts...)
		},
	}
	for name, open := range packed {
		t.Run(name, func(t *testing.T) {
			r := open()
			format.Check(t, r)
			if len(r.Conversations()) != 3 || len(r.Records()) != 3 || len(r.Quarantined()) != 0 {
				t.Errorf("%d conversations, %d records, quarantined %v", len(r.Conversations()), len(r.Records()), r.Quarantined())
			}
			skips := r.Skips()
			for _, code := range []string{"manifest", "artifact", "artifact-comments", "login-history", "reflections"} {
				if skips[code] != 1 {
					t.Errorf("skip %s: %d, want 1", code, skips[code])
				}
			}
			if skips["missing-part"] != 0 {
				t.Errorf("%d parts are called missing", skips["missing-part"])
			}
			assets := 0
			for _, m := range r.Claim.Members {
				if m.Role == importer.RoleAsset {
					assets++
				}
			}
			if assets != 1 {
				t.Errorf("%d pages are copied, want 1", assets)
			}
			for _, c := range r.Conversations() {
				if c.Doc.Provider.AccountID != "u1" {
					t.Errorf("the account of a conversation is %q, want that of users.json", c.Doc.Provider.AccountID)
				}
				if strings.Contains(string(c.Doc.AppendJSON(nil)), "a@example.com") {
					t.Error("the e-mail address is in a document")
				}
			}
			for _, rec := range r.Records() {
				if rec.Kind == importer.RecordMemory && rec.AccountID != "aaaaaaaa-0000-4000-8000-000000000099" {
					t.Errorf("the account of a memory is %q, want that of its file's name", rec.AccountID)
				}
				if rec.Text == "" || strings.Contains(rec.Text, "@") {
					t.Errorf("the text of a %s record is %q", rec.Kind, rec.Text)
				}
			}
		})
	}
}

func TestPartsThatTheManifestListsAreMissed(t *testing.T) {
	all := categories(t)
	listed := manifest(names(all)...)
	gone := map[string]bool{"conversations-001.zip": true, "memories-000.zip": true}
	inside := []importertest.File{listed}
	beside := [][]byte{importertest.Pack(t, listed)}
	for _, n := range names(all) {
		if gone[n] {
			continue
		}
		inside = append(inside, importertest.File{Name: n, Data: importertest.Pack(t, all[n]...)})
		beside = append(beside, importertest.Pack(t, all[n]...))
	}
	for name, r := range map[string]*importertest.Result{
		"inside": read(t, inside...),
		"beside": importertest.ReadParts(t, claude.New(), importer.Limits{}, beside...),
		"alone":  read(t, listed),
	} {
		want := 2
		if name == "alone" {
			want = len(all)
		}
		if got := r.Skips()["missing-part"]; got != want {
			t.Errorf("%s: %d parts are missed, want %d", name, got, want)
		}
		last := r.Units[len(r.Units)-1].Items[0].Skip
		if !strings.Contains(last.Reason, "conversations-001.zip") || !strings.Contains(last.Reason, "memories-000.zip") || strings.Contains(last.Reason, "once.example") {
			t.Errorf("%s: the reason is %q", name, last.Reason)
		}
	}
}

func TestPartsOfAnExportAndRepeatedArchives(t *testing.T) {
	first := importertest.Pack(t, text("conversations.json", oneChat))
	second := importertest.Pack(t, text("conversations.json", strings.ReplaceAll(oneChat, "Hello", "Hello again")))
	r := importertest.ReadParts(t, claude.New(), importer.Limits{}, first, second)
	format.Check(t, r)
	if len(r.Conversations()) != 2 || r.Conversations()[0].Doc.ID != r.Conversations()[1].Doc.ID {
		t.Errorf("the two snapshots of one conversation are not both there under one id")
	}
}

func TestMembersWithoutAMarkAreClaimedOnlyInCompany(t *testing.T) {
	odd := []importertest.File{
		text("login_history.json", `[{"ip":"192.0.2.1"}]`), text("memories.json", `["Likes tea.","",{"uuid":"x","content":"Has a dog."},null]`),
		text("memories/x.json", `{"text":"t","created_at":"2026-01-02T03:04:05Z"}`), text("foreign.json", `{"a":1}`), text("reflections/x.txt", "no JSON"),
	}
	if r := read(t, odd...); len(r.Claim.Members) != 0 {
		t.Errorf("%d members are claimed without company", len(r.Claim.Members))
	}
	r := read(t, append(odd, text("conversations.json", oneChat))...)
	format.Check(t, r)
	var claimed []string
	for _, m := range r.Claim.Members {
		claimed = append(claimed, m.Member.Name)
	}
	if want := "login_history.json memories.json memories/x.json conversations.json"; strings.Join(claimed, " ") != want {
		t.Errorf("claimed %q, want %q", claimed, want)
	}
	var texts []string
	for _, rec := range r.Records() {
		texts = append(texts, rec.Pointer+" "+rec.ID+" "+rec.Text)
	}
	if want := "/0  Likes tea.|/1  |/2 x Has a dog.|  t"; strings.Join(texts, "|") != want {
		t.Errorf("records %q, want %q", strings.Join(texts, "|"), want)
	}
	if len(r.Quarantined()) != 1 {
		t.Errorf("quarantined %v, want the null alone", r.Quarantined())
	}
}

func TestConversationsInAnObjectWithOtherLists(t *testing.T) {
	r := read(t, text("dump.json", `{"users":[{"id":1}],"conversations":`+oneChat+`,"n":1}`))
	format.Check(t, r)
	if len(r.Conversations()) != 1 || len(r.Records()) != 1 || string(r.Records()[0].Raw) != `{"users":[{"id":1}],"n":1}` {
		t.Errorf("%d conversations, records %+v, quarantined %v", len(r.Conversations()), r.Records(), r.Quarantined())
	}
}

func TestLookalikesAreNotClaimed(t *testing.T) {
	for name, data := range map[string]string{
		"a ChatGPT export":        `[{"id":"x","title":"t","mapping":{"a":{"message":null}},"current_node":"a"}]`,
		"both marks":              `[{"uuid":"x","mapping":{"a":{}},"chat_messages":[]}]`,
		"Open WebUI":              `[{"id":"1","user_id":"u","chat":{"history":{"messages":{}}}}]`,
		"a browser capture":       `{"polylogue_capture_kind":"browser_llm_session","raw_provider_payload":{"chat_messages":[]}}`,
		"a log of Claude Code":    `{"type":"user","uuid":"x","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}` + "\n" + `{"type":"assistant","uuid":"y","message":{"content":[]}}`,
		"a list of projects":      `[{"uuid":"x","name":"of something else"}]`,
		"people":                  `[{"uuid":"x","full_name":"Somebody"}]`,
		"messages of another app": `[{"uuid":"x","messages":[{"role":"user","content":"hi"}]}]`,
		"nothing":                 `[]`,
		"text":                    `chat_messages`,
	} {
		if r := read(t, text("conversations.json", data)); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed as %s", name, r.Claim.Members[0].Role)
		}
	}
	for reason, data := range map[string]string{
		"settings of Claude Desktop": `{"mcpServers":{"a":{"command":"x"}}}`,
		"without their messages":     `[{"uuid":"x","name":"n","model":null,"current_leaf_message_uuid":"y","settings":{}}]`,
	} {
		r := read(t, text("x.json", data))
		if len(r.Claim.Members) != 0 || len(r.Claim.Refused) != 1 || !strings.Contains(r.Claim.Refused[0].Reason, reason) {
			t.Errorf("%s: %+v", reason, r.Claim)
		}
	}
}

func TestADamagedMemberOfKnownNameIsReported(t *testing.T) {
	packed := importertest.Pack(t, text("users.json", `[{"uuid":"u1","full_name":"S","email_address":"e"}]`), text("projects.json", strings.Repeat(`[{"uuid":"p1","name":"Bakery","docs":[]}]`, 40)))
	i := strings.LastIndex(string(packed[:len(packed)-300]), "projects.json") + len("projects.json")
	for k := range 12 {
		packed[i+k+2] ^= 0xFF
	}
	r := importertest.ReadParts(t, claude.New(), importer.Limits{}, packed)
	if len(r.Quarantined()) == 0 {
		t.Errorf("the damaged file is not reported; claimed %d members", len(r.Claim.Members))
	}
}

func TestAnElementOverTheLimitIsQuarantinedAlone(t *testing.T) {
	big := strings.Replace(oneChat, "Hello", strings.Repeat("x", 5000), 1)
	r := importertest.Read(t, claude.New(), importer.Limits{MaxConversation: 1000}, text("conversations.json", "["+oneChat[1:len(oneChat)-1]+","+big[1:len(big)-1]+","+strings.ReplaceAll(oneChat, "c1", "c3")[1:]))
	if len(r.Conversations()) != 2 || len(r.Quarantined()) != 1 || r.Quarantined()[0].Code != "too_big" {
		t.Errorf("%d conversations, quarantined %v", len(r.Conversations()), r.Quarantined())
	}
}

// What has the name of a part of the export and is noise is reported, not passed over as somebody
// else's file.
func TestNoiseUnderTheNamesOfTheExportIsQuarantined(t *testing.T) {
	r := read(t, append(own(t, "users.json"), text("conversations.json", "\x00\x9f\xfe noise \xff"), text("memories.json", "\x01"), text("notes.json", "\x01"))...)
	var bad []string
	for _, q := range r.Quarantined() {
		bad = append(bad, q.Member)
	}
	if want := []string{"conversations.json", "memories.json"}; !slices.Equal(slices.Compact(bad), want) {
		t.Errorf("quarantined units of %v, want %v", bad, want)
	}
	if n := len(r.Records()); n != 1 {
		t.Errorf("%d records, want the account", n)
	}
}
