package folder

import (
	"os"
	"path/filepath"
	"testing"
)

// Few files are synced one by one, many together.
func TestFewFilesAreListed(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "below/b"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]int{3: 0, 4: 4} {
		list, err := filesBelow(folder, most)
		if err != nil || len(list) != want {
			t.Errorf("up to %d: got %q, %v, want %d", most, list, err, want)
		}
		if err := syncEach(list); err != nil {
			t.Error(err)
		}
	}
	if err := syncEach([]string{filepath.Join(folder, "gone")}); err == nil {
		t.Error("a file that is gone was synced")
	}
}
