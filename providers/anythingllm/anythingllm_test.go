package anythingllm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/pamline/pamline/providers/anythingllm"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var (
	list  = importertest.Format{Importer: anythingllm.New(), Rows: true}
	lines = importertest.Format{Importer: anythingllm.New()}
	table = importertest.Format{Importer: anythingllm.New(), NoInverse: true}
)

var forms = []struct {
	name   string
	format importertest.Format
	want   int
}{{"export.json", list, 4}, {"alpaca.json", list, 2}, {"export.jsonl", lines, 3}, {"export.csv", table, 4}}

func file(t testing.TB, name string) importertest.File {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return importertest.File{Name: name, Data: data}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	return importertest.Read(t, anythingllm.New(), importer.Limits{}, files...)
}

func TestFormsOfExports(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			r := read(t, file(t, f.name))
			f.format.Check(t, r)
			if got := len(r.Conversations()); got != f.want {
				t.Errorf("%d conversations, want %d", got, f.want)
			}
			importertest.Documents(t, "testdata/"+f.name+".golden", r)
			f.format.Coverage(t, "testdata/"+f.name+"-coverage.golden", r)
			f.format.Mutate(t, r, 100)
		})
	}
}

// TestGroupingDoesNotDependOnTheOrder gives the rows in other orders and in two files: the same
// conversations come out of every order, and rows keep their place among themselves.
func TestGroupingDoesNotDependOnTheOrder(t *testing.T) {
	var rows []json.RawMessage
	if err := json.Unmarshal(file(t, "export.json").Data, &rows); err != nil {
		t.Fatal(err)
	}
	ids := func(r *importertest.Result) (out []string) {
		for _, s := range r.Conversations() {
			var texts []string
			for _, m := range s.Doc.Messages {
				texts = append(texts, m.ID)
			}
			slices.Sort(texts)
			out = append(out, s.Doc.ID+" "+strings.Join(texts, ","))
		}
		slices.Sort(out)
		return out
	}
	want := ids(read(t, file(t, "export.json")))
	slices.Reverse(rows)
	turned, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(read(t, importertest.File{Name: "x.json", Data: turned})); !slices.Equal(got, want) {
		t.Errorf("turned round: %v, want %v", got, want)
	}
}

func TestThoughtsStandBeforeTheirAnswer(t *testing.T) {
	for _, f := range forms {
		var got []string
		for _, s := range read(t, file(t, f.name)).Conversations() {
			for _, m := range s.Doc.Messages {
				if m.IsThought {
					got = append(got, *m.Content.Text)
				}
			}
		}
		if len(got) != 1 || !strings.Contains(got[0], "strong tea") {
			t.Errorf("%s: thoughts %q", f.name, got)
		}
	}
}

func TestTablesAreSaidToBeLossy(t *testing.T) {
	for _, s := range read(t, file(t, "export.csv")).Conversations() {
		if !bytes.Contains(s.Doc.RawMetadata, []byte(`"lossy"`)) {
			t.Errorf("%s", s.Doc.RawMetadata)
		}
		if _, err := anythingllm.New().Restore(nil, s.Doc); !errors.Is(err, importer.ErrNoInverse) {
			t.Errorf("%v", err)
		}
	}
}

func TestAnEditIsRestored(t *testing.T) {
	for _, f := range forms[:3] {
		edited := false
		for _, s := range read(t, file(t, f.name)).Conversations() {
			for i := range s.Doc.Messages {
				if m := &s.Doc.Messages[i]; m.IsThought {
					text := "edited"
					m.Content.Text = &text
				}
			}
			back, err := anythingllm.New().Restore(nil, s.Doc)
			if err != nil {
				t.Fatal(err)
			}
			edited = edited || strings.Contains(string(back), `<think>\nedited\n</think>\n\nAssam.`)
		}
		if !edited {
			t.Errorf("%s: the thought is not edited", f.name)
		}
	}
}

func TestDamagedLists(t *testing.T) {
	whole := file(t, "export.json").Data
	middle := `{"id":2,"workspace":"Coffee"`
	for name, change := range map[string]struct {
		to        string
		bad, kept int
	}{
		"a row is null":                  {`null, ` + middle, 1, 4},
		"a row is a number":              {`17, ` + middle, 1, 4},
		"a row is empty":                 {`{}, ` + middle, 1, 4},
		"a row is not JSON":              {`{"a":nul}, ` + middle, 1, 4},
		"a row has a lone surrogate":     {`{"odd":"\ud800",` + middle[1:], 0, 4},
		"a row has a byte of no text":    {"{\"odd\":\"\xff\"," + middle[1:], 0, 4},
		"a row has a key twice":          {`{"id":2,` + middle[1:], 0, 4},
		"a bracket that is never closed": {`{"a":[, ` + middle, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			compact := &bytes.Buffer{}
			if err := json.Compact(compact, whole); err != nil {
				t.Fatal(err)
			}
			data := strings.Replace(compact.String(), middle, change.to, 1)
			if data == compact.String() {
				t.Fatal("the row is not there")
			}
			r := read(t, importertest.File{Name: "x.json", Data: []byte(data)})
			list.Check(t, r)
			if len(r.Quarantined()) < change.bad || len(r.Conversations()) < change.kept {
				t.Errorf("%d conversations, want %d; %d quarantined, want %d", len(r.Conversations()), change.kept, len(r.Quarantined()), change.bad)
			}
		})
	}
}

func TestDamagedTables(t *testing.T) {
	whole := string(file(t, "export.csv").Data)
	for name, c := range map[string]struct {
		data      string
		bad, kept int
	}{
		"a mark of the byte order":   {"\xef\xbb\xbf" + whole, 0, 4},
		"line ends of Windows":       {strings.ReplaceAll(whole, "\n", "\r\n"), 0, 4},
		"a quote in an open cell":    {strings.Replace(whole, `"2","ada"`, `"2",a"d"a`, 1), 1, 3},
		"a short row":                {strings.Replace(whole, `,"2026-01-02T03:05:05.000Z","GOOD"`, "", 1), 0, 4},
		"a row of too many cells":    {strings.Replace(whole, `"GOOD"`, `"GOOD","more"`, 1), 0, 4},
		"the end is missing":         {whole[:len(whole)-60], 1, 3},
		"a byte that is not UTF-8":   {strings.Replace(whole, "Arabica", "Arab\xffca", 1), 0, 4},
		"an empty line":              {strings.Replace(whole, "\n", "\n\n", 2), 0, 4},
		"a row of nothing that fits": {whole + "\nx", 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, importertest.File{Name: "x.csv", Data: []byte(c.data)})
			table.Check(t, r)
			if len(r.Quarantined()) != c.bad || len(r.Conversations()) != c.kept {
				t.Errorf("%d conversations, want %d; %d quarantined, want %d", len(r.Conversations()), c.kept, len(r.Quarantined()), c.bad)
			}
		})
	}
}

func TestALimitIsALocatedError(t *testing.T) {
	for _, name := range []string{"export.json", "export.csv"} {
		r := importertest.Read(t, anythingllm.New(), importer.Limits{MaxConversation: 2500}, file(t, name))
		if len(r.Quarantined()) == 0 || len(r.Conversations()) == 0 {
			t.Errorf("%s: %d conversations, %d quarantined", name, len(r.Conversations()), len(r.Quarantined()))
		}
		for _, b := range r.Quarantined() {
			if b.Code != "too_big" || b.Size <= 2500 || b.Member != name {
				t.Errorf("%+v", b)
			}
		}
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	for _, data := range []string{
		`[{"instruction":"x","input":"y","output":"z","source":"a data set"}]`,
		`{"messages":[{"role":"user","content":"plain"}]}`,
		`{"messages":[{"id":"x","role":"user","content":[{"type":"text","text":"plain"}]}]}`,
		`{"model":"x","messages":[{"role":"user","content":[{"type":"text","text":"plain"}]}]}`,
		"prompt,response\na,b\n",
	} {
		if r := read(t, importertest.File{Name: "x", Data: []byte(data)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed as %s", data, r.Claim.Members[0].Role)
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(`[{"id":1,"prompt":"x","response":"<think>y</think>z"},null]`))
	f.Fuzz(func(t *testing.T, raw []byte) { list.Fuzz(t, importer.Unit{Role: "json"}, raw) })
}

func FuzzTable(f *testing.F) {
	f.Add([]byte("workspace,prompt,response,sent_at\n\"a\",\"b\"\"\n\",c,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		head := []byte("workspace,prompt,response,sent_at\n")
		r := importertest.Read(t, anythingllm.New(), importer.Limits{MaxConversation: 1 << 16}, importertest.File{Name: "x.csv", Data: append(head, data...)})
		table.Check(t, r)
	})
}

// One bad line neither hides a file nor takes its neighbours along.
func TestDamagedLines(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(file(t, "export.jsonl").Data)), "\n")
	if len(lines) != 3 {
		t.Fatalf("the fixture has %d lines", len(lines))
	}
	for name, bad := range map[string]string{
		"null":                           "null",
		"a number":                       "17",
		"an object of nothing":           "{}",
		"half a line":                    lines[1][:len(lines[1])/2],
		"a bracket that is never closed": `{"a":[`,
		"bytes that are no text":         "\x00\x01\xff\xfe}{][",
		"nothing but opening brackets":   strings.Repeat("[", 100_000),
		"an object without an end":       strings.Repeat(`{"a":`, 100_000),
		"a deep line":                    `{"deep":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "," + lines[1][1:],
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, importertest.File{Name: "x.jsonl", Data: []byte(lines[0] + "\n" + bad + "\n" + lines[2] + "\n")})
			if len(r.Quarantined()) == 0 || len(r.Conversations()) != 2 {
				t.Errorf("%d conversations, want 2; %d quarantined, want some", len(r.Conversations()), len(r.Quarantined()))
			}
		})
	}
}

func TestTablesInUTF16(t *testing.T) {
	whole := read(t, file(t, "export.csv"))
	for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
		data, err := unicode.UTF16(unicode.LittleEndian, mark).NewEncoder().Bytes(file(t, "export.csv").Data)
		if err != nil {
			t.Fatal(err)
		}
		r := read(t, importertest.File{Name: "export.csv", Data: data})
		if len(r.Conversations()) != len(whole.Conversations()) || len(r.Quarantined()) > 0 {
			t.Fatalf("%d conversations, %d quarantined; want %d and none", len(r.Conversations()), len(r.Quarantined()), len(whole.Conversations()))
		}
		for i, s := range r.Conversations() {
			if !bytes.Equal(s.Doc.AppendJSON(nil), whole.Conversations()[i].Doc.AppendJSON(nil)) {
				t.Errorf("conversation %d is not as in UTF-8", i)
			}
		}
	}
}
