package openwebui_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/openwebui"
)

var format = importertest.Format{Importer: openwebui.New()}

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
	files := []importertest.File{{Name: "data/uploads/11111111-2222-4333-8444-555555555555_teas.pdf", Data: []byte("%PDF-1.4 teas")}}
	for _, n := range names {
		files = append(files, file(t, n))
	}
	return format.Read(t, files...)
}

func TestFormsOfExports(t *testing.T) {
	for name, want := range map[string]int{"chat-export": 5, "chat-object": 1, "chat-object-list": 1, "wrapped": 1} {
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
	format.Coverage(t, "testdata/coverage.golden", read(t, "chat-export.json", "chat-object.json", "chat-object-list.json"))
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, "chat-export.json", "chat-object.json", "chat-object-list.json"), 100)
}

func TestDamagedExports(t *testing.T) {
	format.Damage(t, []importertest.File{file(t, "chat-export.json")}, 0, importertest.JSONDamages()...)
}

// The rules of ids are frozen: these never change.
func TestIDsAreFrozen(t *testing.T) {
	ids := map[string]string{}
	for _, s := range read(t, "chat-export.json", "chat-object.json", "chat-object-list.json").Conversations() {
		ids[*s.Doc.Title+" "+s.Doc.Provider.ExportFormatVersion] = s.Doc.ID
	}
	for name, want := range map[string]string{
		"Tea 🍵 chat-export":           "aec3750e-adfa-5079-8a91-37cfa3092462",
		"Tea 🍵 chat-object":           "0ad8fff6-0928-5aac-8e2a-a522b46d53f4",
		"Old object chat-object-list": "f384f7a9-a35f-5b34-84e1-933e9ead0628",
	} {
		if ids[name] != want {
			t.Errorf("%s is %s, was %s", name, ids[name], want)
		}
	}
}

func TestCharactersThatWereEscapedTwiceStayAndAreCounted(t *testing.T) {
	s := read(t, "chat-export.json").Conversations()[1]
	if *s.Doc.Messages[0].Content.Text != `Hello \ud83e\udde0` || s.Anomalies["escaped_surrogates"] != 1 {
		t.Errorf("%q, anomalies %v", *s.Doc.Messages[0].Content.Text, s.Anomalies)
	}
}

func TestHostileMarkupIsReadInLinearTime(t *testing.T) {
	many := strings.Repeat(`\n<details type=\"x\"`, 20_000)
	calls := strings.Repeat(`{"type":"function_call","call_id":"a","name":"f"},`, 3000) + strings.Repeat(`{"type":"function_call_output","call_id":"a","output":"x"},`, 3000)
	for _, element := range []string{
		`{"chat":{"history":{"messages":{"a":{"role":"assistant","content":"` + many + `</details>"}}}}}`,
		`{"chat":{"history":{"messages":{"a":{"role":"assistant","content":"` + strings.Repeat(`<details type=\"reasoning\"></summary>\n</details>\n`, 5000) + `"}}}}}`,
		`{"chat":{"history":{"messages":{"a":{"role":"assistant","output":[` + calls + `{}]}}}}}`,
	} {
		items, err := openwebui.New().Decode(importer.Unit{Role: "export", Raw: []byte(element)})
		if err != nil || len(items) != 1 {
			t.Fatalf("%v", err)
		}
	}
}

func TestAnEditIsRestored(t *testing.T) {
	for _, s := range read(t, "chat-export.json").Conversations() {
		title := "Edited"
		s.Doc.Title = &title
		for i := range s.Doc.Messages {
			if m := &s.Doc.Messages[i]; m.IsThought && m.Content.Type == "text" {
				text := "Edited thought\nof two lines"
				m.Content.Text = &text
			}
		}
		back, err := openwebui.New().Restore(nil, s.Doc)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(back), `"title":"Edited"`) {
			t.Errorf("the title is not edited: %.300s", back)
		}
		if strings.Contains(string(back), "details type") && !strings.Contains(string(back), "Edited thought") {
			t.Errorf("the thought is not edited: %.3000s", back)
		}
	}
}

func FuzzElement(f *testing.F) {
	for _, s := range []string{`{"chat":{"history":{"messages":{"a":{"role":"user"}}}}}`, `{"history":{"messages":{"a":{"id":"a","parentId":"a","content":"<details type=\"reasoning\">\n<summary></summary>\n> x\n</details>","role":"assistant"}}}}`,
		`{"chat":{"messages":[{"content":[{"type":"text","text":"x"}],"output":[{"type":"message"}],"role":"assistant"}]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "export"}, raw) })
}
