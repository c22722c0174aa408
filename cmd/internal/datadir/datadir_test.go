package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestTheDefaultFollowsTheSystem(t *testing.T) {
	home := func() (string, error) { return "/home/x", nil }
	for name, tc := range map[string]struct {
		system string
		env    map[string]string
		want   string
	}{
		"linux":                   {"linux", nil, "/home/x/.local/share/pamline"},
		"linux with XDG":          {"linux", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/pamline"},
		"a relative XDG is not":   {"linux", map[string]string{"XDG_DATA_HOME": "data"}, "/home/x/.local/share/pamline"},
		"mac":                     {"darwin", map[string]string{"XDG_DATA_HOME": "/data"}, "/home/x/Library/Application Support/pamline"},
		"windows":                 {"windows", map[string]string{"LocalAppData": "/appdata"}, "/appdata/pamline"},
		"windows without setting": {"windows", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := defaultPath(tc.system, func(k string) string { return tc.env[k] }, home)
			if (err != nil) != (tc.want == "") || filepath.ToSlash(got) != tc.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestASecondProcessIsTurnedAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	first := open(t, path)
	_, err := Open(path)
	var inUse *InUseError
	if !errors.As(err, &inUse) || inUse.PID != os.Getpid() || !strings.Contains(err.Error(), "--data") {
		t.Fatalf("got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

func TestTheHolderIsNamedOnlyWhenKnown(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	if err := os.WriteFile(d.Join("lock"), []byte("???\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
}

func TestAnOwnerIsMadeOnce(t *testing.T) {
	path := t.TempDir()
	d := open(t, path)
	made := 0
	make := func() string { made++; return "p-0123456789ab" }
	for range 2 {
		if id, err := d.Owner("", make); err != nil || id != "p-0123456789ab" {
			t.Fatalf("got %q, %v", id, err)
		}
	}
	if made != 1 {
		t.Errorf("made %d ids", made)
	}
	if id, err := d.Owner("me", make); err != nil || id != "me" {
		t.Errorf("a given id: %q, %v", id, err)
	}
	left, err := filepath.Glob(filepath.Join(path, ".owner-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOwnersOfAnotherFormAreRefusedAtEveryDoor(t *testing.T) {
	d := open(t, t.TempDir())
	if _, err := d.Owner("../evil", nil); err == nil {
		t.Error("given")
	}
	if _, err := d.Owner("", func() string { return "Not An Id" }); err == nil {
		t.Error("made")
	}
	if err := os.WriteFile(d.Join("owner"), []byte("a/b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Owner("", nil); err == nil {
		t.Error("kept")
	}
}
