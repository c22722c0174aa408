//go:build unix

package dir

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A folder that was emptied, removed and made again has another inode under its old name. Syncing
// the one that is gone succeeds and makes nothing durable.
func TestFolderThatWasMadeAgainIsTheOneThatIsSynced(t *testing.T) {
	for _, again := range []struct {
		name   string
		remove func(r *rootFS, name string) error
		make   func(r *rootFS, name string) error
	}{
		{"by this store", (*rootFS).Remove, (*rootFS).Mkdir},
		{
			"by another process",
			func(r *rootFS, name string) error { return r.root.Remove(name) },
			func(r *rootFS, name string) error { return r.root.Mkdir(name, folderMode) },
		},
	} {
		t.Run(again.name, func(t *testing.T) {
			folder := t.TempDir()
			r, err := openRoot(folder)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for _, step := range []error{
				r.Mkdir("work"), syncDir(r, "work"), again.remove(r, "work"), again.make(r, "work"), syncDir(r, "work"),
			} {
				if step != nil {
					t.Fatal(step)
				}
			}
			if !isKept(t, r, "work", filepath.Join(folder, "work")) {
				t.Error("the folder that was synced is not the one of that name")
			}
		})
	}
}

func TestSyncOfAFolderThatIsGoneSaysSo(t *testing.T) {
	r, err := openRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, step := range []error{r.Mkdir("work"), syncDir(r, "work"), r.Remove("work")} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if err := syncDir(r, "work"); !os.IsNotExist(err) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
}

func syncDir(r *rootFS, name string) error {
	_, err := r.SyncDir(name)
	return err
}

// isKept tells whether the folder kept open under a name is the one at path.
func isKept(t *testing.T, r *rootFS, name, path string) bool {
	t.Helper()
	r.folders.mu.Lock()
	d, ok := r.folders.open[name]
	r.folders.mu.Unlock()
	if !ok {
		return false
	}
	kept, err := d.f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(kept, there)
}
