package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/claude"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: claude.New()}

// own gives files of testdata as members of an archive.
func own(t testing.TB, names ...string) []importertest.File {
	t.Helper()
	var out []importertest.File
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, importertest.File{Name: name, Data: data})
	}
	return out
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	return format.Read(t, files...)
}

func text(name, data string) importertest.File {
	return importertest.File{Name: name, Data: []byte(data)}
}

// generations are the fixtures, one for each form.
var generations = []struct {
	file                          string
	conversations, messages, recs int
}{
	{"conversations-2024.json", 3, 7, 0},
	{"conversations-2025.json", 3, 17, 0},
	{"conversations-2026.json", 4, 22, 0},
	{"chat-browser.json", 1, 2, 0},
	{"wrapped.json", 2, 1, 1},
	{"design-chat.json", 1, 6, 0},
	{"users.json", 0, 0, 1},
	{"projects.json", 0, 0, 2},
	{"memories.json", 0, 0, 3},
	{"memories-list.json", 0, 0, 2},
}

func TestEveryGeneration(t *testing.T) {
	for _, g := range generations {
		t.Run(g.file, func(t *testing.T) {
			r := read(t, own(t, g.file)...)
			format.Check(t, r)
			messages := 0
			for _, c := range r.Conversations() {
				messages += len(c.Doc.Messages)
			}
			if len(r.Conversations()) != g.conversations || messages != g.messages || len(r.Records()) != g.recs {
				t.Errorf("%d conversations, %d messages, %d records; want %d, %d, %d", len(r.Conversations()), messages, len(r.Records()), g.conversations, g.messages, g.recs)
			}
			for _, bad := range r.Quarantined() {
				t.Errorf("quarantined: %v", bad)
			}
			name := strings.TrimSuffix(g.file, ".json")
			importertest.Documents(t, "testdata/"+name+".golden", r)
			format.Coverage(t, "testdata/"+name+"-coverage.golden", r)
			format.Mutate(t, r, 120)
		})
	}
}

func TestDamagedLists(t *testing.T) {
	for _, file := range []string{"conversations-2024.json", "conversations-2025.json", "conversations-2026.json"} {
		t.Run(file, func(t *testing.T) {
			format.Damage(t, own(t, file), 0, importertest.JSONDamages()...)
		})
	}
}

func TestACutOffFileLosesOnlyItsEnd(t *testing.T) {
	for _, file := range []string{"design-chat.json", "projects.json", "memories.json", "chat-browser.json"} {
		whole := own(t, file)[0]
		cut := whole
		cut.Data = whole.Data[:len(whole.Data)-len(whole.Data)/10]
		r := read(t, cut)
		format.Check(t, r)
		if len(r.Quarantined()) == 0 {
			t.Errorf("%s: nothing is quarantined", file)
		}
	}
}

// seed adds the units of fixtures.
func seed(f *testing.F, add func(u importer.Unit), files ...string) {
	f.Helper()
	for _, file := range files {
		for _, u := range read(f, own(f, file)...).Units {
			add(u.Unit)
		}
	}
}

func FuzzConversation(f *testing.F) {
	seed(f, func(u importer.Unit) { f.Add(u.Raw) }, "conversations-2024.json", "conversations-2025.json", "conversations-2026.json", "chat-browser.json")
	f.Add([]byte(`{"uuid":"x","chat_messages":[{"text":"a","content":[{"type":"tool_use","input":"[1]"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "conversations"}, raw) })
}

func FuzzDesign(f *testing.F) {
	seed(f, func(u importer.Unit) { f.Add(u.Raw) }, "design-chat.json")
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "design_chats"}, raw) })
}

func FuzzRecords(f *testing.F) {
	roles := []string{"memories", "projects", "users", "rest", "manifest"}
	seed(f, func(u importer.Unit) {
		for i := range roles {
			f.Add(byte(i), u.Raw)
		}
	}, "users.json", "projects.json", "memories.json", "memories-list.json")
	f.Add(byte(0), []byte(`"a bare text"`))
	f.Fuzz(func(t *testing.T, role byte, raw []byte) {
		format.Fuzz(t, importer.Unit{Role: roles[int(role)%len(roles)]}, raw)
	})
}
