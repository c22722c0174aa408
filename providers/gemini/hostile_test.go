package gemini_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func TestRowsOfOddValues(t *testing.T) { rows.Mutate(t, read(t, logFiles(t)...), 100) }

func TestCellsOfOddValues(t *testing.T) { cells.Mutate(t, read(t, pageFiles(t)...), 20) }

func TestDamagedLog(t *testing.T) { rows.Damage(t, logFiles(t), 0, importertest.JSONDamages()...) }

func TestDamagedPage(t *testing.T) {
	const mark = "The title of this row starts with no verb that is known."
	insert := func(s string) func(testing.TB, []byte) []byte {
		return func(t testing.TB, data []byte) []byte {
			t.Helper()
			if !bytes.Contains(data, []byte(mark)) {
				t.Fatal("the page has changed")
			}
			return bytes.Replace(data, []byte(mark), []byte(s), 1)
		}
	}
	cells.Damage(t, pageFiles(t), 0,
		importertest.Damage{Name: "a comment that is not closed", Change: insert("x<!-- "), Lost: 1},
		importertest.Damage{Name: "a script that is not closed", Change: insert("x<script>"), Lost: 1},
		importertest.Damage{Name: "a textarea that is not closed", Change: insert("x<textarea>"), Lost: 1},
		importertest.Damage{Name: "plaintext", Change: insert("x<plaintext>"), Lost: 1},
		importertest.Damage{Name: "a tag that is not closed", Change: insert(`x<div class="`), Lost: 1},
		importertest.Damage{Name: "ends without a start", Change: insert("x</p></div></div></div></div></div></body></html>"), Lost: 1},
		importertest.Damage{Name: "starts without an end", Change: insert(strings.Repeat("<div><table><ul><li>", 50)), Lost: 1},
		importertest.Damage{Name: "bytes that are not UTF-8", Change: insert("x\xff\xfe\xed\xa0\x80"), Lost: 1},
		importertest.Damage{Name: "a zero byte", Change: insert("x\x00"), Lost: 1},
		importertest.Damage{Name: "no product", Lost: 1, Quarantined: 1, Change: func(_ testing.TB, data []byte) []byte {
			i := bytes.Index(data, []byte("Tanyakan"))
			k := bytes.LastIndex(data[:i], []byte("Gemini Apps<br></p>"))
			return append(bytes.Clone(data[:k]), data[k+len("Gemini Apps"):]...)
		}},
		importertest.Damage{Name: "the end is missing", Lost: 1, Quarantined: 1, Change: func(_ testing.TB, data []byte) []byte { return data[:len(data)-300] }},
		importertest.Damage{Name: "only the last bracket is missing", Change: func(_ testing.TB, data []byte) []byte { return data[:len(data)-1] }},
		importertest.Damage{Name: "a cell twice", Change: func(_ testing.TB, data []byte) []byte {
			i := bytes.Index(data, []byte(`<div class="outer-cell`))
			k := i + 1 + bytes.Index(data[i+1:], []byte(`<div class="outer-cell`))
			return append(bytes.Clone(data[:k]), data[i:]...)
		}},
		importertest.Damage{Name: "UTF-16", Change: func(t testing.TB, data []byte) []byte {
			t.Helper()
			out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(data)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}},
		importertest.Damage{Name: "a byte order mark", Change: func(_ testing.TB, data []byte) []byte { return append([]byte("\ufeff"), data...) }},
	)
}

func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 3000)
	row := func(id, text string) string {
		return `{"header":"Gemini Apps","title":"Prompted ` + text + `","time":"2026-01-02T03:04:05Z","details":[{"url":"https://gemini.google.com/app/` + id + `"}]}`
	}
	limits := importer.Limits{MaxConversation: 4000}
	r := importertest.Read(t, gemini.New(), limits,
		jsonLog(row("a", "short"), row("b", long), row("b", long+"y"), row("c", strings.Repeat("x", 5000)), `{"header":"Gemini Apps","title":"Prompted deep","time":"2026-01-02T03:04:05Z","x":`+strings.Repeat("[", 600)+strings.Repeat("]", 600)+`}`),
		page(outerCell("Prompted x<br>Jan 2, 2026, 3:04:05 PM UTC"), outerCell("Prompted "+strings.Repeat("x", 5000)+"<br>Jan 2, 2026, 3:04:05 PM UTC"), outerCell("Prompted y<br>Jan 2, 2026, 3:04:05 PM UTC")))
	codes := map[string]int{}
	for _, b := range r.Quarantined() {
		codes[b.Code]++
		if b.Member == "" || b.Reason == "" || strings.Contains(b.Reason, "xxx") {
			t.Errorf("%+v", b)
		}
	}
	if len(r.Conversations()) != 3 || codes["too_big"] != 3 || codes["too_deep"] != 1 {
		t.Errorf("%d conversations, %v", len(r.Conversations()), codes)
	}
}

func TestCellsAreNotRestored(t *testing.T) {
	doc := only(t, read(t, page(outerCell("Prompted x<br>Jan 2, 2026, 3:04:05 PM UTC")))).Doc
	if _, err := gemini.New().Restore(nil, doc); !errors.Is(err, importer.ErrNoInverse) {
		t.Error(err)
	}
}

func TestPagesOfGems(t *testing.T) {
	name := "Takeout/Gemini/gemini_gems_data.html"
	for data, want := range map[string][3]int{ // claimed, records, quarantined
		"<div></div>":           {1, 0, 0},
		"":                      {0, 0, 0},
		"<div>a new form</div>": {1, 0, 1},
		"<b>Name:</b>":          {1, 1, 0},
		"<b>Name:</b>x<br><b>Instructions:</b>y<b>z</b><b>Name:</b>": {1, 2, 0},
	} {
		r := read(t, importertest.File{Name: name, Data: []byte(data)})
		rows.Check(t, r)
		if len(r.Claim.Members) != want[0] || len(r.Records()) != want[1] || len(r.Quarantined()) != want[2] {
			t.Errorf("%q: %d claimed, %d records, %v", data, len(r.Claim.Members), len(r.Records()), r.Quarantined())
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(`[{"header":"Gemini Apps","title":"Prompted \ud800x","time":"2026-01-02T03:04:05Z","safeHtmlItem":[{"html":"<p>a"}],"subtitles":[{"name":"-  a","url":"a.b"}]}]`))
	f.Add([]byte(`[{"header":"Gemini","title":{"verb":"Prompted ","prompt":"x"},"safeHtmlItem":"<b>"},{"title":"Used x","time":1,"products":null},null]`))
	f.Add([]byte(`[{"header":[],"title":"Prompted\u00a0\u00a0","time":"","title":"Asked x","details":{"url":"https://gemini.google.com/app/x"}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) { rows.Fuzz(t, importer.Unit{Role: "rows"}, raw) })
}

func FuzzCells(f *testing.F) {
	for _, s := range []string{"Prompted x<br>Jan 2, 2026, 3:04:05 PM UTC<p>y", "<br><a href=x><br>", "-&nbsp;<a href='a.png'>a</a><br>1 file.<br>"} {
		f.Add(`[{"cell":"` + strings.ReplaceAll(outerCell(s), `"`, `\"`) + `"}]`)
	}
	f.Fuzz(func(t *testing.T, raw string) { cells.Fuzz(t, importer.Unit{Role: "cells"}, []byte(raw)) })
}

func FuzzPage(f *testing.F) {
	f.Add(outerCell("Prompted x<br>Jan 2, 2026, 3:04:05 PM UTC<br><div class=outer-cell>"))
	f.Add(`<div class="outer-cell"><div class="header-cell"><h3>Gemini Apps</h3><p>Prompted</p><p>Jan 2, 2025, 3:04:05 PM EDT</p></div><div class="content-cell"><p>a</p>b</div></div>`)
	f.Add(`<div <div class='outer-cell'><DIV CLASS=outer-cell><p class=mdl-typography--title>`)
	f.Add(`<b>Name:</b>x<b>Instructions:</b>`)
	f.Fuzz(func(t *testing.T, s string) {
		files := []importertest.File{{Name: "a/page.html", Data: []byte("<html>" + s)}, {Name: "gemini_gems_data.html", Data: []byte(s)}}
		r := importertest.Read(t, gemini.New(), importer.Limits{MaxConversation: 1 << 20}, files...)
		for _, u := range r.Units {
			if u.Role == "cells" {
				cells.Check(t, &importertest.Result{Units: []importertest.Unit{u}})
			}
		}
	})
}

// What is long in an unusual way takes no unusual time.
func TestLongRowsAndCells(t *testing.T) {
	const n = 2000
	many := func(s string) string { return strings.Repeat(s, n) }
	list := func(s string) string { return strings.TrimSuffix(many(s+","), ",") }
	r := read(t, jsonLog(
		`{"header":"Gemini Apps","title":"Prompted a","time":"2026-01-02T03:04:05Z","subtitles":[`+list(`{"name":"x"},{"name":"y","url":"https://e.example/1"},{"name":"-  z","url":"z.png"}`)+`]}`,
		`{"header":"Gemini Apps","title":"Prompted b","time":"2026-01-02T03:04:05Z","details":[`+list(`{"url":"https://gemini.google.com/app/x"},{"name":"https://gemini.google.com/app/y"}`)+`],"attachedFiles":[`+list(`"f.png"`)+`]}`,
		`{"header":"Gemini Apps","title":"Prompted c","time":"2026-01-02T03:04:05Z","safeHtmlItem":[`+list(`{"html":"<img src=a.png>"}`)+`]}`,
	), page(
		outerCell("Prompted d<br>"+many("1<br>")+"-&nbsp;<a href=a.png>a</a><br>Jan 2, 2026, 3:04:05 PM UTC<br><p>x</p>"),
		outerCell("Prompted e<br>"+many("-&nbsp;<a href=a.png>a</a><br>")+"Jan 2, 2026, 3:04:05 PM UTC<br>"+many("<div><b>")),
		outerCell("Prompted f<br>"+many("Jan 2, 2026, 3:04:05 PM UTC<br>")),
		outerCell(many("<a href='https://gemini.google.com/app/x'>")),
	))
	if n := len(r.Conversations()); n != 6 {
		t.Errorf("%d conversations, %v", n, r.Quarantined())
	}
	for _, s := range r.Conversations() {
		if _, err := gemini.New().Restore(nil, s.Doc); err != nil && !errors.Is(err, importer.ErrNoInverse) {
			t.Error(err)
		}
	}
}
