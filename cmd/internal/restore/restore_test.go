package restore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pamline/pamline/cmd/internal/bundletest"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

// titles is an importer whose elements are the titles.
type titles struct{ fail string }

func (i titles) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if doc.ID == i.fail {
		return append(dst, "half an elem"...), errors.New("cannot be restored")
	}
	text, err := json.Marshal(doc.Title)
	return append(dst, text...), err
}

func (titles) RestoreFile() string { return "conversations.json" }

func setup(t *testing.T, i Importer) (*pamio.Bundle, Options, string) {
	t.Helper()
	folder := t.TempDir()
	if err := bundletest.Write(folder); err != nil {
		t.Fatal(err)
	}
	b, err := pamio.OpenBundle(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	out := filepath.Join(t.TempDir(), "a", "out")
	return b, Options{Name: "chatgpt", Folder: out, Importer: func(string, string) (Importer, error) { return i, nil }}, folder
}

func array(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return got
}

func (o Options) file() string { return filepath.Join(o.Folder, "conversations.json") }

func onlyFile(t *testing.T, o Options, want int) {
	t.Helper()
	entries, err := os.ReadDir(o.Folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if len(entries) != want {
		t.Errorf("%d files are left in the folder", len(entries))
	}
}

func TestTheConversationsOfAProviderInTheOrderOfTheIndex(t *testing.T) {
	b, o, _ := setup(t, titles{})
	r, err := Run(t.Context(), from(b, o))
	if err != nil {
		t.Fatal(err)
	}
	if r.Conversations != 2 || r.Folded != 1 || r.Others != 1 || r.Failed != 0 {
		t.Errorf("got %+v", r)
	}
	if got := array(t, o.file()); len(got) != 2 || got[0] != "Evening tea" || !strings.HasPrefix(got[1], "Tea ") {
		t.Errorf("wrote %q", got)
	}
	onlyFile(t, o, 1)
}

func TestAFileThatIsThereStays(t *testing.T) {
	b, o, _ := setup(t, titles{})
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.file(), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), from(b, o)); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(o.file()); err != nil || string(text) != "precious" {
		t.Errorf("the file is now %q, %v", text, err)
	}
	o.Replace = true
	if _, err := Run(t.Context(), from(b, o)); err != nil {
		t.Fatal(err)
	}
	array(t, o.file())
}

func TestOneThatFailsIsNamedAndItsNeighboursAreWritten(t *testing.T) {
	b, o, folder := setup(t, titles{fail: bundletest.Talk})
	r, err := Run(t.Context(), from(b, o))
	if err != nil || r.Failed != 1 || r.Missing[0].Conversation != bundletest.Talk || len(array(t, o.file())) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	// The other one's file is gone, too: nothing is left to write.
	if err := os.Remove(filepath.Join(folder, "conversations", bundletest.Folded+".json")); err != nil {
		t.Fatal(err)
	}
	o.Replace = true
	before := array(t, o.file())
	if r, err = Run(t.Context(), from(b, o)); err == nil || r.Failed != 2 {
		t.Errorf("got %+v, %v", r, err)
	}
	if after := array(t, o.file()); len(after) != len(before) {
		t.Errorf("a failure replaced the file: %q", after)
	}
	onlyFile(t, o, 1)
}

func TestNothingOfThatProvider(t *testing.T) {
	b, o, _ := setup(t, titles{})
	o.Name = "gemini"
	if _, err := Run(t.Context(), from(b, o)); err == nil || !strings.Contains(err.Error(), "no conversations of gemini") {
		t.Errorf("got %v", err)
	}
	onlyFile(t, o, 0)
}

// docs gives documents of a platform, each read by one of the importers.
func docs(platform string, importers ...string) func(yield func(Document, error) bool) {
	return func(yield func(Document, error) bool) {
		for i, version := range importers {
			title := fmt.Sprintf("%d of %s", i, version)
			c := &pamio.Conversation{ID: fmt.Sprint(i), Title: &title, Provider: pamio.Provider{Name: platform}, Temporal: pamio.Span{CreatedAt: "2025-01-01T00:00:00Z"}}
			if version != "" {
				c.Import = &pamio.ImportMetadata{ImporterVersion: version, Importer: "pamline/1.0.0", ImportedAt: "2025-01-01T00:00:00Z", SourceFile: "f"}
			}
			if !yield(Document{Conversation: c.ID, Platform: platform, Raw: c.AppendJSON(nil)}, nil) {
				return
			}
		}
	}
}

// entries is an importer whose conversations are several elements, or none.
type entries struct{ text, file string }

func (e entries) RestoreFile() string { return e.file }
func (e entries) Restore(dst []byte, _ *pamio.Conversation) ([]byte, error) {
	return append(dst, e.text...), nil
}

// noInverse is an importer of tables.
type noInverse struct{ titles }

func (noInverse) Restore(dst []byte, _ *pamio.Conversation) ([]byte, error) {
	return dst, fmt.Errorf("restore rows: %w", importer.ErrNoInverse)
}

var local = map[string]Importer{
	"openwebui": titles{}, "lmstudio": entries{`"a","b"`, "log.json"}, "silent": entries{"", "log.json"}, "sheet": noInverse{}, "local": titles{},
}

func localOptions(t *testing.T, name string, importers ...string) Options {
	return Options{Name: name, Folder: filepath.Join(t.TempDir(), "out"), Documents: docs("local", importers...), Importer: func(version, name string) (Importer, error) {
		if i, ok := local[name]; ok {
			return i, nil
		}
		return nil, fmt.Errorf("there is no importer %q", name)
	}}
}

func TestImporterIsFoundByTheVersionOfADocument(t *testing.T) {
	all := []string{"openwebui-importer/2026.07", "lmstudio-importer/2026.07", "openwebui-importer/2020.01", "lmstudio-importer/2026.07", "silent-importer/1", ""}
	for _, c := range []struct {
		name   string
		want   map[string]int // elements by file
		others int64
	}{
		{"openwebui", map[string]int{"conversations.json": 2}, 4},
		{"lmstudio", map[string]int{"log.json": 4}, 4},
		{"silent", map[string]int{"log.json": 0}, 5},
		{"local", map[string]int{"openwebui/conversations.json": 2, "lmstudio/log.json": 4, "silent/log.json": 0, "conversations.json": 1}, 0},
	} {
		o := localOptions(t, c.name, all...)
		r, err := Run(t.Context(), o)
		if err != nil || r.Others != c.others || len(r.Files) != len(c.want) || r.Conversations != int64(len(all))-c.others {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		for file, n := range c.want {
			if got := array(t, filepath.Join(o.Folder, filepath.FromSlash(file))); len(got) != n {
				t.Errorf("%s: %s has %q", c.name, file, got)
			}
		}
	}
}

func TestFormatWithoutInverseLeavesNoFileAndSaysWhereItsRowsAre(t *testing.T) {
	o := localOptions(t, "sheet", "sheet-importer/1", "sheet-importer/1")
	r, err := Run(t.Context(), o)
	if !errors.Is(err, importer.ErrNoInverse) || !strings.Contains(err.Error(), "raw_metadata") || r.NoInverse != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	onlyFile(t, o, 0)
	// Beside one that has an inverse it is counted on its own.
	o = localOptions(t, "local", "sheet-importer/1", "openwebui-importer/1", "nobody-importer/1")
	if r, err = Run(t.Context(), o); err != nil || r.Failed != 1 || r.NoInverse != 1 || r.Conversations != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// from gives the options the conversations of a bundle.
func from(b *pamio.Bundle, o Options) Options {
	o.Documents = Bundle(b)
	return o
}

// A document of another tool has no source: what is written is less than what the provider
// exported, and that is counted.
func TestConversationsOfOtherToolsAreCounted(t *testing.T) {
	all := func(yield func(Document, error) bool) {
		for i, m := range []*pamio.ImportMetadata{
			nil,
			{Importer: "pam-cli/0.1.0", ImportedAt: "2025-01-01T00:00:00Z", SourceFile: "f"},
			{Importer: "other/2", ImporterVersion: "openwebui-importer/2026.07", ImportedAt: "2025-01-01T00:00:00Z", SourceFile: "f"},
			{Importer: "pamline/1.0.0", ImporterVersion: "openwebui-importer/2026.07", ImportedAt: "2025-01-01T00:00:00Z", SourceFile: "f"},
		} {
			title := "a title"
			c := &pamio.Conversation{ID: fmt.Sprint(i), Title: &title, Provider: pamio.Provider{Name: "openwebui"}, Temporal: pamio.Span{CreatedAt: "2025-01-01T00:00:00Z"}, Import: m}
			if !yield(Document{Conversation: c.ID, Platform: "openwebui", Raw: c.AppendJSON(nil)}, nil) {
				return
			}
		}
	}
	o := localOptions(t, "openwebui")
	o.Documents = all
	r, err := Run(t.Context(), o)
	if err != nil || r.Conversations != 4 || r.OtherTools != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhatIsWrittenIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	b, o, _ := setup(t, titles{})
	if _, err := Run(t.Context(), from(b, o)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{o.Folder: 0o700, o.file(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^want != 0 {
			t.Errorf("%s: %v, %v, want at most %o", path, info, err, want)
		}
	}
}
