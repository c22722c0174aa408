package stagetest

import (
	"slices"
	"testing"
)

func TestEachImporterOfNotesReadsItsOwnFolder(t *testing.T) {
	t.Parallel()
	r := New(t)
	r.Ingest.Registry = NotesRegistry()
	m, err := r.Read(t.Context(), r.PutDrop(t, Zip(t, map[string]string{
		"notes.json":       `[{"id":"a","text":"hello","files":["files/x.txt"]},{"record":{"kind":"memory","title":"","text":"Likes tea."}}]`,
		"files/x.txt":      "x",
		"other/notes.json": `[{"id":"a","text":"hello"}]`,
	})))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Importers, []string{"notes-importer/2026.01", "others-importer/2026.01"}) || m.Counts.Conversations != 2 || m.Counts.Assets.Files != 1 {
		t.Errorf("%q read %+v", m.Importers, m.Counts)
	}
}
