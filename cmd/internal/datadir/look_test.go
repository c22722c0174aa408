package datadir

import (
	"os"
	"path/filepath"
	"testing"
)

func look(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLookingMakesNothing(t *testing.T) {
	root := t.TempDir()
	d := look(t, filepath.Join(root, "none"))
	id, err := d.Owner("", func() string { return "p-made" })
	if err != nil || id != "p-made" {
		t.Errorf("%q, %v", id, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTheOwnerOfAFolderThatIsLookedAtIsItsOwn(t *testing.T) {
	root := t.TempDir()
	if _, err := open(t, root).Owner("", func() string { return "p-kept" }); err != nil {
		t.Fatal(err)
	}
	if id, err := look(t, root).Owner("", func() string { return "p-other" }); err != nil || id != "p-kept" {
		t.Errorf("%q, %v", id, err)
	}
}
