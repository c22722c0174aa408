package perplexity_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/perplexity"
)

var bookFormat = importertest.Format{Importer: perplexity.New(), NoInverse: true}

// tab is a sheet of a workbook: a text is shared, a number a number, a boolean a boolean, nil
// nothing.
type tab struct {
	name string
	rows [][]any
}

// parts makes the parts of a workbook.
func parts(t testing.TB, tabs ...tab) []importertest.File {
	t.Helper()
	escape := func(s string) string {
		var b bytes.Buffer
		if err := xml.EscapeText(&b, []byte(s)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var sheets, relations, shared strings.Builder
	var out []importertest.File
	texts := 0
	for i, tab := range tabs {
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, escape(tab.name), i+1, i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Target="worksheets/sheet%d.xml"/>`, i+1, i+1)
		var b strings.Builder
		b.WriteString(`<?xml version="1.0"?><worksheet><sheetData>`)
		for r, row := range tab.rows {
			fmt.Fprintf(&b, `<row r="%d">`, r+1)
			for c, v := range row {
				ref := string(rune('A'+c)) + strconv.Itoa(r+1)
				switch v := v.(type) {
				case string:
					fmt.Fprintf(&b, `<c r="%s" t="s"><v>%d</v></c>`, ref, texts)
					fmt.Fprintf(&shared, `<si><r><t>%s</t></r><rPh><t>aid</t></rPh></si>`, escape(v))
					texts++
				case bool:
					fmt.Fprintf(&b, `<c r="%s" t="b"><v>%d</v></c>`, ref, map[bool]int{true: 1}[v])
				case float64:
					fmt.Fprintf(&b, `<c r="%s" s="2"><v>%v</v></c>`, ref, v)
				}
			}
			b.WriteString(`</row>`)
		}
		b.WriteString(`</sheetData></worksheet>`)
		out = append(out, importertest.File{Name: fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), Data: []byte(b.String())})
	}
	return append(out,
		importertest.File{Name: "[Content_Types].xml", Data: []byte(`<Types/>`)},
		importertest.File{Name: "docProps/core.xml", Data: []byte(`<x/>`)},
		importertest.File{Name: "xl/workbook.xml", Data: []byte(`<workbook xmlns:r="r"><workbookPr/><sheets>` + sheets.String() + `</sheets></workbook>`)},
		importertest.File{Name: "xl/_rels/workbook.xml.rels", Data: []byte(`<Relationships>` + relations.String() + `</Relationships>`)},
		importertest.File{Name: "xl/sharedStrings.xml", Data: []byte(`<sst>` + shared.String() + `</sst>`)})
}

func gdpr() []tab {
	return []tab{
		{"Conversations", [][]any{
			{"UUID", "CREATED", "UPDATED", "TITLE", "OUTPUT_STR"},
			{"33333333-0000-4000-8000-000000000001", "2026-01-02 10:00:00.123456", "2026-01-03 10:00:00.000000", "Which tea?", `{"answer": "Assam.\nOr _x0041_ 茶.", "score": 1.50}`},
			{"33333333-0000-4000-8000-000000000002", 46024.5, 46025.25, "Which river?", "not JSON"},
			{},
			{"33333333-0000-4000-8000-000000000003", "soon", nil, "Which boat?"},
		}},
		{"Memory", [][]any{
			{"MEMORY_KEY", "MEMORY_VALUE", "FIRST_CREATED_AT", "LAST_UPDATED_QUERY", "CONFIDENCE", "IS_DELETED", "IS_FORGOTTEN", "IS_INVISIBLE"},
			{"drink", "Likes Assam tea", "2025-12-01 08:00:00.000000", "tea", 0.9, false, "False", false},
			{"boat", "Owns a boat", 45992.5, "boat", 0.5, true, false, false},
			{"house", "Lives in a house", 45992.5, "house", 0.5, false, "TRUE", false},
			{nil, `{"demographics":{"age":40},"summary":"A sailor"}`, "2025-12-01 08:00:00", nil, nil, false, false, true},
		}},
		{"User profile", [][]any{{"NAME"}, {"A. Person"}}},
		{"Preferences", [][]any{{"KEY", "VALUE"}, {"theme", "dark"}}},
		{"Subscription", [][]any{{"CARD"}, {"4111"}}},
	}
}

func readBook(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := bookFormat.Read(t, files...)
	bookFormat.Check(t, r)
	return r
}

func nested(t testing.TB, tabs ...tab) importertest.File {
	return importertest.File{Name: "perplexity_data.xlsx", Data: importertest.Pack(t, parts(t, tabs...)...)}
}

func TestWorkbook(t *testing.T) {
	r := readBook(t, nested(t, gdpr()...))
	if len(r.Conversations()) != 3 || len(r.Quarantined()) != 0 || len(r.Records()) != 6 || r.Skips()["billing"] != 1 {
		t.Errorf("%d conversations, %d quarantined, %d records, %v", len(r.Conversations()), len(r.Quarantined()), len(r.Records()), r.Skips())
	}
	importertest.Documents(t, "testdata/workbook.golden", r)
	bookFormat.Coverage(t, "testdata/workbook-coverage.golden", r)
	bookFormat.Mutate(t, r, 100)
	for _, u := range r.Units {
		if strings.Contains(string(u.Raw), "4111") {
			t.Error("the sheet of payments was read")
		}
	}
}

func TestWorkbookAsTheArchive(t *testing.T) {
	inner, outer := readBook(t, parts(t, gdpr()...)...), readBook(t, nested(t, gdpr()...))
	if len(inner.Claim.Members) != 10 {
		t.Errorf("%d parts are claimed", len(inner.Claim.Members))
	}
	a, b := inner.Conversations(), outer.Conversations()
	if len(a) != len(b) || len(a) != 3 {
		t.Fatalf("%d and %d conversations", len(a), len(b))
	}
	for i := range a {
		if string(a[i].Doc.AppendJSON(nil)) != string(b[i].Doc.AppendJSON(nil)) {
			t.Errorf("conversation %d differs", i)
		}
	}
}

func TestRowsOfConversations(t *testing.T) {
	got := readBook(t, nested(t, gdpr()...)).Conversations()
	d := got[0].Doc
	if d.Temporal.CreatedAt != "2026-01-02T10:00:00.123456Z" || *d.Messages[0].Content.Text != "Which tea?" || *d.Messages[1].Content.Text != "Assam.\nOr A 茶." {
		t.Errorf("%+v", d)
	}
	if d := got[1]; d.Doc.Temporal.CreatedAt != "2026-01-02T12:00:00Z" || d.Doc.Temporal.UpdatedAt != "2026-01-03T06:00:00Z" || *d.Doc.Messages[1].Content.Text != "not JSON" || d.Anomalies["unknown_output"] != 1 {
		t.Errorf("%+v, %v", d.Doc, d.Anomalies)
	}
	if d := got[2]; len(d.Doc.Messages) != 1 || d.Anomalies["unanswered"] != 1 || d.Anomalies["unreadable_time"] != 1 || d.Newest != "" {
		t.Errorf("%+v, %v", d.Doc, d.Anomalies)
	}
}

func TestRowsWithoutAConversationAreQuarantined(t *testing.T) {
	tabs := gdpr()[:1]
	tabs[0].rows = append(tabs[0].rows, []any{nil, nil, nil, nil, nil, "behind the columns"})
	r := readBook(t, nested(t, tabs...))
	if len(r.Conversations()) != 3 || len(r.Quarantined()) != 1 || r.Quarantined()[0].Code != "not_a_conversation" {
		t.Errorf("%d conversations, %d quarantined", len(r.Conversations()), len(r.Quarantined()))
	}
}

func TestMemoriesThatAreForgottenSayNothing(t *testing.T) {
	var texts []string
	for _, r := range readBook(t, nested(t, gdpr()...)).Records() {
		texts = append(texts, r.Kind+" "+r.ID+" "+r.Text+" "+r.CreatedAt)
		if !strings.HasPrefix(r.Pointer, "/Memory/") && r.Kind == importer.RecordMemory {
			t.Errorf("pointer %q", r.Pointer)
		}
	}
	want := []string{"memory drink Likes Assam tea 2025-12-01T08:00:00Z", "memory boat  2025-12-01T12:00:00Z", "memory house  2025-12-01T12:00:00Z", "profile  A sailor 2025-12-01T08:00:00Z", "profile   ", "setting   "}
	if strings.Join(texts, "|") != strings.Join(want, "|") {
		t.Errorf("%q", texts)
	}
}

func TestOtherWorkbooks(t *testing.T) {
	other := nested(t, tab{"Accounts", [][]any{{"NAME"}, {"x"}}})
	if r := readBook(t, other); len(r.Claim.Members) != 0 {
		t.Error("a workbook of somebody else is claimed")
	}
	if r := bookFormat.Read(t, other, fixture(t, "official.json")); len(r.Records()) != 2 {
		t.Errorf("%d records: the workbook beside an export is not read", len(r.Records()))
	}
	for name, data := range map[string][]byte{"a zip": importertest.Pack(t, importertest.File{Name: "xl/x", Data: []byte("x")}), "cut off": other.Data[:40]} {
		if r := readBook(t, importertest.File{Name: "x.xlsx", Data: data}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", name)
		}
		r := bookFormat.Read(t, importertest.File{Name: "x.xlsx", Data: append([]byte("PK\x03\x04xl/"), data...)}, fixture(t, "official.json"))
		if len(r.Conversations()) != 3 || len(r.Quarantined()) != 1 {
			t.Errorf("%s beside an export: %d conversations, %d quarantined", name, len(r.Conversations()), len(r.Quarantined()))
		}
	}
}

func TestDamagedSheetsSpareTheOthers(t *testing.T) {
	for _, c := range []struct {
		name          string
		change        func(string) string
		conversations int
	}{
		{"cut off", func(s string) string { return s[:strings.Index(s, `<row r="3">`)+40] }, 1},
		{"tags crossed", func(s string) string { return strings.Replace(s, `<row r="3">`, `<row r="3"></v>`, 1) }, 1},
		{"an entity", func(s string) string { return strings.Replace(s, `<row r="3">`, `<row r="3">&evil;`, 1) }, 1},
		{"no column", func(s string) string { return strings.Replace(s, `<c r="A3"`, `<c r="3"`, 1) }, 1},
		{"a column far away", func(s string) string { return strings.Replace(s, `<c r="A3"`, `<c r="ZZZZZZZZZZZZ3"`, 1) }, 1},
		{"deep", func(s string) string {
			return strings.Replace(s, `<row r="3">`, `<row r="3">`+strings.Repeat("<x>", 100), 1)
		}, 1},
	} {
		files := parts(t, gdpr()...)
		files[0].Data = []byte(c.change(string(files[0].Data)))
		r := readBook(t, importertest.File{Name: "x.xlsx", Data: importertest.Pack(t, files...)})
		if len(r.Conversations()) != c.conversations || len(r.Quarantined()) != 1 || len(r.Records()) != 6 {
			t.Errorf("%s: %d conversations, %d quarantined, %d records", c.name, len(r.Conversations()), len(r.Quarantined()), len(r.Records()))
			continue
		}
		if bad := r.Quarantined()[0]; bad.Code == "" || strings.Contains(bad.Reason, "evil") {
			t.Errorf("%s: %+v", c.name, bad)
		}
	}
}

func TestLimitsOfWorkbooks(t *testing.T) {
	tabs := gdpr()
	tabs[0].rows[2][3] = strings.Repeat("long ", 4000)
	book := nested(t, tabs...)
	r := importertest.Read(t, perplexity.New(), importer.Limits{MaxSidecar: 8 << 10}, book, fixture(t, "official.json"))
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "too_big" || !strings.Contains(bad[0].Reason, "limits.max_sidecar") {
		t.Errorf("%+v", bad)
	}
	files := parts(t, gdpr()...)
	files[0].Data = []byte(strings.Replace(string(files[0].Data), `<row r="3">`, `<row r="3"><c r="A3" t="inlineStr"><is><t>`+strings.Repeat("x", 64<<10)+`</t></is></c>`, 1))
	r = importertest.Read(t, perplexity.New(), importer.Limits{MaxConversation: 16 << 10}, importertest.File{Name: "x.xlsx", Data: importertest.Pack(t, files...)})
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "too_big" || len(r.Conversations()) != 1 {
		t.Errorf("%+v, %d conversations", bad, len(r.Conversations()))
	}
}

// A text that many cells share counts for each of them.
func TestRowsOfSharedTextsAreBounded(t *testing.T) {
	tabs := []tab{gdpr()[0]}
	tabs[0].rows[2][3] = strings.Repeat("long ", 1000)
	files := parts(t, tabs...)
	row, cell := string(files[0].Data), ""
	if _, rest, ok := strings.Cut(row, `<c r="D3" t="s"><v>`); ok {
		cell, _, _ = strings.Cut(rest, "<")
	}
	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, `<c r="%c3" t="s"><v>%s</v></c>`, 'F'+i, cell)
	}
	files[0].Data = []byte(strings.Replace(row, `</row><row r="4">`, many.String()+`</row><row r="4">`, 1))
	r := importertest.Read(t, perplexity.New(), importer.Limits{MaxConversation: 32 << 10}, importertest.File{Name: "x.xlsx", Data: importertest.Pack(t, files...)})
	bad := r.Quarantined()
	if len(bad) != 1 || bad[0].Code != "too_big" || !strings.Contains(bad[0].Reason, "the row at byte") || len(r.Conversations()) != 1 {
		t.Errorf("%+v, %d conversations", bad, len(r.Conversations()))
	}
}

func TestDaysSince1904(t *testing.T) {
	files := parts(t, gdpr()...)
	for i := range files {
		files[i].Data = bytes.Replace(files[i].Data, []byte("<workbookPr/>"), []byte(`<workbookPr date1904="1"/>`), 1)
	}
	r := readBook(t, importertest.File{Name: "x.xlsx", Data: importertest.Pack(t, files...)})
	if got := r.Conversations()[1].Doc.Temporal.CreatedAt; got != "2030-01-03T12:00:00Z" {
		t.Error(got)
	}
}

func TestIDsOfRowsNeverChange(t *testing.T) {
	if got := readBook(t, nested(t, gdpr()...)).Conversations()[0].Doc.ID; got != "7fd09b44-1ca7-56e5-9e02-95001b34f588" {
		t.Error(got)
	}
}

func FuzzRow(f *testing.F) {
	f.Add(uint8(0), []byte(`[{"UUID":"u","CREATED":45992.5,"TITLE":"q","OUTPUT_STR":{"answer":"a"}}]`))
	f.Add(uint8(1), []byte(`{"MEMORY_KEY":"k","MEMORY_VALUE":"v","IS_DELETED":"TRUE","FIRST_CREATED_AT":1e-99999999}`))
	f.Fuzz(func(t *testing.T, role uint8, raw []byte) {
		bookFormat.Fuzz(t, importer.Unit{Role: []string{"thread-row", "memory-row", "profile-row", "setting-row"}[role%4]}, raw)
	})
}

func FuzzSheet(f *testing.F) {
	for _, p := range parts(f, gdpr()...)[:2] {
		f.Add(p.Data)
	}
	f.Add([]byte(`<worksheet><row><c t="inlineStr"><is><t>_x005F_</t></is></c></row></worksheet>`))
	f.Fuzz(func(t *testing.T, sheet []byte) {
		files := parts(t, gdpr()...)
		files[0].Data = sheet
		bookFormat.Check(t, importertest.Read(t, perplexity.New(), importer.Limits{MaxConversation: 64 << 10}, importertest.File{Name: "x.xlsx", Data: importertest.Pack(t, files...)}))
	})
}
