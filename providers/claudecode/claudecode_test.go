package claudecode_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/claudecode"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: claudecode.New()}

const (
	project = ".claude/projects/-home-mia-kites/"
	first   = "5c1d2f10-0000-4000-8000-000000000001"
)

// folder is the program's folder with everything that it may hold.
func folder(t testing.TB) []importertest.File {
	t.Helper()
	return []importertest.File{
		importertest.Fixture(t, project+first+".jsonl", "version-2.jsonl"),
		importertest.Fixture(t, project+first+"/subagents/agent-a1b2c3.jsonl", "subagent.jsonl"),
		importertest.Fixture(t, project+first+"/subagents/agent-a1b2c3.meta.json", "subagent.meta.json"),
		importertest.Fixture(t, project+"5c1d2f10-0000-4000-8000-000000000002.jsonl", "version-1.jsonl"),
		importertest.Fixture(t, project+"5c1d2f10-0000-4000-8000-000000000003.jsonl", "resumed.jsonl"),
		importertest.Fixture(t, project+"odd.jsonl", "odd-lines.jsonl"),
		importertest.Fixture(t, project+"titles.jsonl", "titles-only.jsonl"),
		importertest.Fixture(t, project+"memory/MEMORY.md", "memory.md"),
		importertest.Fixture(t, ".claude/CLAUDE.md", "memory.md"),
		importertest.Fixture(t, project+"sessions-index.json", "sessions-index.json"),
		importertest.Fixture(t, ".claude/history.jsonl", "history.jsonl"),
		importertest.Fixture(t, ".claude/todos/x-agent-x.json", "todos.json"),
		{Name: ".claude/settings.json", Data: []byte(`{"model":"opus"}`)},
		{Name: "README.md", Data: []byte("not of the program")},
	}
}

func TestFolder(t *testing.T) {
	r := format.Read(t, folder(t)...)
	format.Check(t, r)
	importertest.Documents(t, "testdata/folder.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
	if got := len(r.Claim.Members); got != 12 {
		t.Errorf("%d members are claimed, want 12", got)
	}
	if got := r.Skips(); got["session-index"] != 1 || got["prompt-history"] != 2 || got["task-list"] != 1 {
		t.Errorf("skips %v", got)
	}
}

func TestSharedFixture(t *testing.T) {
	files := importertest.Load(t, importertest.Shared(t, "fixtures", "coding-agents", "claude-code.jsonl"))
	r := format.Read(t, files...)
	format.Check(t, r)
	docs := r.Conversations()
	if len(docs) != 1 || len(r.Quarantined()) != 0 {
		t.Fatalf("%d conversations, %d quarantined", len(docs), len(r.Quarantined()))
	}
	d := docs[0].Doc
	if got, want := outline(d), "user assistant tool assistant tool user assistant"; got != want {
		t.Errorf("roles %q, want %q", got, want)
	}
	if d.Title == nil || *d.Title != "Test session for JSONL parsing" || d.Provider.ConversationID != "test-session-id" || d.Temporal.CreatedAt != "2025-12-24T10:00:00Z" {
		t.Errorf("title %v, id %q, created %s", d.Title, d.Provider.ConversationID, d.Temporal.CreatedAt)
	}
	if c := d.Messages[1].ToolCalls; len(c) != 1 || c[0].Name != "Write" || c[0].ID != "toolu_001" {
		t.Errorf("tool calls %+v", c)
	}
}

func outline(d *pamio.Conversation) string {
	var out []string
	for _, m := range d.Messages {
		role := m.Role
		if m.IsThought {
			role += "(thought)"
		}
		out = append(out, role)
	}
	return strings.Join(out, " ")
}

func read(t *testing.T, lines ...string) *importertest.Result {
	t.Helper()
	r := format.Read(t, importertest.File{Name: "s.jsonl", Data: []byte(strings.Join(lines, "\n"))})
	format.Check(t, r)
	return r
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

func line(n int) string { return fmt.Sprintf("a0000000-0000-4000-8000-%012d", n) }

func TestIDsAreFrozen(t *testing.T) {
	for fixture, want := range map[string][2]string{
		"version-2.jsonl": {"3013dbb1-87d1-5372-a9ab-c68ffb66ceb6", first},
		"version-1.jsonl": {"df875f09-71ef-5404-8dbb-b8e34e90d459", "5c1d2f10-0000-4000-8000-000000000002"},
		"resumed.jsonl":   {"a348a629-9a76-5d92-be6f-59f4f7b4e7b4", "5c1d2f10-0000-4000-8000-000000000003"},
		"subagent.jsonl":  {"308fd6b2-111b-5acd-949e-5dc902a9f329", first + "/agent-a1b2c3"},
	} {
		d := session(t, fixture).Doc
		if d.ID != want[0] || d.Provider.ConversationID != want[1] {
			t.Errorf("%s: %s of %s, want %s of %s", fixture, d.ID, d.Provider.ConversationID, want[0], want[1])
		}
	}
	sidechain := read(t, `{"type":"user","sessionId":"s","isSidechain":true,"uuid":"u1","parentUuid":null,"message":{"role":"user","content":"x"}}`).Conversations()[0].Doc
	if sidechain.ID != "e4e43c62-110e-532f-bbe0-fbc318e182cc" || sidechain.Provider.ConversationID != "s/sidechain-u1" {
		t.Errorf("a sidechain without agentId is %s of %s", sidechain.ID, sidechain.Provider.ConversationID)
	}
}

func TestRolesAndThoughts(t *testing.T) {
	d := session(t, "version-2.jsonl").Doc
	for id, want := range map[string]string{
		line(1): "user", line(2): "assistant", line(5): "tool", line(9): "user", line(11): "user", line(11) + "#0": "tool", line(11) + "#1": "tool",
		line(12): "system", line(13): "system", line(14): "tool", line(15): "system",
	} {
		if got := message(t, d, id).Role; got != want {
			t.Errorf("%s has the role %s, want %s", id, got, want)
		}
	}
	thought := message(t, d, line(2))
	if !thought.IsThought || *thought.Content.Text != "Look at the test first." || thought.TokenCount != nil {
		t.Errorf("the thought is %+v", thought)
	}
	if m := message(t, d, line(4)); m.TokenCount == nil || *m.TokenCount != 88 || m.Model != "claude-sonnet-4-5" || m.ToolCalls[0].Name != "Read" {
		t.Errorf("the last line of an answer has its tokens: %+v", m)
	}
	if m := message(t, d, line(3)); m.TokenCount != nil {
		t.Errorf("tokens are counted twice: %d", *m.TokenCount)
	}
	if m := message(t, d, line(9)); len(m.Attachments) != 1 || m.Attachments[0].MimeType != "image/png" || m.Attachments[0].Type != "image" {
		t.Errorf("attachments %+v", m.Attachments)
	}
	if m := message(t, d, line(16)); m.Content == nil || *m.Content.Text != "Found it." {
		t.Errorf("the answer behind a hidden thought is %+v", m)
	}
}

func TestLinksGoOnBehindLinesWithoutMessagesAndCompactions(t *testing.T) {
	d := session(t, "version-2.jsonl").Doc
	for id, parent := range map[string]string{
		line(7): line(5), line(9): line(7), line(11) + "#0": line(10), line(11) + "#1": line(11) + "#0", line(11): line(11) + "#1", line(12): line(11), line(17): line(15),
	} {
		if got := message(t, d, id).ParentID; got != parent {
			t.Errorf("%s hangs on %q, want %q", id, got, parent)
		}
	}
	v1 := session(t, "version-1.jsonl").Doc
	if got := message(t, v1, line(22)).ChildrenIDs; !slices.Equal(got, []string{line(23), line(24)}) {
		t.Errorf("an edited prompt is a branch: %q", got)
	}
	if side := message(t, v1, line(30)); side.ParentID != "" || side.Role != "system" {
		t.Errorf("a sidechain hangs on %q with the role %s", side.ParentID, side.Role)
	}
}

func TestTitles(t *testing.T) {
	for fixture, want := range map[string]string{"version-2.jsonl": "Kite wind", "version-1.jsonl": "Counting kites"} {
		if d := session(t, fixture).Doc; d.Title == nil || *d.Title != want {
			t.Errorf("%s: title %v, want %q", fixture, d.Title, want)
		}
	}
	if d := session(t, "resumed.jsonl").Doc; d.Title != nil {
		t.Errorf("a title from nowhere: %q", *d.Title)
	}
	if r := read(t, `{"type":"summary","summary":"`+strings.Repeat("x", 5000)+`","leafUuid":"l"}`, `{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"x"}}`); r.Conversations()[0].Doc.Title != nil {
		t.Error("a text of pages became a title")
	}
}

func TestAResumedSessionIsAConversationOfItsOwn(t *testing.T) {
	r := format.Read(t, importertest.Fixture(t, "a.jsonl", "version-1.jsonl"), importertest.Fixture(t, "b.jsonl", "resumed.jsonl"))
	docs := r.Conversations()
	if len(docs) != 2 || docs[0].Doc.ID == docs[1].Doc.ID {
		t.Fatalf("%d conversations", len(docs))
	}
	if raw := string(docs[1].Doc.RawMetadata); !strings.Contains(raw, `"repeats_sessions":["5c1d2f10-0000-4000-8000-000000000002"]`) {
		t.Errorf("it is not noted whose lines are repeated: %s", raw)
	}
}

func TestDamagedLogs(t *testing.T) {
	whole, err := os.ReadFile("testdata/version-1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(whole)), "\n")
	middle := func(change string) string {
		out := slices.Clone(lines)
		out[7] = change
		return strings.Join(out, "\n")
	}
	for _, c := range []struct {
		name, data  string
		messages    int
		quarantined string
	}{
		{"whole", string(whole), 8, ""},
		{"half a last line", strings.Join(lines[:10], "\n") + "\n" + lines[10][:50], 7, "truncated#10"},
		{"null in the middle", middle("null"), 7, "not_an_object#7"},
		{"text that is not JSON in the middle", middle(`{"a":nul}`), 7, "syntax#7"},
		{"a line twice", middle(lines[6]), 8, ""},
		{"a lone surrogate and a byte that is not UTF-8", middle("{\"type\":\"user\",\"sessionId\":\"5c1d2f10-0000-4000-8000-000000000002\",\"uuid\":\"x\",\"message\":{\"role\":\"user\",\"content\":\"a\\ud83d b\xff\"}}"), 8, ""},
		{"zeros behind the end", string(whole) + "\x00\x00\x00\x00", 8, "syntax#11"},
		{"a mark of the byte order and Windows line ends", "\xef\xbb\xbf" + strings.ReplaceAll(string(whole), "\n", "\r\n"), 8, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := format.Read(t, importertest.File{Name: "s.jsonl", Data: []byte(c.data)}, importertest.Fixture(t, "t.jsonl", "resumed.jsonl"))
			format.Check(t, r)
			docs := r.Conversations()
			if len(docs) != 2 || docs[0].Doc.Provider.ConversationID != "5c1d2f10-0000-4000-8000-000000000002" {
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
	r := importertest.Read(t, claudecode.New(), importer.Limits{MaxConversation: 4000}, importertest.Fixture(t, "a.jsonl", "version-2.jsonl"), importertest.Fixture(t, "b.jsonl", "resumed.jsonl"))
	bad := r.Quarantined()
	if len(bad) != 1 || bad[0].Code != "too_big" || !strings.Contains(bad[0].Reason, "limits.max_conversation") || len(r.Conversations()) != 1 {
		t.Errorf("quarantined %v, %d conversations", bad, len(r.Conversations()))
	}
}

func TestALineOfAMegabyteIsRead(t *testing.T) {
	data := strings.Repeat("A", 1<<20)
	r := read(t, `{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+data+`"}},{"type":"text","text":"Look."}]},"uuid":"u","timestamp":"2026-01-01T00:00:00.000Z"}`)
	if d := r.Conversations()[0].Doc; *d.Messages[0].Content.Text != "Look." || len(d.Messages[0].RawMetadata) < 1<<20 {
		t.Errorf("the line is not whole")
	}
}

func TestADeepThreadIsRead(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `{"type":"user","sessionId":"s","uuid":"u%d","parentUuid":"u%d","message":{"role":"user","content":%q}}`+"\n", i, i-1, strings.Repeat("wind ", 90))
		fmt.Fprintf(&b, `{"type":"progress","sessionId":"s","uuid":"p%d","parentUuid":"u%d"}`+"\n", i, i)
	}
	if got := len(read(t, b.String()).Conversations()[0].Doc.Messages); got != 1000 {
		t.Errorf("%d messages", got)
	}
}

func TestEditsComeBackOut(t *testing.T) {
	d := session(t, "version-2.jsonl").Doc
	text := "Why does the rope test fail?"
	d.Messages[0].Content.Text = &text
	back, err := claudecode.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(back), `"content":"Why does the rope test fail?"`) || strings.Contains(string(back), "kite test fail") {
		t.Errorf("the edit is not in %.400s", back)
	}
}

func TestOtherFormatsAreNotClaimed(t *testing.T) {
	format.Refuse(t, "CLAUDE.md", map[string]string{
		"codex":          `{"timestamp":"2026-05-18T13:21:30.751Z","type":"session_meta","payload":{"id":"x","cwd":"/"}}` + "\n" + `{"timestamp":"2026-05-18T13:21:30.751Z","type":"response_item","payload":{"type":"message"}}`,
		"chatgpt":        `[{"mapping":{},"current_node":"x","conversation_id":"c"}]`,
		"history alone":  `{"display":"x","pastedContents":{},"timestamp":1,"project":"/"}`,
		"a list of logs": `[{"sessionId":"s","messageId":1,"type":"user","message":"x"}]`,
		"SillyTavern":    `{"user_name":"A","character_name":"B","chat_metadata":{}}` + "\n" + `{"name":"A","is_user":true,"mes":"x"}`,
		"Markdown":       "# CLAUDE",
	})
}

func TestListsWithoutSessionsAreRefused(t *testing.T) {
	r := format.Read(t, importertest.Fixture(t, "history.jsonl", "history.jsonl"), importertest.Fixture(t, "todos.json", "todos.json"), importertest.Fixture(t, "i.json", "sessions-index.json"))
	if len(r.Claim.Members) != 0 || len(r.Claim.Refused) != 2 || !strings.Contains(r.Claim.Refused[0].Reason, "without any session") {
		t.Errorf("claimed %v, refused %v", r.Claim.Members, r.Claim.Refused)
	}
}

func TestADamagedLogOfTheProgramsOwnNameIsQuarantined(t *testing.T) {
	format.Unreadable(t, "x/projects/-home-mia/5c1d2f10-0000-4000-8000-000000000001.jsonl", "notes.jsonl")
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, format.Read(t, folder(t)...), 100)
}

func FuzzSession(f *testing.F) {
	for _, name := range []string{"version-1.jsonl", "version-2.jsonl", "odd-lines.jsonl", "subagent.jsonl"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte("[" + strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", ",") + "]"))
	}
	f.Add([]byte(`[{"type":"user","message":{}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "session"}, raw) })
}
