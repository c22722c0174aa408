package lmstudio_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/lmstudio"
)

var format = importertest.Format{Importer: lmstudio.New()}

// home has the files as LM Studio keeps them.
func home(t testing.TB) []importertest.File {
	t.Helper()
	var out []importertest.File
	for _, f := range importertest.Load(t, "testdata") {
		switch f.Name {
		case "versions.conversation.json":
			f.Name = ".lmstudio/conversations/kitchen/1735689600123.conversation.json"
		case "empty.conversation.json":
			f.Name = ".lmstudio/conversations/1735690000000.conversation.json"
		case "unknown.conversation.json":
			f.Name = ".lmstudio/conversations/later.json"
		default:
			continue
		}
		out = append(out, f)
	}
	return append(out,
		importertest.File{Name: ".lmstudio/user-files/1735689590000 - 42.png", Data: []byte("\x89PNG\r\n\x1a\n")},
		importertest.File{Name: "elsewhere/user-files/foreign.png", Data: []byte("\x89PNG\r\n\x1a\n")},
		importertest.File{Name: ".lmstudio/settings.json", Data: []byte(`{"language":"en"}`)})
}

func read(t testing.TB) *importertest.Result {
	t.Helper()
	return format.Read(t, home(t)...)
}

func TestConversationsOfLMStudio(t *testing.T) {
	r := read(t)
	format.Check(t, r)
	if c, q := len(r.Conversations()), len(r.Quarantined()); c != 3 || q != 0 {
		t.Errorf("%d conversations, %d quarantined; want 3 and 0", c, q)
	}
	if len(r.Claim.Members) != 4 {
		t.Errorf("%d members are claimed, want three conversations and the picture beside them", len(r.Claim.Members))
	}
	importertest.Documents(t, "testdata/documents.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
}

// doc gives the conversation with versions.
func doc(t testing.TB) *pamio.Conversation {
	t.Helper()
	for _, s := range read(t).Conversations() {
		if s.Doc.Title != nil && *s.Doc.Title == "Baking bread" {
			return s.Doc
		}
	}
	t.Fatal("the conversation is not there")
	return nil
}

func TestUnselectedVersionsAreSiblings(t *testing.T) {
	m := map[string]*pamio.Message{}
	d := doc(t)
	for i := range d.Messages {
		m[d.Messages[i].ID] = &d.Messages[i]
	}
	for id, parent := range map[string]string{
		"m0": "", "m0.v1": "", // two versions of the question
		"m1": "m0.v1", "m1.v1#0": "m0.v1", // both answers are to the selected one
		"m1.v1#1": "m1.v1#0", "m1.v1#2": "m1.v1#1", "m1.v1": "m1.v1#2", "m2": "m1.v1", "m3": "m2",
	} {
		if m[id] == nil || m[id].ParentID != parent {
			t.Errorf("message %s follows %+v, want %q", id, m[id], parent)
		}
	}
	if !m["m1.v1#0"].IsThought || m["m1.v1#2"].Role != "tool" || m["m1.v1#1"].ToolCalls[0].Name != "clock" {
		t.Error("the steps are not a thought, a call and a result")
	}
	if m["m1.v1#0"].CreatedAt != "2025-01-01T00:00:10Z" || m["m0"].CreatedAt != "2025-01-01T00:00:00.123000Z" {
		t.Errorf("times are %s and %s", m["m1.v1#0"].CreatedAt, m["m0"].CreatedAt)
	}
	if d.SystemInstruction != "You bake." || d.Model != "tiny-7b@q4" {
		t.Errorf("system instruction %q, model %q", d.SystemInstruction, d.Model)
	}
	if a := m["m0.v1"].Attachments; len(a) != 2 || a[0].Ref == "" || a[0].Type != "image" || a[1].Ref != "" {
		t.Errorf("attachments: %+v", a)
	}
}

// The rules of ids are frozen.
func TestIDsNeverChange(t *testing.T) {
	got := map[string]string{}
	for _, s := range read(t).Conversations() {
		got[*s.Doc.Title] = s.Doc.ID
	}
	for title, want := range map[string]string{
		"Baking bread": "287c4166-5c4d-532f-ac0d-f1b1162c8073",
		"":             "2b1ce3cc-d6cb-5c01-99f9-49fcccb81ff9",
		"Later":        "9317b6ef-52fa-5ca5-971b-a45a118dd307",
	} {
		if got[title] != want {
			t.Errorf("%q has the id %s, want %s", title, got[title], want)
		}
	}
}

func TestAMessageKeepsItsIDWhenItGetsAnotherVersion(t *testing.T) {
	version := `{"type":"singleStep","role":"user","content":[{"type":"text","text":"x"}]}`
	ids := func(versions string) (out []string) {
		r := format.Read(t, importertest.File{Name: "1735689600123.conversation.json", Data: []byte(
			`{"name":"x","createdAt":1735689600123,"messages":[{"versions":[` + versions + `],"currentlySelected":0},{"versions":[` + version + `],"currentlySelected":0}]}`)})
		for _, m := range r.Conversations()[0].Doc.Messages {
			out = append(out, m.ID)
		}
		return append(out, r.Conversations()[0].Doc.ID)
	}
	before, after := ids(version), ids(version+","+version)
	if before[0] != after[0] || before[1] != after[2] || before[2] != after[3] || len(after) != 4 {
		t.Errorf("ids were %q, are %q", before, after)
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	d := doc(t)
	title := "Baking rye bread"
	d.Title = &title
	for i := range d.Messages {
		if d.Messages[i].ID == "m0.v1" {
			text := "How long, then?"
			d.Messages[i].Content.Text = &text
		}
	}
	out, err := lmstudio.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Baking rye bread"`, `"text":"How long, then?"`, `"text":"How long does rye dough rise? I mixed`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s is not in what is restored", want)
		}
	}
}

func TestOddValuesOfLMStudio(t *testing.T) { format.Mutate(t, read(t), 100) }

func TestDamagedFilesAreQuarantinedAlone(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"truncated":            func(b []byte) []byte { return b[:len(b)/2] },
		"a broken word":        func(b []byte) []byte { return bytes.Replace(b, []byte("true"), []byte("tru"), 1) },
		"messages are null":    func(b []byte) []byte { return append([]byte(`{"messages":null,`), b[1:]...) },
		"bytes behind the end": func(b []byte) []byte { return append(b[:len(b):len(b)], `{"a":1}`...) },
		"messages are a number": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"messages": [`), []byte(`"messages": 1, "old": [`), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := home(t)
			for i := range files {
				if strings.Contains(files[i].Name, "1735689600123") {
					files[i].Data = change(files[i].Data)
				}
			}
			r := format.Read(t, files...)
			format.Check(t, r)
			if len(r.Conversations()) < 2 {
				t.Errorf("%d neighbours were read, want 2", len(r.Conversations()))
			}
			for _, q := range r.Quarantined() {
				if q.Member == "" || q.Reason == "" {
					t.Errorf("not located: %+v", q)
				}
			}
			if len(r.Conversations())+len(r.Quarantined()) < 2 || len(r.Conversations()) == 3 && name == "truncated" {
				t.Errorf("%d conversations, %d quarantined", len(r.Conversations()), len(r.Quarantined()))
			}
		})
	}
}

func TestSharedConversationOfLMStudio(t *testing.T) {
	r := format.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "local", "lmstudio"))...)
	format.Check(t, r)
	if len(r.Conversations()) != 1 || len(r.Conversations()[0].Doc.Messages) != 2 {
		t.Errorf("%d conversations", len(r.Conversations()))
	}
}

func TestForeignFilesAreNotClaimed(t *testing.T) {
	for _, in := range []string{`{"messages":[{"role":"user","content":"x"}]}`, `[{"mapping":{}}]`, `{"conversationId":"a","exportAt":"x","messages":[]}`, `{}`, ``, `{"messages":[],"createdAt":1}`} {
		r := format.Read(t, importertest.File{Name: "x.json", Data: []byte(in)})
		if len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzConversation(f *testing.F) {
	for _, file := range importertest.Load(f, "testdata") {
		if strings.HasSuffix(file.Name, ".json") {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "conversation"}, raw) })
}
