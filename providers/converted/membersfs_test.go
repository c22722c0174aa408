package converted_test

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/converted"
	"github.com/pamline/pamline/providers/importertest"
)

// Members of a document are a file system below its root, as codecs of folders need it.
func TestMembersAreAFileSystem(t *testing.T) {
	zip := importertest.Pack(t, importertest.File{Name: "my.mem/manifest.json", Data: []byte("{}")}, importertest.File{Name: "my.mem/items/fact.jsonl", Data: []byte("{}\n")})
	a, err := archive.Open(t.Context(), []archive.Part{{Name: "drop.zip", Source: bytes.NewReader(zip)}}, archive.Limits{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	below := converted.FS(t.Context(), converted.Document{Members: a.Members, Root: "my.mem"})
	if err := fstest.TestFS(below, "manifest.json", "items/fact.jsonl"); err != nil {
		t.Error(err)
	}
	if body, err := fs.ReadFile(below, "items/fact.jsonl"); err != nil || string(body) != "{}\n" {
		t.Errorf("%q, %v", body, err)
	}
	if _, err := below.Open("my.mem/manifest.json"); err == nil {
		t.Error("a member is found above the root")
	}
}
