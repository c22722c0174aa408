package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/config"
)

// The scripts show the same for who is turned away by a folder; this holds for who may write
// everywhere, too.
func TestADryRunOnlyLooksIntoAFolderThatIsNotForIt(t *testing.T) {
	root := t.TempDir()
	full := filepath.Join(root, "full")
	s, err := dir.Open(filepath.Join(full, "store"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "owners/me/head.json", strings.NewReader("{}"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := names(t, root)
	for folder, objects := range map[string]int{full: 1, filepath.Join(root, "none"): 0} {
		c, err := config.Load(config.Sources{Set: map[string]string{"data": folder}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := shareLocal(&app{ctx: t.Context(), stderr: io.Discard}, c, viewOrEmpty)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.chooseOwner(false); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range l.store.List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != objects || l.owner == "" || strings.HasPrefix(l.scratch, root) {
			t.Errorf("%d objects of %d, owner %q, scratch %s", n, objects, l.owner, l.scratch)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(l.scratch); err == nil {
			t.Error("temporary files were left")
		}
	}
	if after := names(t, root); after != before {
		t.Errorf("there is\n%s\nand was\n%s", after, before)
	}
}

// names are the paths of all that lies in a folder.
func names(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		out.WriteString(path + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
