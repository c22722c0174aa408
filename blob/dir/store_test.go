//go:build unix

package dir_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
)

func put(t *testing.T, s blob.Store, key, content string, o blob.PutOptions) blob.Object {
	t.Helper()
	obj, err := s.Put(t.Context(), key, strings.NewReader(content), o)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

func listed(t *testing.T, s blob.Store) []string {
	t.Helper()
	var keys []string
	for obj, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, obj.Key)
	}
	return keys
}

func TestObjectsAreFilesOfTheSameName(t *testing.T) {
	root := filepath.Join(t.TempDir(), "made", "by open")
	s := open(t, root)
	put(t, s, "owners/ann/memory-store.json", "{}", blob.PutOptions{})
	path := filepath.Join(root, "owners", "ann", "memory-store.json")
	if data, err := os.ReadFile(path); err != nil || string(data) != "{}" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	for _, p := range []string{root, filepath.Dir(path), path} {
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v, %v", p, fi.Mode(), err)
		}
	}
	if err := s.Delete(t.Context(), "owners/ann/memory-store.json"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "owners")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the emptied folder is left: %v", err)
	}
}

func TestFilesOfOthersAreObjects(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	path := filepath.Join(root, "inbox", "ann", "export.zip")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("dropped"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, `no\key`), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, s); len(got) != 1 || got[0] != "inbox/ann/export.zip" {
		t.Errorf("listed %q", got)
	}
	before, err := s.Head(t.Context(), "inbox/ann/export.zip")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "inbox/ann/export.zip", strings.NewReader("x"), blob.PutOptions{IfMatch: before.ETag}); err != nil {
		t.Errorf("replace a file of somebody else: %v", err)
	}
}

func TestFileThatGrowsWhileItIsReadIsNoticed(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	put(t, s, "export.zip", strings.Repeat("x", 1000), blob.PutOptions{})
	r, err := blob.NewReaderAt(t.Context(), s, "export.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := os.OpenFile(filepath.Join(root, "export.zip"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, blob.ErrChanged) {
		t.Errorf("got %v", err)
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, root)
	for link, target := range map[string]string{
		"folder": outside, "file": filepath.Join(outside, "secret"), "up": "..", "relative": "../" + filepath.Base(outside),
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"folder/secret", "file", "relative/secret", "up/" + filepath.Base(outside) + "/secret"} {
		if _, _, err := s.Get(t.Context(), key, blob.Range{}); err == nil {
			t.Errorf("%s was read", key)
		}
		if _, err := s.Head(t.Context(), key); err == nil {
			t.Errorf("%s was described", key)
		}
		if key != "file" {
			if _, err := s.Put(t.Context(), key, strings.NewReader("new"), blob.PutOptions{}); err == nil {
				t.Errorf("%s was written", key)
			}
			if err := s.Delete(t.Context(), key); err == nil {
				t.Errorf("%s was deleted", key)
			}
		}
	}
	if got := listed(t, s); got != nil {
		t.Errorf("listed %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(data) != "secret" {
		t.Errorf("the file outside is %q, %v", data, err)
	}
}

func TestPipesAreNoObjects(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Skipf("this file system has no named pipes: %v", err)
	}
	// Opening it would wait for ever.
	if _, _, err := s.Get(t.Context(), "pipe", blob.Range{}); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestFolderAndObjectCannotShareAName(t *testing.T) {
	s := open(t, t.TempDir())
	put(t, s, "a/b", "x", blob.PutOptions{})
	for _, o := range []blob.PutOptions{{}, {IfAbsent: true}} {
		for _, key := range []string{"a", "a/b/c"} {
			if _, err := s.Put(t.Context(), key, strings.NewReader("y"), o); !errors.Is(err, blob.ErrKey) {
				t.Errorf("put %s %+v: %v", key, o, err)
			}
			if n, err := s.PutAbsent(t.Context(), []blob.Item{{Key: key}}); n != 0 || !errors.Is(err, blob.ErrKey) {
				t.Errorf("batch with %s: %d, %v", key, n, err)
			}
		}
	}
	if got := listed(t, s); len(got) != 1 {
		t.Errorf("listed %q", got)
	}
}

func TestOpenRemovesWhatKilledProcessesLeft(t *testing.T) {
	root := t.TempDir()
	mine := open(t, root) // holds slot 0
	live := filepath.Join(root, blob.Reserved, "tmp", "0", "99")
	dead := filepath.Join(root, blob.Reserved, "tmp", "1", "7")
	other, err := dir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil { // as a kill would: the lock is gone, the files stay
		t.Fatal(err)
	}
	for _, p := range []string{live, dead} {
		if err := os.WriteFile(p, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open(t, root)
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead process's file is left: %v", err)
	}
	if _, err := os.Stat(live); err != nil {
		t.Errorf("a living process's file is gone: %v", err)
	}
	put(t, mine, "o", "x", blob.PutOptions{})
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Open(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file as root: %v", err)
	}
}

func TestDamagedStampCounterGoesOnAfterThePresent(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	first := put(t, s, "o", "1", blob.PutOptions{})
	if err := os.Truncate(filepath.Join(root, blob.Reserved, "stamp"), 3); err != nil {
		t.Fatal(err)
	}
	second := put(t, s, "o", "2", blob.PutOptions{})
	if !second.ModTime.After(first.ModTime) {
		t.Errorf("%v after %v", second.ModTime, first.ModTime)
	}
}

func BenchmarkPutAbsent(b *testing.B) {
	s := open(b, b.TempDir())
	body := bytes.Repeat([]byte("0123456789abcde\n"), 3000)
	const batch = 200
	b.SetBytes(int64(batch * len(body)))
	for i := 0; b.Loop(); i++ {
		items := make([]blob.Item, batch)
		for j := range items {
			items[j] = blob.Item{Key: "conversations/" + strings.Repeat("x", 8) + "/" + string(rune('a'+i%26)) + "/" + strconv.Itoa(i*batch+j), Body: body}
		}
		if n, err := s.PutAbsent(b.Context(), items); n != batch || err != nil {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkSwap(b *testing.B) {
	s := open(b, b.TempDir())
	obj, err := s.Put(b.Context(), "owners/ann/head.json", strings.NewReader("0"), blob.PutOptions{})
	for b.Loop() {
		if err != nil {
			b.Fatal(err)
		}
		obj, err = s.Put(b.Context(), "owners/ann/head.json", strings.NewReader("1"), blob.PutOptions{IfMatch: obj.ETag})
	}
}
