package codex_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/codex"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: codex.New()}

// folder is the program's folder with everything that it may hold.
func folder(t testing.TB) []importertest.File {
	t.Helper()
	day := ".codex/sessions/2026/05/18/"
	return []importertest.File{
		importertest.Fixture(t, day+"rollout-2026-05-18T15-00-00-019e3b3f-0000-7cb3-aaab-000000000001.jsonl", "envelope.jsonl"),
		importertest.Fixture(t, day+"b.jsonl", "envelope-events-only.jsonl"),
		importertest.Fixture(t, day+"c.jsonl", "lines.jsonl"),
		importertest.Fixture(t, ".codex/archived_sessions/rollout-2025-07-02T08-30-00-0197b0fe-0000-4000-8000-00000000aaaa.jsonl", "items.jsonl"),
		importertest.Fixture(t, ".codex/sessions/rollout-2025-04-20-0197b0fe-0000-4000-8000-000000000003.json", "object.json"),
		importertest.Fixture(t, day+"d.jsonl", "odd-lines.jsonl"),
		importertest.Fixture(t, ".codex/AGENTS.md", "AGENTS.md"),
		importertest.Fixture(t, ".codex/history.jsonl", "history.jsonl"),
		importertest.Fixture(t, ".codex/session_index.jsonl", "session_index.jsonl"),
		{Name: ".codex/auth.json", Data: []byte(`{"OPENAI_API_KEY":null,"tokens":{}}`)},
		{Name: ".codex/config.toml", Data: []byte("model = \"gpt-5.5\"\n")},
	}
}

func TestFolder(t *testing.T) {
	r := format.Read(t, folder(t)...)
	format.Check(t, r)
	importertest.Documents(t, "testdata/folder.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
	if got := len(r.Claim.Members); got != 9 {
		t.Errorf("%d members are claimed, want 9", got)
	}
	if got := r.Skips(); got["prompt-history"] != 2 || got["session-index"] != 1 {
		t.Errorf("skips %v", got)
	}
}

func TestSharedFixture(t *testing.T) {
	r := format.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "coding-agents", "codex.jsonl"))...)
	format.Check(t, r)
	docs := r.Conversations()
	if len(docs) != 1 || len(r.Quarantined()) != 0 {
		t.Fatalf("%d conversations, %d quarantined", len(docs), len(r.Quarantined()))
	}
	d := docs[0].Doc
	if got, want := outline(d), "user assistant user assistant"; got != want {
		t.Errorf("roles %q, want %q", got, want)
	}
	if d.Provider.ConversationID != "019e3b3f-636d-7cb3-aaab-0255eb45ad4f" || d.Temporal.CreatedAt != "2026-05-18T13:21:10.510000Z" || d.Messages[1].Model != "gpt-5.5" {
		t.Errorf("id %q, created %s, model %q", d.Provider.ConversationID, d.Temporal.CreatedAt, d.Messages[1].Model)
	}
}

func outline(d *pamio.Conversation) string {
	var out []string
	for _, m := range d.Messages {
		role := m.Role
		if m.IsThought {
			role = "thought"
		}
		if len(m.ToolCalls) > 0 {
			role = "call"
		}
		out = append(out, role)
	}
	return strings.Join(out, " ")
}

func session(t *testing.T, fixture string) *importer.Snapshot {
	t.Helper()
	r := format.Read(t, importertest.Fixture(t, "any name.txt", fixture))
	if len(r.Conversations()) != 1 {
		t.Fatalf("%d conversations", len(r.Conversations()))
	}
	return r.Conversations()[0]
}

func message(t *testing.T, d *pamio.Conversation, id string) pamio.Message {
	t.Helper()
	i := slices.IndexFunc(d.Messages, func(m pamio.Message) bool { return m.ID == id })
	if i < 0 {
		t.Fatalf("no message %s", id)
	}
	return d.Messages[i]
}

func TestGenerations(t *testing.T) {
	for fixture, want := range map[string][2]string{
		"envelope.jsonl":             {"codex-envelope", "system system system user thought thought call tool call tool call tool call call call assistant system user assistant"},
		"envelope-events-only.jsonl": {"codex-envelope", "user thought assistant system"},
		"lines.jsonl":                {"codex-lines", "system user thought call tool assistant"},
		"items.jsonl":                {"codex-items", "system user thought call tool assistant"},
		"object.json":                {"codex-json", "user thought call tool assistant"},
	} {
		d := session(t, fixture).Doc
		if d.Provider.ExportFormatVersion != want[0] || outline(d) != want[1] {
			t.Errorf("%s: %s with %q, want %s with %q", fixture, d.Provider.ExportFormatVersion, outline(d), want[0], want[1])
		}
	}
}

func TestIDsAreFrozen(t *testing.T) {
	for fixture, want := range map[string][2]string{
		"envelope.jsonl": {"8dc51543-008c-5d9c-ad1c-c80c59be15da", "019e3b3f-0000-7cb3-aaab-000000000001"},
		"lines.jsonl":    {"922fb6f0-8b6f-59c5-92de-8f0244834cef", "0197b0fe-0000-4000-8000-000000000002"},
		"object.json":    {"a9e20a08-9add-5e13-97b2-3fcfc9bd7b57", "0197b0fe-0000-4000-8000-000000000003"},
		"items.jsonl":    {"eb112f85-0578-595b-9f9c-0e444e7ea809", ""},
	} {
		d := session(t, fixture).Doc
		if d.ID != want[0] || d.Provider.ConversationID != want[1] {
			t.Errorf("%s: %s of %q, want %s of %q", fixture, d.ID, d.Provider.ConversationID, want[0], want[1])
		}
	}
	r := format.Read(t, importertest.Fixture(t, "x/rollout-2025-07-02T08-30-00-0197b0fe-0000-4000-8000-00000000aaaa.jsonl", "items.jsonl"))
	d := r.Conversations()[0].Doc
	if d.ID != "757f0e3b-7bb9-5dd7-ad12-1b9cf2a52a21" || d.Provider.ConversationID != "0197b0fe-0000-4000-8000-00000000aaaa" || d.Temporal.CreatedAt != "2025-07-02T08:30:00Z" {
		t.Errorf("by name: %s of %q, created %s", d.ID, d.Provider.ConversationID, d.Temporal.CreatedAt)
	}
	grown := importertest.Fixture(t, "any", "items.jsonl")
	grown.Data = append(grown.Data, `{"type":"message","role":"user","content":[{"type":"input_text","text":"More."}]}`...)
	if got := format.Read(t, grown).Conversations()[0].Doc; got.ID != session(t, "items.jsonl").Doc.ID {
		t.Error("a log without an id that has grown is another conversation")
	}
}

func TestItems(t *testing.T) {
	s := session(t, "envelope.jsonl")
	d := s.Doc
	for id, want := range map[string]string{
		"line:7":  "",
		"line:11": `shell {"command":["bash","-lc","cat wind.txt"],"workdir":"/home/mia/kites"}`,
		"line:13": `update_plan "{\"plan\": [], \"explanation\": \"spaced\"}"`,
		"line:17": `web_search {"type":"search","query":"kite wind"}`,
		"line:18": `local_shell {"type":"exec","command":["ls"],"timeout_ms":null}`,
		"line:19": `image_generation `,
	} {
		if want == "" {
			if slices.ContainsFunc(d.Messages, func(m pamio.Message) bool { return m.ID == id }) {
				t.Errorf("the event %s is a message", id)
			}
			continue
		}
		if c := message(t, d, id).ToolCalls[0]; c.Name+" "+string(c.Input) != want {
			t.Errorf("%s: %s %s, want %s", id, c.Name, c.Input, want)
		}
	}
	if c := message(t, d, "line:15").ToolCalls[0]; c.Name != "apply_patch" || !strings.HasPrefix(string(c.Input), `"*** Begin Patch\n`) {
		t.Errorf("line:15: %s %.40s", c.Name, c.Input)
	}
	for id, want := range map[string]string{"line:12": "{\"output\":\"wind: 0\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}", "line:14": "Plan updated", "line:16": "Done", "line:22": "There is no wind. 🪁", "line:24": "The kite falls because there is no wind."} {
		if m := message(t, d, id); m.Content == nil || m.Content.Text == nil || *m.Content.Text != want {
			t.Errorf("%s is %+v, want %q", id, m.Content, want)
		}
	}
	if m := message(t, d, "line:6"); m.Role != "user" || len(m.Attachments) != 1 || m.Attachments[0].MimeType != "image/png" || m.ParentID != "line:6#0" {
		t.Errorf("the person's own message is %+v", m)
	}
	if m := message(t, d, "line:6#0"); m.Role != "system" {
		t.Errorf("the injected environment has the role %s", m.Role)
	}
	if m := message(t, d, "line:9"); !m.IsThought || len(m.Content.Parts) != 3 || *m.Content.Parts[2].Text != "Wind is zero." {
		t.Errorf("the thought is %+v", m.Content)
	}
	if m := message(t, d, "line:27"); m.Model != "gpt-5.6" || d.Model != "gpt-5.6" || message(t, d, "line:22").Model != "gpt-5.5" {
		t.Errorf("models %q, %q", m.Model, d.Model)
	}
	if d.Title == nil || *d.Title != "Kite and wind" {
		t.Errorf("title %v", d.Title)
	}
	if len(s.Anomalies) != 0 {
		t.Errorf("anomalies %v", s.Anomalies)
	}
}

func TestInstructionsAreRecords(t *testing.T) {
	r := format.Read(t, folder(t)...)
	var got []string
	for _, rec := range r.Records() {
		got = append(got, rec.Kind+rec.Pointer+": "+rec.Text)
	}
	want := []string{"instruction/0/payload/instructions: Always answer in short sentences.", "instruction/0/instructions: Be brief.", "instruction: Short sentences.\n"}
	if !slices.Equal(got, want) {
		t.Errorf("records %q, want %q", got, want)
	}
}

func TestDamagedLogs(t *testing.T) {
	whole, err := os.ReadFile("testdata/lines.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(whole)), "\n")
	middle := func(change string) string {
		out := slices.Clone(lines)
		out[4] = change
		return strings.Join(out, "\n")
	}
	for _, c := range []struct {
		name, data  string
		messages    int
		quarantined string
	}{
		{"whole", string(whole), 6, ""},
		{"half a last line", strings.Join(lines[:7], "\n") + "\n" + lines[7][:30], 5, "truncated#7"},
		{"null in the middle", middle("null"), 5, "not_an_object#4"},
		{"text that is not JSON in the middle", middle(`{"a":nul}`), 5, "syntax#4"},
		{"a line twice", middle(lines[3]), 6, ""},
		{"a lone surrogate and a byte that is not UTF-8", middle("{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"a\\ud83d b\xff\"}]}"), 6, ""},
		{"a mark of the byte order and Windows line ends", "\xef\xbb\xbf" + strings.ReplaceAll(string(whole), "\n", "\r\n"), 6, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := format.Read(t, importertest.File{Name: "s.jsonl", Data: []byte(c.data)}, importertest.Fixture(t, "t.jsonl", "envelope.jsonl"))
			format.Check(t, r)
			docs := r.Conversations()
			if len(docs) != 2 || docs[0].Doc.Provider.ConversationID != "0197b0fe-0000-4000-8000-000000000002" {
				t.Fatalf("%d conversations", len(docs))
			}
			if got := len(docs[0].Doc.Messages); got != c.messages {
				t.Errorf("%d messages, want %d", got, c.messages)
			}
			got := ""
			for _, q := range r.Quarantined() {
				got += fmt.Sprintf("%s#%d", q.Code, q.Index)
			}
			if got != c.quarantined {
				t.Errorf("quarantined %q, want %q", got, c.quarantined)
			}
		})
	}
}

func TestALogOverTheLimitIsQuarantinedWholeAndItsNeighboursGoOn(t *testing.T) {
	for _, big := range []string{"envelope.jsonl"} {
		r := importertest.Read(t, codex.New(), importer.Limits{MaxConversation: 4000}, importertest.Fixture(t, "a", big), importertest.Fixture(t, "b", "lines.jsonl"), importertest.Fixture(t, "c", "object.json"))
		bad := r.Quarantined()
		if len(bad) != 1 || bad[0].Code != "too_big" || !strings.Contains(bad[0].Reason, "limits.max_conversation") || len(r.Conversations()) != 2 {
			t.Errorf("quarantined %v, %d conversations", bad, len(r.Conversations()))
		}
	}
}

func TestEditsComeBackOut(t *testing.T) {
	for _, fixture := range []string{"envelope.jsonl", "lines.jsonl", "object.json"} {
		d := session(t, fixture).Doc
		text := "Edited answer."
		d.Messages[len(d.Messages)-1].Content.Text = &text
		i := slices.IndexFunc(d.Messages, func(m pamio.Message) bool { return len(m.ToolCalls) > 0 })
		d.Messages[i].ToolCalls[0].Input = []byte(`{"command":["pwd"]}`)
		back, err := codex.New().Restore(nil, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"text":"Edited answer."`, `"arguments":"{\"command\":[\"pwd\"]}"`} {
			if !strings.Contains(string(back), want) {
				t.Errorf("%s: %s is not in %.600s", fixture, want, back)
			}
		}
	}
}

func TestOtherFormatsAreNotClaimed(t *testing.T) {
	format.Refuse(t, "AGENTS.md", map[string]string{
		"claude code":    `{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"x"},"uuid":"u","timestamp":"2026-01-01T00:00:00Z"}`,
		"chatgpt":        `[{"mapping":{},"current_node":"x","conversation_id":"c"}]`,
		"history alone":  `{"session_id":"s","ts":1,"text":"x"}`,
		"training data":  `{"messages":[{"role":"user","content":"x"}]}` + "\n" + `{"messages":[]}`,
		"SillyTavern":    `{"user_name":"A","character_name":"B","chat_metadata":{}}` + "\n" + `{"name":"A","is_user":true,"mes":"x"}`,
		"AGENTS.md":      "be brief",
		"API dump":       `{"type":"message","role":"user","model":"x","content":[{"type":"text","text":"x"}]}` + "\n" + `{"type":"message","role":"user","model":"x","content":[]}`,
		"other sessions": `{"type":"session.start","data":{},"timestamp":"2026-01-01T00:00:00Z"}` + "\n" + `{"type":"x","data":{}}`,
	})
}

func TestAFirstLineLongerThanWhatIsLookedAtIsRecognized(t *testing.T) {
	r := format.Read(t, importertest.File{Name: "x", Data: []byte(
		`{"timestamp":"2026-05-18T13:00:00.000Z","type":"session_meta","payload":{"id":"s","timestamp":"2026-05-18T13:00:00.000Z","base_instructions":{"text":"` + strings.Repeat("be careful ", 20_000) + `"}}}` + "\n" +
			`{"timestamp":"2026-05-18T13:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello."}]}}`)})
	format.Check(t, r)
	if docs := r.Conversations(); len(docs) != 1 || len(docs[0].Doc.Messages) != 1 {
		t.Errorf("%d conversations", len(docs))
	}
}

func TestListsWithoutSessionsAreRefused(t *testing.T) {
	r := format.Read(t, importertest.Fixture(t, "history.jsonl", "history.jsonl"), importertest.Fixture(t, "session_index.jsonl", "session_index.jsonl"))
	if len(r.Claim.Members) != 0 || len(r.Claim.Refused) != 2 || !strings.Contains(r.Claim.Refused[0].Reason, "without any session") {
		t.Errorf("claimed %v, refused %v", r.Claim.Members, r.Claim.Refused)
	}
}

func TestADamagedLogOfTheProgramsOwnNameIsQuarantined(t *testing.T) {
	format.Unreadable(t, "sessions/2026/05/18/rollout-2026-05-18T15-00-00-019e3b3f-0000-7cb3-aaab-000000000001.jsonl", "notes.jsonl")
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, format.Read(t, folder(t)...), 100)
}

func FuzzSession(f *testing.F) {
	for _, name := range []string{"envelope.jsonl", "envelope-events-only.jsonl", "lines.jsonl", "items.jsonl", "odd-lines.jsonl"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte("[" + strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", ",") + "]"))
	}
	object, err := os.ReadFile("testdata/object.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(object)
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "session"}, raw) })
}
