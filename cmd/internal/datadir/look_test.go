package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	done := false
	if err := d.Still(func() error { done = true; return nil }); err != nil || !done {
		t.Errorf("%v, %v", done, err)
	}
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

func TestWhoLooksAndWhoWorksKeepOutOfEachOthersWay(t *testing.T) {
	root := t.TempDir()
	var inUse *InUseError
	worker := open(t, root)
	err := look(t, root).Still(func() error { t.Error("looked at while somebody works in it"); return nil })
	if !errors.As(err, &inUse) || inUse.PID != os.Getpid() {
		t.Errorf("got %v", err)
	}
	if err := worker.Close(); err != nil {
		t.Fatal(err)
	}
	err = look(t, root).Still(func() error {
		if _, err := Open(root); !errors.As(err, &inUse) {
			t.Errorf("opened while somebody looks: %v", err)
		}
		return look(t, root).Still(func() error { return fs.ErrInvalid })
	})
	if !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a second who looks: %v", err)
	}
	open(t, root)
}

func TestAFolderThatMayNotBeReadSaysWhatToDo(t *testing.T) {
	root := t.TempDir()
	if err := open(t, root).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(root, lockName), 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(filepath.Join(root, lockName)); err == nil {
		_ = f.Close()
		t.Skip("this user may read every file, whatever its mode")
	}
	err := look(t, root).Still(func() error { return nil })
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "--data") {
		t.Errorf("got %v", err)
	}
}
