package gemini_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importertest"
)

// rows is the promise about MyActivity.json: Restore gives the rows of a conversation, and beside
// each answer's HTML stands the message that was made of it.
var rows = importertest.Format{Importer: gemini.New(), Rows: true, Unordered: true, Derived: derived}

// cells is the promise about MyActivity.html.
var cells = importertest.Format{Importer: gemini.New(), NoInverse: true}

// derived is the size of the messages that were made of HTML.
func derived(doc *pamio.Conversation) int {
	n := 0
	for i := range doc.Messages {
		if m := &doc.Messages[i]; m.Role == "assistant" {
			one := pamio.Conversation{Messages: []pamio.Message{*m}}
			n += len(one.AppendJSON(nil))
		}
	}
	return n
}

const (
	logPath  = "Takeout/My Activity/Gemini Apps/MyActivity.json"
	pagePath = "Takeout/My Activity/Gemini Apps/MyActivity.html"
)

func file(t testing.TB, name, path string) importertest.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	return importertest.File{Name: name, Data: data}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	return rows.Read(t, files...)
}

// logFiles are the rows with the files that they name.
func logFiles(t testing.TB) []importertest.File {
	dir := filepath.Dir(logPath)
	return []importertest.File{
		file(t, logPath, "rows.json"),
		{Name: dir + "/tea pot-0123456789abcdef.jpg", Data: []byte("\xff\xd8\xff\xe0 a picture")},
		{Name: dir + "/drawn-00112233445566ff.png", Data: []byte("\x89PNG\r\n\x1a\n another")},
	}
}

func TestRows(t *testing.T) {
	r := read(t, logFiles(t)...)
	rows.Check(t, r)
	importertest.Documents(t, "testdata/rows-2026.12.golden", r)
	rows.Coverage(t, "testdata/rows-coverage.golden", r)
}

func pageFiles(t testing.TB) []importertest.File {
	files := logFiles(t)
	files[0] = file(t, pagePath, "page.html")
	return files
}

func TestPage(t *testing.T) {
	r := read(t, pageFiles(t)...)
	cells.Check(t, r)
	importertest.Documents(t, "testdata/page.golden", r)
}

func TestPagesOfAllLocales(t *testing.T) {
	r := read(t, file(t, "Takeout/Mi actividad/Aplicaciones de Gemini/MiActividad.html", "locales.html"))
	cells.Check(t, r)
	importertest.Documents(t, "testdata/locales.golden", r)
}

func TestPageWithTimesInTheHeaderCell(t *testing.T) {
	r := read(t, file(t, "activity.html", "header-layout.html"))
	cells.Check(t, r)
	importertest.Documents(t, "testdata/header-layout.golden", r)
}

func TestGemsAndScheduledActions(t *testing.T) {
	r := read(t,
		file(t, "Takeout/Gemini/gemini_gems_data.html", "gems.html"),
		file(t, "Takeout/Gemini/gemini_scheduled_actions_data.html", "actions.html"),
		importertest.File{Name: "Takeout 2/Gemini/gemini_gems_data.html", Data: []byte("<div></div>")})
	rows.Check(t, r)
	importertest.Documents(t, "testdata/gems.golden", r)
}
