package qwen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/openwebui"
	"github.com/pamline/pamline/providers/qwen"
)

var format = importertest.Format{Importer: qwen.New()}

func file(t testing.TB, name string) importertest.File {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return importertest.File{Name: name, Data: data}
}

func read(t testing.TB, names ...string) *importertest.Result {
	t.Helper()
	var files []importertest.File
	for _, n := range names {
		files = append(files, file(t, n))
	}
	return format.Read(t, files...)
}

func TestFormsOfExports(t *testing.T) {
	for name, want := range map[string]int{"chat-export": 3, "chat-object": 1, "wrapped": 2} {
		t.Run(name, func(t *testing.T) {
			r := read(t, name+".json")
			format.Check(t, r)
			if got := len(r.Conversations()); got != want {
				t.Fatalf("%d conversations, want %d", got, want)
			}
			importertest.Documents(t, "testdata/"+name+".golden", r)
		})
	}
}

func TestEveryLeafIsKept(t *testing.T) {
	format.Coverage(t, "testdata/coverage.golden", read(t, "chat-export.json", "chat-object.json"))
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, "chat-export.json", "chat-object.json"), 100)
}

func TestDamagedExports(t *testing.T) {
	format.Damage(t, []importertest.File{file(t, "chat-export.json")}, 0, importertest.JSONDamages()...)
}

func TestThoughtsToolsAndAnswersAreToldApart(t *testing.T) {
	var got []string
	for _, m := range read(t, "chat-export.json").Conversations()[0].Doc.Messages {
		kind := m.Role
		if m.IsThought {
			kind = "thought"
		}
		got = append(got, m.ID+" "+kind)
	}
	want := "q1 user,q2#0 thought,q2#1 tool,q2#2 thought,q2 assistant,q3 user,q4 assistant,q5 assistant,q5#0 tool"
	if strings.Join(got, ",") != want {
		t.Errorf("%s, want %s", strings.Join(got, ","), want)
	}
}

// The rules of ids are frozen: these never change.
func TestIDsAreFrozen(t *testing.T) {
	for name, want := range map[string]string{
		"chat-export.json": "fff25b17-4ce1-5780-95a3-c7b5a410775c",
		"chat-object.json": "36b59d50-b75f-5605-aaaf-dfeaff795128",
	} {
		if got := read(t, name).Conversations()[0].Doc.ID; got != want {
			t.Errorf("%s is %s, was %s", name, got, want)
		}
	}
}

func TestAnEditIsRestored(t *testing.T) {
	doc := read(t, "chat-export.json").Conversations()[0].Doc
	title, text := "Edited", "Edited answer"
	doc.Title = &title
	for i := range doc.Messages {
		if doc.Messages[i].ID == "q2" {
			doc.Messages[i].Content.Text = &text
		}
	}
	back, err := qwen.New().Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"title":"Edited"`, `"content":"Edited answer"`} {
		if !strings.Contains(string(back), want) {
			t.Errorf("no %s in %.900s", want, back)
		}
	}
}

func TestAListWithoutMessagesIsRefused(t *testing.T) {
	r := read(t, "listing.json")
	if len(r.Claim.Members) != 0 || len(r.Claim.Refused) != 1 || !strings.Contains(r.Claim.Refused[0].Reason, "without their messages") {
		t.Errorf("%+v", r.Claim)
	}
}

func TestQwenAndOpenWebUIAreToldApart(t *testing.T) {
	own := importertest.Read(t, openwebui.New(), importer.Limits{}, file(t, "chat-export.json"), file(t, "chat-object.json"), file(t, "wrapped.json"))
	if len(own.Claim.Members) != 0 {
		t.Errorf("Open WebUI takes %v", own.Claim.Members)
	}
	data, err := os.ReadFile("../openwebui/testdata/chat-export.json")
	if err != nil {
		t.Fatal(err)
	}
	if r := format.Read(t, importertest.File{Name: "x.json", Data: data}); len(r.Claim.Members) != 0 {
		t.Errorf("Qwen takes %v", r.Claim.Members)
	}
}

func FuzzElement(f *testing.F) {
	f.Add([]byte(`{"chat":{"history":{"messages":{"a":{"role":"assistant","content":"","content_list":[{"phase":"think","content":"x"},{"content":"y"}]}}}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "export"}, raw) })
}
