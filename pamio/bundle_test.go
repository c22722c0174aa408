package pamio

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// sampleFiles are the files of a bundle; c-2's file is missing, c-3 has none, c-4's leaves the
// bundle.
func sampleFiles(t *testing.T) map[string]string {
	t.Helper()
	var index bytes.Buffer
	s := NewSection(&index)
	for _, e := range []*IndexEntry{
		{ID: "c-1", Platform: "grok", Storage: &Storage{Type: "file", Ref: "conversations/c-1.json"}},
		{ID: "c-2", Platform: "grok", Storage: &Storage{Type: "file", Ref: "conversations/c-2.json"}},
		{ID: "c-3", Platform: "grok", Storage: &Storage{Type: "uri", Ref: "https://example.org/c-3"}},
		{ID: "c-4", Platform: "grok", Storage: &Storage{Type: "file", Ref: "../outside.json"}},
		{ID: "c-5", Platform: "grok", Storage: &Storage{Type: "file", Ref: "conversations"}},
		{ID: "c-6", Platform: "grok", Storage: &Storage{Type: "file", Ref: "./conversations//c-1.json"}},
	} {
		text, err := e.AppendCanonical(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	var store bytes.Buffer
	var none Checksummer
	if err := WriteStore(&store, Header{Owner: Owner{ID: "o"}}, nil, nil, &index, none.Integrity(), nil); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		StoreFile: store.String(), EmbeddingsFile: `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[]}`,
		"conversations/c-1.json": string(leastConversation().AppendJSON(nil)),
	}
}

func writeFolder(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func writeZip(t *testing.T, file, prefix string, files map[string]string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for name, text := range files {
		m, err := w.Create(prefix + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(m, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestBundleIsOpenedAsFolderZipOrStore(t *testing.T) {
	files, dir := sampleFiles(t), t.TempDir()
	writeFolder(t, filepath.Join(dir, "folder"), files)
	writeFolder(t, filepath.Join(dir, "outer", "inner"), files)
	writeFolder(t, filepath.Join(dir, "outer", ".hidden"), map[string]string{"x": ""})
	writeZip(t, filepath.Join(dir, "plain.zip"), "", files)
	writeZip(t, filepath.Join(dir, "nested.any"), "export/", files)
	for _, name := range []string{"folder", "outer", "plain.zip", "nested.any", "folder/" + StoreFile} {
		t.Run(name, func(t *testing.T) {
			b, err := OpenBundle(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			checkBundle(t, b)
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func checkBundle(t *testing.T, b *Bundle) {
	t.Helper()
	e, err := b.OpenEmbeddings()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(ReadEmbeddings(e, 0, nil), e.Close()); err != nil {
		t.Error(err)
	}
	want := []struct {
		text bool
		err  error
	}{{true, nil}, {false, fs.ErrNotExist}, {false, nil}, {false, ErrUnsafeRef}, {false, errors.ErrUnsupported}, {true, nil}}
	i := 0
	for c, err := range b.Conversations(0) {
		if c.Entry == nil {
			t.Fatal(err)
		}
		if w := want[i]; w.err == errors.ErrUnsupported {
			if err == nil { // a folder, refused in one way or another
				t.Errorf("%s: a folder was read", c.Entry.ID)
			}
		} else if !errors.Is(err, w.err) || (c.Raw != nil) != w.text {
			t.Errorf("%s: %d bytes, %v, want %v", c.Entry.ID, len(c.Raw), err, w.err)
		}
		if c.Raw != nil {
			if _, err := ParseConversation(c.Raw); err != nil {
				t.Errorf("%s: %v", c.Entry.ID, err)
			}
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d entries, want %d", i, len(want))
	}
	for range b.Conversations(0) {
		break // ends quietly
	}
}

func TestFoldersWithoutAStoreAreRefused(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"empty":                   {},
		"one folder without it":   {"a/x": {}},
		"two folders":             {"a/" + StoreFile: {}, "b/" + StoreFile: {}},
		"too deep":                {"a/b/" + StoreFile: {}},
		"a folder with that name": {StoreFile + "/x": {}},
	} {
		if _, err := NewBundle(files); !errors.Is(err, ErrNoStore) {
			t.Errorf("%s: %v, want ErrNoStore", name, err)
		}
	}
	if _, err := OpenBundle(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
	broken := filepath.Join(t.TempDir(), "broken.zip")
	if err := os.WriteFile(broken, []byte("PK\x03\x04 and no more"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenBundle(broken); err == nil {
		t.Error("a broken zip was opened")
	}
}

func TestReferencesDoNotLeaveTheBundle(t *testing.T) {
	dir := t.TempDir()
	writeFolder(t, filepath.Join(dir, "b"), map[string]string{StoreFile: "{}", "conversations/in.json": "in"})
	writeFolder(t, dir, map[string]string{"secret.json": "out"})
	for link, to := range map[string]string{"up.json": "../secret.json", "abs.json": filepath.Join(dir, "secret.json"), "up": "..", "in.json": "conversations/in.json"} {
		if err := os.Symlink(to, filepath.Join(dir, "b", link)); err != nil {
			t.Skipf("links cannot be made here: %v", err)
		}
	}
	b, err := OpenBundle(filepath.Join(dir, "b"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, ref := range []string{"../secret.json", "/etc/hostname", "conversations/../../secret.json", `..\secret.json`, "C:secret.json", "", ".", "a\x00b", "conversations/.."} {
		if _, err := b.ReadFile(nil, ref, 0); !errors.Is(err, ErrUnsafeRef) {
			t.Errorf("%q: %v, want ErrUnsafeRef", ref, err)
		}
	}
	for _, ref := range []string{"up.json", "abs.json", "up/secret.json", "up/b/conversations/in.json"} {
		if got, err := b.ReadFile(nil, ref, 0); err == nil {
			t.Errorf("%q was followed out of the bundle: %q", ref, got)
		}
	}
	if got, err := b.ReadFile([]byte("old"), "in.json", 0); err != nil || string(got) != "in" {
		t.Errorf("a link inside the bundle: %q, %v", got, err)
	}
}

func TestReadFileIsLimited(t *testing.T) {
	b, err := NewBundle(fstest.MapFS{StoreFile: {}, "f": {Data: []byte(strings.Repeat("x", 100))}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.ReadFile(nil, "f", 100); err != nil || len(got) != 100 {
		t.Errorf("at the limit: %d bytes, %v", len(got), err)
	}
	if _, err := b.ReadFile(nil, "f", 99); !errors.Is(err, ErrElementTooBig) {
		t.Errorf("beyond the limit: %v", err)
	}
	if got, err := b.ReadFile(nil, "f", -1); err != nil || len(got) != 100 {
		t.Errorf("without a limit: %d bytes, %v", len(got), err)
	}
}
