//go:build unix

package dir

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
)

// syncLog notes which folders are synced.
type syncLog struct {
	fileSystem
	mu    sync.Mutex
	names []string
}

func (l *syncLog) SyncDir(name string) (any, error) {
	l.mu.Lock()
	l.names = append(l.names, name)
	l.mu.Unlock()
	return l.fileSystem.SyncDir(name)
}

// taken gives what was synced since the last call, in order.
func (l *syncLog) taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.names
	l.names = nil
	slices.Sort(list)
	return strings.Join(list, " ")
}

// A parent is synced once for each folder below it, and again when the folder was removed since,
// whoever did that.
func TestParentsAreSyncedOnceForEachFolder(t *testing.T) {
	root, err := openRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := &syncLog{fileSystem: root}
	s, err := open(log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	put := func(key string) {
		t.Helper()
		if _, err := s.Put(t.Context(), key, strings.NewReader("x"), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what, want string) {
		t.Helper()
		if got := log.taken(); got != want {
			t.Errorf("%s syncs %q, want %q", what, got, want)
		}
	}
	log.taken()
	put("a/b/1")
	expect("the first object", ". a a/b")
	put("a/b/2")
	expect("the second one", "a/b")
	put("a/c/1")
	expect("another folder", "a a/c")
	if _, err := s.PutAbsent(t.Context(), []blob.Item{{Key: "a/b/3"}, {Key: "a/d/e/1"}, {Key: "a/c/2"}}); err != nil {
		t.Fatal(err)
	}
	expect("a batch", "a a/b a/c a/d a/d/e")
	if err := s.Delete(t.Context(), "a/d/e/1"); err != nil {
		t.Fatal(err)
	}
	log.taken()
	put("a/d/e/1")
	expect("a folder that was removed", "a a/d a/d/e")
	for _, name := range []string{"a/d/e/1", "a/d/e"} { // another process removes and makes it
		if err := root.root.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := root.root.Mkdir("a/d/e", folderMode); err != nil {
		t.Fatal(err)
	}
	put("a/d/e/2")
	expect("a folder that another process made", "a/d a/d/e")
}
