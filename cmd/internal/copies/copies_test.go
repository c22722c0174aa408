package copies

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// recorded is a data folder that knows of one copy of anna's store.
func recorded(t *testing.T) (data string, c Copy) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data [1]")
	out := filepath.Join(t.TempDir(), "out")
	write(t, filepath.Join(out, "memory-store.json"), "{}")
	write(t, filepath.Join(out, "conversations", "a.json"), "{}")
	if err := Record(data, out, "anna", "export-1"); err != nil {
		t.Fatal(err)
	}
	c, ok, err := Find(data, out)
	if err != nil || !ok {
		t.Fatalf("found %v, %v", ok, err)
	}
	return data, c
}

func TestACopyIsListedForItsOwnerAlone(t *testing.T) {
	data, c := recorded(t)
	hers, err := Of(data, "anna")
	if err != nil || len(hers) != 1 || hers[0].Path != c.Path || c.ExportID != "export-1" {
		t.Errorf("anna has %v, %v", hers, err)
	}
	if others, err := Of(data, "ben"); err != nil || len(others) != 0 {
		t.Errorf("ben has %v, %v", others, err)
	}
	if none, err := Of(t.TempDir(), "anna"); err != nil || len(none) != 0 {
		t.Errorf("a new data folder has %v, %v", none, err)
	}
}

func TestAChangeByHandIsNoticed(t *testing.T) {
	for name, change := range map[string]func(out string) error{
		"another text": func(out string) error {
			return os.WriteFile(filepath.Join(out, "conversations", "a.json"), []byte("{ }"), 0o600)
		},
		"a new file":     func(out string) error { return os.WriteFile(filepath.Join(out, "notes.txt"), nil, 0o600) },
		"a removed file": func(out string) error { return os.Remove(filepath.Join(out, "conversations", "a.json")) },
	} {
		_, c := recorded(t)
		if _, unchanged, err := c.Written(); !unchanged || err != nil {
			t.Errorf("%s: changed before: %v", name, err)
		}
		if err := change(c.Path); err != nil {
			t.Fatal(err)
		}
		if _, unchanged, err := c.Written(); unchanged || err != nil {
			t.Errorf("%s: not noticed: %v", name, err)
		}
	}
}

// A command may be killed before or after the new bundle takes its place: neither is a change that
// somebody made.
func TestAnInterruptedReplacementIsNoChangeByHand(t *testing.T) {
	data, c := recorded(t)
	next := filepath.Join(t.TempDir(), "next")
	write(t, filepath.Join(next, "memory-store.json"), "{ }")
	if err := Announce(data, c.Path, "anna", next, "export-2"); err != nil {
		t.Fatal(err)
	}
	check := func(when, export string, same bool) {
		t.Helper()
		c, _, err := Find(data, c.Path)
		if err != nil {
			t.Fatal(err)
		}
		there, unchanged, err := c.Written()
		if err != nil || unchanged != same || same && there != export {
			t.Errorf("%s: %q, unchanged %v, %v", when, there, unchanged, err)
		}
	}
	check("before", "export-1", true)
	if err := os.RemoveAll(c.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, c.Path); err != nil {
		t.Fatal(err)
	}
	check("after", "export-2", true)
	write(t, filepath.Join(c.Path, "notes.txt"), "")
	check("changed", "", false)
}

func TestACopyThatIsGoneIsForgotten(t *testing.T) {
	data, c := recorded(t)
	if c.IsGone() {
		t.Error("gone while it is there")
	}
	if err := os.RemoveAll(c.Path); err != nil {
		t.Fatal(err)
	}
	if !c.IsGone() {
		t.Error("not gone")
	}
	for range 2 { // forgetting twice is no error
		if err := Forget(data, c.Path); err != nil {
			t.Error(err)
		}
	}
	if left, err := Of(data, "anna"); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestADamagedRecordIsNamed(t *testing.T) {
	data, c := recorded(t)
	write(t, recordOf(data, c.Path), "{")
	if _, err := Of(data, "anna"); err == nil {
		t.Error("a damaged record was read")
	}
}
