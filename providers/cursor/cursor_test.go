package cursor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/cursor"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

var format = importertest.Format{Importer: cursor.New()}

var long = strings.Repeat("The kite falls because its tail is too short for the wind of this week. ", 40)

const (
	composer = "4c1c2d10-0000-4000-8000-000000000001"
	inline   = "4c1c2d10-0000-4000-8000-000000000002"
)

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func row(table, key, value string) string {
	return "INSERT INTO " + table + " VALUES(" + quoted(key) + ", " + quoted(value) + ")"
}

// global is the database of all chats.
func global() []string {
	kv := func(key, value string) string { return row("cursorDiskKV", key, value) }
	bubble := func(id, rest string) string {
		return kv("bubbleId:"+composer+":"+id, `{"_v":3,"bubbleId":"`+id+`",`+rest+`}`)
	}
	return []string{
		"CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
		"CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
		row("ItemTable", "cursorAuth/accessToken", "secret-token"),
		kv("checkpointId:"+composer+":x", `{"files":[]}`),
		bubble("b3", `"type":2,"text":`+`"`+long+`","createdAt":"2026-01-02T03:05:00.000Z","thinking":{"text":"I look at the tail of the kite first."},"modelInfo":{"modelName":"claude-4-sonnet"},"tokenCount":{"inputTokens":10,"outputTokens":20},"codeBlocks":[]`),
		bubble("b1", `"type":1,"text":"Why does the kite fall?","richText":"{}","createdAt":"2026-01-02T03:04:05.000Z"`),
		bubble("b2", `"type":2,"text":"","createdAt":"2026-01-02T03:04:10.000Z","toolFormerData":{"tool":5,"name":"read_file","toolCallId":"call_1","rawArgs":"{\"path\":\"kite.txt\"}","params":"{\"targetFile\":\"kite.txt\"}","result":"red, blue and green","status":"completed"}`),
		bubble("b9", `"type":1,"text":"One without a header."`),
		kv("composerData:"+composer, `{"_v":10,"composerId":"`+composer+`","name":"Falling kite","createdAt":1767323040123,"lastUpdatedAt":1767323145000,"isArchived":true,"modelConfig":{"modelName":"default"},"blobEncryptionKey":"secret-key","fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2},{"bubbleId":"gone","type":2},{"bubbleId":"b3","type":2}],"text":"","richText":""}`),
		"INSERT INTO cursorDiskKV VALUES('composerData:" + inline + "', CAST(" + quoted(`{"composerId":"`+inline+`","createdAt":1767323040123,"conversation":[{"type":1,"bubbleId":"i1","text":"An older question."},{"type":2,"bubbleId":"i2","text":"`+long+`"}],"conversationMap":{"i2":{"type":2,"bubbleId":"i2","text":"again"},"i3":{"type":2,"bubbleId":"i3","text":"A bubble of the map."}}}`) + " AS BLOB))",
		kv("composerData:draft", `{"composerId":"draft","text":"not sent","fullConversationHeadersOnly":[]}`),
		"INSERT INTO cursorDiskKV VALUES('bubbleId:orphan:o1', '{\"type\":1,\"bubbleId\":\"o1\",\"text\":\"My chat is gone.\"}'), ('composerData:emptied', NULL)",
	}
}

// workspace is the database of a workspace of the first versions.
func workspace() []string {
	return []string{
		"CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
		row("ItemTable", "workbench.view", "x"),
		row("ItemTable", "workbench.panel.aichat.view.aichat.chatdata", `{"selectedTabId":"t1","tabs":[{"tabId":"t1","chatTitle":"A wind","lastSendTime":1700000000123,"bubbles":[{"type":"user","id":"u1","text":"Name a wind.","initText":"{}"},{"type":"ai","id":"a1","modelType":"gpt-4","rawText":"`+long+`"}]},{"tabId":"t2","bubbles":[]}]}`),
	}
}

func read(t testing.TB, name string, statements []string) *importertest.Result {
	t.Helper()
	return format.Read(t, importertest.File{Name: name, Data: sqlitetest.Make(t, statements...)})
}

const globalName = "Cursor/User/globalStorage/state.vscdb"

func TestComposers(t *testing.T) {
	r := read(t, globalName, global())
	format.Check(t, r)
	importertest.Documents(t, "testdata/global.golden", r)
	got := map[string]string{}
	for _, s := range r.Conversations() {
		got[s.Doc.Provider.ConversationID] = importertest.Outline(s.Doc)
	}
	if got[composer] != "user assistant(read_file) tool assistant(thought) assistant user" || got[inline] != "user assistant assistant" || got["orphan"] != "user" || len(got) != 3 {
		t.Errorf("%q", got)
	}
	if skips := r.Skips(); skips["empty-chat"] != 2 || skips["other-rows"] != 2 || len(r.Quarantined()) != 0 {
		t.Errorf("skips %v, quarantined %v", skips, r.Quarantined())
	}
	for _, s := range r.Conversations() {
		if d := s.Doc; d.Provider.ConversationID == composer && (*d.Title != "Falling kite" || d.Temporal.CreatedAt != "2026-01-02T03:04:00.123000Z" || !d.IsArchived || d.Messages[4].Model != "claude-4-sonnet") {
			t.Errorf("title %q, created %s, archived %v, model %s", *d.Title, d.Temporal.CreatedAt, d.IsArchived, d.Messages[4].Model)
		}
		if len(s.Anomalies) > 0 {
			t.Errorf("%s: %v", s.Doc.ID, s.Anomalies)
		}
	}
}

func TestSecretsOfTheEditorAreNotRead(t *testing.T) {
	for _, u := range read(t, globalName, global()).Units {
		if strings.Contains(string(u.Raw), "secret") {
			t.Errorf("a secret is in a unit with the role %s", u.Role)
		}
	}
}

func TestTabsOfTheFirstVersions(t *testing.T) {
	r := read(t, "Cursor/User/workspaceStorage/3f/state.vscdb", workspace())
	format.Check(t, r)
	importertest.Documents(t, "testdata/workspace.golden", r)
	if docs := r.Conversations(); len(docs) != 1 || importertest.Outline(docs[0].Doc) != "user assistant" || *docs[0].Doc.Title != "A wind" || r.Skips()["empty-chat"] != 1 {
		t.Errorf("%d conversations, skips %v", len(docs), r.Skips())
	}
}

func TestWhereEachValueGoes(t *testing.T) {
	rows := slices.DeleteFunc(global(), func(s string) bool {
		return strings.Contains(s, "accessToken") || strings.Contains(s, "checkpointId") || strings.Contains(s, "draft") || strings.Contains(s, "orphan")
	})
	format.Coverage(t, "testdata/coverage.golden", read(t, globalName, rows))
}

func TestIDsAreFrozen(t *testing.T) {
	read(t, globalName, global()).HasIDs(t, "7d6a629a-906f-5687-9705-ec02a9d80354", "c875b798-2234-50b7-a187-20c14e567023", "b73204df-fd73-54e9-8da8-d12519fe9b2b")
}

// A row that is not JSON takes nothing else along.
func TestADamagedRowIsQuarantinedAlone(t *testing.T) {
	rows := append(global(), row("cursorDiskKV", "bubbleId:"+composer+":b2", "nonsense"))
	r := read(t, globalName, rows)
	format.Check(t, r)
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "syntax" || len(r.Conversations()) != 3 {
		t.Errorf("quarantined %v, %d conversations", bad, len(r.Conversations()))
	}
}

func TestAChatOverTheLimitIsQuarantinedAlone(t *testing.T) {
	r := importertest.Read(t, cursor.New(), importer.Limits{MaxConversation: 3000}, importertest.File{Name: globalName, Data: sqlitetest.Make(t, global()...)})
	bad := r.Quarantined()
	if len(bad) != 2 || bad[0].Code != "too_big" || len(r.Conversations()) != 1 {
		t.Errorf("quarantined %v, %d conversations", bad, len(r.Conversations()))
	}
}

func TestEditsComeBackOut(t *testing.T) {
	for _, s := range read(t, globalName, global()).Conversations() {
		if s.Doc.Provider.ConversationID != composer {
			continue
		}
		asked, title := "Why?", "Kites"
		s.Doc.Messages[0].Content.Text, s.Doc.Title = &asked, &title
		format.Restored(t, s.Doc, `"text":"Why?"`, `"name":"Kites"`)
	}
}

func TestDatabasesOfVisualStudioCodeAreNotClaimed(t *testing.T) {
	r := read(t, "Code/User/globalStorage/state.vscdb", []string{"CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)", row("ItemTable", "a", "b")})
	if len(r.Claim.Members) != 0 {
		t.Error("a database of another editor is claimed")
	}
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, globalName, global()), 100)
	format.Mutate(t, read(t, "state.vscdb", workspace()), 100)
}

func FuzzChat(f *testing.F) {
	f.Add([]byte(`{"composer":{"composerId":"c","conversation":[{"type":1}]},"bubbles":[{"bubbleId":"b","type":2,"text":"x","thinking":{"text":"y"},"toolFormerData":{"name":"n","result":"r"}},null]}`))
	f.Add([]byte(`{"composer":{},"bubbles":[{}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "composer"}, raw) })
}
