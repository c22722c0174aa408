//go:build unix

package dir_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
)

// snapshot is everything in a folder: names, modes, times and content.
func snapshot(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var sum [32]byte
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum = sha256.Sum256(data)
		}
		fmt.Fprintln(&b, path, info.Mode(), info.ModTime().UnixNano(), sum)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// filled is a folder with objects, put there by a store; plain is one that somebody copied files
// into.
func filled(t *testing.T) (root string, plain string) {
	t.Helper()
	root, plain = t.TempDir(), t.TempDir()
	s := open(t, root)
	for _, key := range []string{"a", "a.b", "b/c/d", "owners/ann/head.json"} {
		put(t, s, key, "object "+key, blob.PutOptions{})
		file := filepath.Join(plain, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("object "+key), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root, plain
}

func TestReadingLeavesNoTraceInTheFolder(t *testing.T) {
	made, plain := filled(t)
	for _, root := range []string{made, plain} {
		before := snapshot(t, root)
		s, err := dir.OpenReadOnly(root)
		if err != nil {
			t.Fatal(err)
		}
		if got := listed(t, s); strings.Join(got, " ") != "a a.b b/c/d owners/ann/head.json" {
			t.Errorf("listed %q", got)
		}
		for _, key := range listed(t, s) {
			whole, obj, err := s.Get(t.Context(), key, blob.Range{Offset: 7})
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(whole)
			if err = errors.Join(err, whole.Close()); err != nil || string(data) != key {
				t.Errorf("%s: read %q, %v", key, data, err)
			}
			if head, err := s.Head(t.Context(), key); err != nil || head.ETag != obj.ETag || head.Size != obj.Size {
				t.Errorf("%s: head %+v, get %+v, %v", key, head, obj, err)
			}
			at, obj2, err := s.OpenAt(t.Context(), key)
			if err != nil || obj2.ETag != obj.ETag {
				t.Fatalf("%s: %+v, %v", key, obj2, err)
			}
			one := make([]byte, 1)
			if _, err := at.ReadAt(one, 7); err != nil || one[0] != key[0] {
				t.Errorf("%s: %q, %v", key, one, err)
			}
			if err := at.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Head(t.Context(), "none"); !errors.Is(err, blob.ErrNotExist) {
			t.Errorf("a missing object: %v", err)
		}
		_, perr := s.Put(t.Context(), "a", strings.NewReader("x"), blob.PutOptions{})
		_, berr := s.PutAbsent(t.Context(), []blob.Item{{Key: "new", Body: []byte("x")}})
		for _, err := range []error{perr, berr, s.Delete(t.Context(), "a")} {
			if !errors.Is(err, dir.ErrReadOnly) || blob.Retryable(err) {
				t.Errorf("a write: %v", err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if after := snapshot(t, root); after != before {
			t.Errorf("the folder has changed:\n%s\nfrom\n%s", after, before)
		}
	}
}

func TestReaderSeesTheTagsOfTheWriter(t *testing.T) {
	root := t.TempDir()
	w := open(t, root)
	r, err := dir.OpenReadOnly(root)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, text := range []string{"one", "two"} {
		want := put(t, w, "o", text, blob.PutOptions{})
		if got, err := r.Head(t.Context(), "o"); err != nil || got.ETag != want.ETag {
			t.Errorf("%s: %+v, %v; the writer has %+v", text, got, err, want)
		}
	}
}

func TestFolderWithoutTheRightToWriteCanBeRead(t *testing.T) {
	_, root := filled(t)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) // so that the test's folder can be removed
			return os.Chmod(path, 0o500)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dir.OpenReadOnly(root)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := listed(t, s); len(got) != 4 {
		t.Errorf("listed %q", got)
	}
}

func TestReadingAFolderThatIsNotThereMakesNone(t *testing.T) {
	root := filepath.Join(t.TempDir(), "none")
	if _, err := dir.OpenReadOnly(root); err == nil || !strings.Contains(err.Error(), root) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}
