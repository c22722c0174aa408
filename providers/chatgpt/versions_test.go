package chatgpt_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// Every released version has golden files of its own, which never change: what a version made of an
// archive once, it makes of it for ever.

// ownFixtures are all fixtures of this package as one archive, with an account and sidecars beside
// them.
func ownFixtures(t *testing.T) []importertest.File {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var files []importertest.File
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, importertest.File{Name: filepath.Base(p), Data: data})
	}
	return append(files,
		importertest.File{Name: "user.json", Data: []byte(`{"id":"user-1","email":"mia@example.org","chatgpt_plus_user":true,"phone_number":"+100"}`)},
		importertest.File{Name: "message_feedback.json", Data: []byte(`[{"id":"a","conversation_id":"conv-2024","rating":"thumbsUp","create_time":"2024-04-25T00:00:00Z"},{"id":"?","conversation_id":"gone","rating":"thumbsDown"}]`)},
		importertest.File{Name: "file-K-manual.pdf", Data: []byte("%PDF-1.4")},
		importertest.File{Name: "dalle-generations/file-IMG-1.webp", Data: []byte("RIFF....WEBPVP8 ")},
		importertest.File{Name: "sora.json", Data: []byte(`{"user":"user-1","tasks":[]}`)},
	)
}

func TestDocumentsOfEveryVersion(t *testing.T) {
	for _, imp := range chatgpt.Versions() {
		version := strings.TrimPrefix(imp.Version(), "chatgpt-importer/")
		t.Run(version, func(t *testing.T) {
			r := readPlain(t, imp, ownFixtures(t)...)
			importertest.Documents(t, "testdata/documents-"+version+".golden", r)
			importertest.Golden(t, "testdata/shared-"+version+".golden", digests(t, imp))
		})
	}
}

// A better parser never renames what an older one made: the ids of all versions are the same.
func TestEveryVersionGivesTheSameIDs(t *testing.T) {
	check := func(t *testing.T, files []importertest.File) {
		t.Helper()
		ids := func(imp importer.Importer) (out []string) {
			for _, s := range readPlain(t, imp, files...).Conversations() {
				if s.Doc.Provider.ExportFormatVersion == "chatgpt-codex-cloud" {
					continue // no conversation of 2026.07
				}
				out = append(out, s.Doc.ID)
				for i := range s.Doc.Messages {
					out = append(out, s.Doc.Messages[i].ID)
				}
			}
			return out
		}
		first := ids(chatgpt.New202607())
		for _, imp := range chatgpt.Versions() {
			if got := ids(imp); !slices.Equal(got, first) {
				t.Errorf("%s gives other ids", imp.Version())
			}
		}
	}
	t.Run("own fixtures", func(t *testing.T) { check(t, ownFixtures(t)) })
	t.Run("shared fixtures", func(t *testing.T) {
		root := importertest.Shared(t, "fixtures", "chatgpt")
		folders, err := fs.Glob(os.DirFS(root), "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			check(t, importertest.Load(t, filepath.Join(root, folder)))
		}
	})
}

func TestVersionsAreNewestFirst(t *testing.T) {
	all := chatgpt.Versions()
	if all[0].Version() != chatgpt.New().Version() || chatgpt.New().Version() != "chatgpt-importer/2026.12" ||
		all[1].Version() != "chatgpt-importer/2026.11" || all[2].Version() != "chatgpt-importer/2026.07" {
		t.Errorf("versions %s, %s, %s", all[0].Version(), all[1].Version(), all[2].Version())
	}
}

// readPlain is importertest.Read.
func readPlain(t *testing.T, imp importer.Importer, files ...importertest.File) *importertest.Result {
	t.Helper()
	return importertest.Read(t, imp, importer.Limits{}, files...)
}

// digests are the SHA-256 of all that a version makes of each folder of the shared fixtures.
func digests(t *testing.T, imp importer.Importer) string {
	t.Helper()
	root := importertest.Shared(t, "fixtures", "chatgpt")
	folders, err := fs.Glob(os.DirFS(root), "*")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(folders)
	var out strings.Builder
	for _, folder := range folders {
		r := readPlain(t, imp, importertest.Load(t, filepath.Join(root, folder))...)
		sum := sha256.New()
		for _, s := range r.Conversations() {
			sum.Write(s.Doc.AppendJSON(nil))
		}
		fmt.Fprintf(&out, "%s %d conversations %x\n", folder, len(r.Conversations()), sum.Sum(nil))
	}
	return out.String()
}
