//go:build linux

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Each export has the conversations of the one before it, each a message longer.
func TestEachExportIsAMessageLonger(t *testing.T) {
	b := &bench{conversations: 3}
	for n := 1; n <= 3; n++ {
		var all []struct {
			Mapping map[string]any `json:"mapping"`
			Node    string         `json:"current_node"`
		}
		if err := json.Unmarshal([]byte(b.export(n)), &all); err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if len(c.Mapping) != n || c.Mapping[c.Node] == nil {
				t.Errorf("export %d has a conversation of %d messages, the last is %s", n, len(c.Mapping), c.Node)
			}
		}
		if len(all) != 3 {
			t.Errorf("export %d has %d conversations", n, len(all))
		}
	}
}

func TestTheSizeOfAFolderIsThatOfItsFiles(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "in/b"} {
		if err := os.WriteFile(filepath.Join(folder, name), make([]byte, 10), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if total, err := sizeOf(folder); err != nil || total != 20 {
		t.Errorf("%d, %v", total, err)
	}
}
