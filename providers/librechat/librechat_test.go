package librechat_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/librechat"
)

var format = importertest.Format{Importer: librechat.New()}

func files(t testing.TB) []importertest.File {
	t.Helper()
	return slices.DeleteFunc(importertest.Load(t, "testdata"), func(f importertest.File) bool { return !strings.HasSuffix(f.Name, ".json") })
}

func byID(r *importertest.Result) map[string]*pamio.Conversation {
	out := map[string]*pamio.Conversation{}
	for _, s := range r.Conversations() {
		out[s.Doc.Provider.ConversationID] = s.Doc
	}
	return out
}

func TestConversationsOfLibreChat(t *testing.T) {
	r := format.Read(t, files(t)...)
	format.Check(t, r)
	if c, n, q := len(r.Conversations()), len(r.Records()), len(r.Quarantined()); c != 6 || n != 1 || q != 0 {
		t.Errorf("%d conversations, %d records, %d quarantined; want 6, 1 and 0", c, n, q)
	}
	importertest.Documents(t, "testdata/documents.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
}

// links lists "id role parent" of a document, ids by their last two characters.
func links(d *pamio.Conversation) []string {
	short := func(id string) string {
		tail := ""
		if i := strings.IndexAny(id, "#~"); i >= 0 {
			id, tail = id[:i], id[i:]
		}
		return id[max(len(id)-2, 0):] + tail
	}
	var out []string
	for _, m := range d.Messages {
		kind := m.Role
		if m.IsThought {
			kind = "thought"
		}
		out = append(out, short(m.ID)+" "+kind+" "+short(m.ParentID))
	}
	return out
}

func TestBranchesOfBothForms(t *testing.T) {
	docs := byID(format.Read(t, files(t)...))
	for id, want := range map[string][]string{
		"c-tree": {
			"01 user ", "02 assistant 01", "03#0 thought 01", "03#1 assistant 03#0", "03#2 thought 03#1", "03 assistant 03#2",
			"04 user 03", "05 user ", "06 assistant 05",
		},
		"c-tree-2": {"07 user ", "08 assistant 07"},
		"c-flat":   {"11 user ", "12 assistant 11", "13 assistant 11", "14 user ", "15 assistant ", "16 system 13", "13~2 assistant 16"},
	} {
		if got := links(docs[id]); !slices.Equal(got, want) {
			t.Errorf("%s is linked %q, want %q", id, got, want)
		}
	}
	d := docs["c-tree"]
	if d.SystemInstruction != "You bake." || d.Model != "tiny-7b" || d.Temporal.UpdatedAt != "2024-05-01T16:36:41.114000Z" {
		t.Errorf("system instruction %q, model %q, updated %q", d.SystemInstruction, d.Model, d.Temporal.UpdatedAt)
	}
	if calls := d.Messages[3].ToolCalls; len(calls) != 1 || calls[0].Name != "clock" || *calls[0].Output != "12:00" {
		t.Errorf("tool calls are %+v", calls)
	}
	if raw := string(d.RawMetadata); !strings.Contains(raw, `"exportAt":"13:18:04 GMT-0400`) {
		t.Error("the time of day of the export is not kept as it is")
	}
}

// The rules of ids are frozen.
func TestIDsNeverChange(t *testing.T) {
	docs := byID(format.Read(t, files(t)...))
	for id, want := range map[string]string{"c-tree": "33457b91-2d55-5719-9509-1cd7ab70d89a", "c-flat": "729806ae-7102-59c2-ae50-d27ca7683df0", "h1": "da72ce1c-fd34-558b-9f1a-24ddfb17563b"} {
		if docs[id] == nil || docs[id].ID != want {
			t.Errorf("%s has the id %s, want %s", id, docs[id].ID, want)
		}
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	docs := byID(format.Read(t, files(t)...))
	for _, id := range []string{"c-tree", "c-flat", "h1"} {
		d := docs[id]
		title, text := "Another title", "Another question"
		d.Title, d.Messages[0].Content.Text = &title, &text
		out, err := librechat.New().Restore(nil, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"Another title"`, `"Another question"`} {
			if !bytes.Contains(out, []byte(want)) {
				t.Errorf("%s: %s is not in what is restored", id, want)
			}
		}
	}
}

func TestOddValuesOfLibreChat(t *testing.T) { format.Mutate(t, format.Read(t, files(t)...), 100) }

func TestADamagedFileIsQuarantinedAlone(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"truncated":     func(b []byte) []byte { return b[:len(b)*2/3] },
		"a broken word": func(b []byte) []byte { return bytes.Replace(b, []byte("null"), []byte("nul"), 1) },
		"messages in an object": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"messages": [`), []byte(`"messages": {}, "old": [`), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := files(t)
			i := slices.IndexFunc(all, func(f importertest.File) bool { return f.Name == "flat.json" })
			all[i].Data = change(all[i].Data)
			r := format.Read(t, all...)
			format.Check(t, r)
			if len(r.Conversations()) != 5 || byID(r)["c-flat"] != nil {
				t.Errorf("%d conversations, want the 5 others", len(r.Conversations()))
			}
			if len(r.Claim.Members) == 4 && len(r.Quarantined()) != 1 {
				t.Errorf("%d units are quarantined, want 1", len(r.Quarantined()))
			}
		})
	}
}

// asList puts the conversations of LibreChat into one list, as Restore writes them.
func asList(t testing.TB) []importertest.File {
	t.Helper()
	var list [][]byte
	for _, f := range files(t) {
		if f.Name != "chatbotui.json" {
			list = append(list, bytes.TrimSpace(f.Data))
		}
	}
	return []importertest.File{{Name: "librechat.json", Data: slices.Concat([]byte("["), bytes.Join(list, []byte(",")), []byte("]"))}}
}

func TestDamagedListOfLibreChat(t *testing.T) {
	format.Damage(t, asList(t), 0, importertest.JSONDamages()...)
}

func TestAnswersNestedBeyondTheLimitAreQuarantinedWithAHint(t *testing.T) {
	deep := `{"conversationId":"deep","exportAt":"x","messages":[` + strings.Repeat(`{"messageId":"a","children":[`, 5000) + strings.Repeat("]}", 5000) + `]}`
	r := format.Read(t, append(files(t), importertest.File{Name: "deep.json", Data: []byte(deep)})...)
	if q := r.Quarantined(); len(q) != 1 || q[0].Code != "too_deep" || !strings.Contains(q[0].Reason, "limits.max_depth") {
		t.Errorf("quarantined: %+v", q)
	}
	if len(r.Conversations()) != 6 {
		t.Errorf("%d conversations, want the 6 others", len(r.Conversations()))
	}
}

func TestALongTalkInsideItselfIsRead(t *testing.T) {
	long := `{"conversationId":"long","endpoint":"openAI","title":"t","exportAt":"x","recursive":true,"messages":[` +
		strings.Repeat(`{"messageId":"a","text":"`+strings.Repeat("word ", 40)+`","children":[`, 3000) + strings.Repeat("]}", 3000) + `]}`
	r := format.Read(t, importertest.File{Name: "long.json", Data: []byte(long)})
	if len(r.Conversations()) != 1 || len(r.Conversations()[0].Doc.Messages) != 3000 {
		t.Fatalf("quarantined: %+v", r.Quarantined())
	}
	doc := r.Conversations()[0].Doc
	back, err := format.Importer.Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(back), `"messageId"`); n != 3000 {
		t.Errorf("%d messages come back, want 3000", n)
	}
}

func TestSharedExportsOfLibreChat(t *testing.T) {
	r := format.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "local", "librechat-real"))...)
	format.Check(t, r)
	if len(r.Conversations()) != 4 || len(r.Quarantined()) != 0 {
		t.Errorf("%d conversations, %d quarantined; want 4 and 0", len(r.Conversations()), len(r.Quarantined()))
	}
	for _, s := range r.Conversations() {
		if s.Anomalies[importer.AnomalyUnknownVariant] != 0 {
			t.Errorf("%s: a real export has an unknown form: %v", s.Doc.ID, s.Anomalies)
		}
	}
}

func TestChatGPTAndLibreChatAreToldApart(t *testing.T) {
	if r := importertest.Read(t, chatgpt.New(), importer.Limits{}, files(t)...); len(r.Claim.Members) != 0 {
		t.Errorf("the importer of ChatGPT claims %d exports of LibreChat", len(r.Claim.Members))
	}
	for _, in := range []string{
		`[{"id":"a","title":"x","mapping":{},"conversation_id":"a"}]`, `{"messages":[{"versions":[]}]}`, `{"conversationId":"x"}`,
		`{"history":[]}`, `{"history":{"messages":{}}}`, `{"history":[{"a":1}],"folders":[]}`, `{}`, ``, `[]`,
	} {
		if r := format.Read(t, importertest.File{Name: "librechat.json", Data: []byte(in)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzConversation(f *testing.F) {
	for _, file := range files(f) {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, role := range []string{"conversation", "chatbotui", "settings"} {
			format.Fuzz(t, importer.Unit{Role: role}, raw)
		}
	})
}

// The lists that mark an export of Chatbot UI stand behind its conversations, out of sight in any
// export of some size.
func TestLongAndDamagedExportsOfChatbotUIAreRecognized(t *testing.T) {
	i := slices.IndexFunc(files(t), func(f importertest.File) bool { return f.Name == "chatbotui.json" })
	whole := files(t)[i].Data
	const second = `"id": "h2"`
	at := bytes.Index(whole, []byte(second))
	if at < 0 {
		t.Fatal("the fixture has no second conversation")
	}
	put := func(s string) []byte { return slices.Concat(whole[:at], []byte(s), whole[at:]) }
	long := strings.Replace(string(whole), "Which tea?", strings.Repeat("Which tea? ", 10_000), 1)
	unversioned := strings.Replace(string(put(`"odd":"`+strings.Repeat("x", 100_000)+`",`)), `"version": 4,`, "", 1)
	for name, c := range map[string]struct {
		data                   string
		kept, quarantinedLeast int
	}{
		"a long first conversation":       {long, 3, 0},
		"no version, a long conversation": {unversioned, 3, 0},
		"a deep conversation":             {string(put(`"deep":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + ",")), 2, 1},
		"a conversation of no JSON":       {string(put("\x00\x01}{][")), 2, 1},
		"half a file":                     {string(whole[:len(whole)/2]), 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := format.Read(t, importertest.File{Name: "history.json", Data: []byte(c.data)})
			if len(r.Conversations()) < c.kept || len(r.Quarantined()) < c.quarantinedLeast {
				t.Errorf("%d conversations, %d quarantined; want at least %d and %d", len(r.Conversations()), len(r.Quarantined()), c.kept, c.quarantinedLeast)
			}
		})
	}
}
