package manual_test

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/manual"
)

var format = importertest.Format{Importer: manual.New(), NoInverse: true}

func text(data string) importertest.File {
	return importertest.File{Name: "saved.md", Data: []byte(data)}
}

// records is a line for each record: kind, pointer, date, title and text.
func records(r *importertest.Result) string {
	var out []string
	for _, rec := range r.Records() {
		out = append(out, strings.Join([]string{rec.Kind, rec.Pointer, strings.TrimSuffix(rec.CreatedAt, "T00:00:00Z"), rec.Title, rec.Text}, "|"))
	}
	return strings.Join(out, "\n")
}

func TestSavedAnswers(t *testing.T) {
	for _, name := range []string{"memory-prompt.md", "notes.md", "plain.txt"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			r := format.Read(t, importertest.File{Name: name, Data: data})
			format.Check(t, r)
			importertest.Documents(t, "testdata/"+name+".golden", r)
		})
	}
}

func TestTheUsualCategoriesAreKindsOfRecords(t *testing.T) {
	r := format.Read(t, text("# Instructions\n- A\n# 2. Identity\n- B\n# Career\n- C\n# Projects\n- D\n# Personal preferences\n- E\n# Response style:\n## Always\n- F\n"))
	want := "instruction|line/2||Instructions|A\nprofile|line/4||2. Identity|B\nmemory|line/6||Career|C\nproject|line/8|||D\nmemory|line/10||Personal preferences|E\ninstruction|line/13||Always|F"
	if got := records(r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheSameTextInEveryEncoding(t *testing.T) {
	const said = "# Über mich\n- Mag Tee 🍵\n- Wohnt in Köln\n"
	want := records(format.Read(t, text(said)))
	wide := func(order binary.AppendByteOrder, mark bool) []byte {
		var out []byte
		if mark {
			out = order.AppendUint16(out, 0xFEFF)
		}
		for _, u := range utf16.Encode([]rune(said)) {
			out = order.AppendUint16(out, u)
		}
		return out
	}
	for name, data := range map[string][]byte{
		"a byte order mark":    []byte("\ufeff" + said),
		"Windows line ends":    []byte(strings.ReplaceAll(said, "\n", "\r\n")),
		"old Mac line ends":    []byte(strings.ReplaceAll(said, "\n", "\r")),
		"UTF-16 little endian": wide(binary.LittleEndian, true),
		"UTF-16 big endian":    wide(binary.BigEndian, true),
		"UTF-16 without mark":  wide(binary.LittleEndian, false),
	} {
		r := format.Read(t, importertest.File{Name: "x.txt", Data: data})
		if got := records(r); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestWhatIsNoTextIsNotClaimed(t *testing.T) {
	format.Refuse(t, "x.txt", map[string]string{
		"JSON": `{"a":1}`, "a JSON list": ` [{"a":1}]`, "JSON Lines": "{\"a\":1}\n{\"a\":2}", "a page": "<!DOCTYPE html><p>x", "XML": "<?xml version='1.0'?>",
		"a table": "Name,Time,Message\nA,2026-01-02,\"x\"\n", "a table with tabs": "Name\tAge\nA\t7\n", "a zip": "PK\x03\x04\x00\x00", "binary": "a\x00b", "PDF": "%PDF-1.7\n", "Latin-1": "caf\xe9 au lait", "nothing": "", "blank": " \n\t\n",
	})
	for name, data := range map[string]string{
		"entries with dates": "[2026-01-02] - Likes tea.", "no date": "[unknown] - Likes tea.", "short sentences": "Likes tea, coffee\nHates wine, beer\n",
		"a tag": "<memory>Likes tea</memory>", "one word": "tea", "a long text that is cut in a character": strings.Repeat("é", 40<<10) + "x",
	} {
		if r := format.Read(t, importertest.File{Name: "x.json", Data: []byte(data)}); len(r.Claim.Members) != 1 || len(r.Records()) == 0 {
			t.Errorf("%s is not claimed: %+v", name, r.Claim.Refused)
		}
	}
}

func TestBytesThatAreNoTextQuarantineTheFile(t *testing.T) {
	r := format.Read(t, importertest.File{Name: "x.txt", Data: []byte(strings.Repeat("- Likes tea.\n", 6000) + "\xff\n")}, text("- Likes coffee."))
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "encoding" || !strings.Contains(bad[0].Reason, "78000") {
		t.Errorf("quarantined: %+v", bad)
	}
	if len(r.Records()) != 1 {
		t.Errorf("%d records of the neighbour, want 1", len(r.Records()))
	}
}

func TestNothingIsPassedOverSilently(t *testing.T) {
	r := format.Read(t, text("# A\n# B\n- \n- x\n#\n"))
	if got := r.Skips()["empty-entry"]; got != 3 {
		t.Errorf("%d empty entries, want 3", got)
	}
	if got := records(r); got != "memory|line/4||B|x" {
		t.Errorf("got %q", got)
	}
}

func TestCodeInAListAndUnclosedCode(t *testing.T) {
	for in, want := range map[string]string{
		"- a\n```go\nx := 1\n```\nb":    "memory|line/1|||a\n```go\nx := 1\n```\nb",
		"- a\n\n```go\nx := 1\n```":     "memory|line/1|||a\nmemory|line/3|||```go\nx := 1\n```",
		"```\nnever closed\n# x\n- y\n": "memory|line/1|||```\nnever closed\n# x\n- y\n",
		"~~~md\n- a\n- b\n~~~":          "memory|line/2|||a\nmemory|line/3|||b",
		"```yaml\n- a\n- b\n```":        "memory|line/1|||```yaml\n- a\n- b\n```",
	} {
		if got := records(format.Read(t, text(in))); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", in, got, want)
		}
	}
}

func TestRestoreHasNoInverse(t *testing.T) {
	if _, err := manual.New().Restore(nil, &pamio.Conversation{ID: "x"}); !errors.Is(err, importer.ErrNoInverse) {
		t.Errorf("got %v", err)
	}
}

func TestHostileTextsAreReadInLinearTime(t *testing.T) {
	var deep strings.Builder
	for i := range 1000 {
		deep.WriteString(strings.Repeat(" ", i) + "- a:\n")
	}
	for name, data := range map[string]string{
		"one paragraph of many lines": strings.Repeat("x\n", 30000),
		"many items":                  strings.Repeat("- x\n", 30000),
		"many headings":               strings.Repeat("# x\n", 30000),
		"a list in a list in a list":  deep.String(),
		"many fences":                 strings.Repeat("```\n", 30001),
	} {
		if r := format.Read(t, text(data)); len(r.Units) != 1 || len(r.Units[0].Items) == 0 {
			t.Errorf("%s: nothing came of it", name)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, name := range []string{"memory-prompt.md", "notes.md", "plain.txt"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "answer"}, raw) })
}
