package storefile

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// replace writes "new" and gives what the store is then.
func replace(t *testing.T, name string) string {
	t.Helper()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Replace("", func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := pamio.OpenBundle(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := b.OpenStore()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text, err := io.ReadAll(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestTheStoreIsReplacedWhereItLies(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "one", "memory-store.json"), "old")
	write(t, filepath.Join(root, "in[n]er", "only", "memory-store.json"), "old")
	write(t, filepath.Join(root, "store.json"), "old")
	for _, name := range []string{"one", "in[n]er", "store.json"} {
		if got := replace(t, filepath.Join(root, name)); got != "new" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	for _, member := range []string{"memory-store.json", "folder/memory-store.json"} {
		name := filepath.Join(root, "b.zip")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for _, m := range []string{member, filepath.Dir(member) + "/conversations/memory-store.json"} {
			w, err := z.Create(filepath.ToSlash(filepath.Clean(m)))
			if err == nil {
				_, err = io.WriteString(w, "old")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		if got := replace(t, name); got != "new" {
			t.Errorf("%s in a zip holds %q", member, got)
		}
		r, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		other, err := r.Open(filepath.ToSlash(filepath.Clean(filepath.Dir(member) + "/conversations/memory-store.json")))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(other); err != nil || string(text) != "old" {
			t.Errorf("the other member holds %q, %v", text, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFailureLeavesWhatWasThere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "store.json")
	write(t, name, "old")
	broken := errors.New("broken")
	if err := Create(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	}); !errors.Is(err, broken) {
		t.Error(err)
	}
	text, err := os.ReadFile(name)
	entries, err2 := os.ReadDir(filepath.Dir(name))
	if err != nil || err2 != nil || string(text) != "old" || len(entries) != 1 {
		t.Errorf("%q, %v, %v, %v", text, entries, err, err2)
	}
}
