package providers_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// row is what became of one drop.
type row struct {
	drop, importers                                       string
	conversations, messages, records, assets, quarantined int
	skips                                                 int
	restored, unclaimed                                   int
	refusal                                               string
}

func (r row) String() string {
	if r.refusal != "" {
		return fmt.Sprintf("%-44s refused: %s", r.drop, r.refusal)
	}
	return fmt.Sprintf("%-44s %-62s %5d conv %6d msg %3d rec %3d assets %3d quarantined %3d skipped %3d restored %3d unread",
		r.drop, r.importers, r.conversations, r.messages, r.records, r.assets, r.quarantined, r.skips, r.restored, r.unclaimed)
}

// drop reads files as one drop with all importers, holds that what has an inverse comes back, and
// counts.
func drop(t *testing.T, name, pin string, files ...importertest.File) row {
	t.Helper()
	out := row{drop: name}
	part := archive.Part{Name: name, Source: bytes.NewReader(importertest.Pack(t, files...))}
	if len(files) == 1 {
		part = archive.Part{Name: files[0].Name, Source: bytes.NewReader(files[0].Data)}
	}
	a, err := archive.Open(t.Context(), []archive.Part{part}, archive.Limits{}, t.TempDir())
	if err != nil {
		out.refusal = err.Error()
		return out
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	limits := importer.Limits{Scratch: t.TempDir()}.WithDefaults()
	d, err := providers.Default().Detect(t.Context(), a, providers.Options{Importer: pin, Limits: limits})
	var none *providers.UnrecognizedError
	if errors.As(err, &none) {
		out.refusal = strings.Join(none.Seen, "; ")
		return out
	}
	if err != nil {
		t.Fatal(err)
	}
	out.unclaimed = len(d.Unclaimed)
	var names []string
	for _, c := range d.Claims {
		names = append(names, c.Importer.Version())
		for _, m := range c.Claim.Members {
			if m.Role == importer.RoleAsset {
				out.assets++
			}
		}
		for u, err := range c.Importer.Split(t.Context(), c.Claim, limits) {
			if err != nil {
				t.Fatal(err)
			}
			out.unit(t, c.Importer, u)
		}
	}
	out.importers = strings.Join(names, " ")
	return out
}

func (r *row) unit(t *testing.T, imp importer.Importer, u importer.Unit) {
	t.Helper()
	if u.Err != nil {
		r.quarantined++
		return
	}
	items, err := imp.Decode(u)
	var bad *importer.UnitError
	if errors.As(err, &bad) {
		r.quarantined++
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", u.Member.Name, err)
	}
	for _, i := range items {
		switch {
		case i.Record != nil:
			r.records++
		case i.Skip != nil:
			r.skips += i.Skip.Count
		case i.Conversation != nil:
			r.conversations++
			r.messages += len(i.Conversation.Doc.Messages)
			if restored(t, imp, u, i.Conversation.Doc) {
				r.restored++
			}
		}
	}
}

// restored tells whether a unit comes back; a JSON format whose unit does not fails the test.
func restored(t *testing.T, imp importer.Importer, u importer.Unit, doc *pamio.Conversation) bool {
	t.Helper()
	if err := doc.Check(); err != nil {
		t.Errorf("%s: %v", u.Member.Name, err)
	}
	back, err := imp.Restore(nil, doc)
	if errors.Is(err, importer.ErrNoInverse) {
		return false
	}
	if err != nil {
		t.Errorf("%s: %v", u.Member.Name, err)
		return false
	}
	src, err := jsonscan.Parse(u.Raw, 0)
	if err != nil {
		t.Errorf("%s: %v", u.Member.Name, err)
		return false
	}
	for _, form := range []string{string(back), "[" + string(back) + "]"} {
		got, err := jsonscan.Parse([]byte(form), 0)
		if err == nil && (normalize.Equal(src.Root(), got.Root()) || sameRows(src.Root(), got.Root())) {
			return true
		}
	}
	t.Errorf("%s#%d: what is restored is not equal to the source", u.Member.Name, u.Index)
	return false
}

func sameRows(a, b jsonscan.Node) bool {
	if a.Kind() != jsonscan.Array || b.Kind() != jsonscan.Array {
		return false
	}
	rows := func(n jsonscan.Node) []string {
		var out []string
		for v := range n.Items() {
			out = append(out, normalize.Digest(v))
		}
		sort.Strings(out)
		return out
	}
	return slices.Equal(rows(a), rows(b))
}

// TestEverySharedFixture imports or refuses every fixture as it should. The table is the proof; `go
// test -v` shows it.
func TestEverySharedFixture(t *testing.T) {
	root := importertest.Shared(t, "fixtures")
	var rows []string
	add := func(name string, files []importertest.File) {
		r := drop(t, name, "", files...)
		rows = append(rows, r.String())
		t.Log(r)
	}
	// A folder with a provider's files in it is one drop, and so is each file of it.
	whole := map[string]bool{}
	for _, dir := range []string{"claude/memories", "claude/projects-2026", "claude/shaped", "gemini/ai-studio", "local/jan", "chatgpt/sharded-2026", "coding-agents"} {
		whole[dir] = true
		add(dir+"/", importertest.Load(t, filepath.Join(root, filepath.FromSlash(dir))))
	}
	add("(all together)/", importertest.Load(t, root))
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		add(filepath.ToSlash(name), importertest.Load(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	importertest.Golden(t, "testdata/fixtures.golden", strings.Join(rows, "\n")+"\n")
}

// TestEveryOwnFixture does the same for the fixtures in the importers' own folders, all of which
// are made up: each is recognized by its own importer when all importers are asked.
func TestEveryOwnFixture(t *testing.T) {
	dirs, err := filepath.Glob("*/testdata")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(path, ".golden") || filepath.Base(path) == "fuzz" || info.Size() == 0 || strings.HasPrefix(path, "importertest") {
				continue
			}
			name := strings.Replace(filepath.ToSlash(path), "/testdata/", "/", 1)
			r := drop(t, name, "", importertest.Load(t, path)...)
			rows = append(rows, r.String())
			t.Log(r)
		}
	}
	importertest.Golden(t, "testdata/own-fixtures.golden", strings.Join(rows, "\n")+"\n")
}
