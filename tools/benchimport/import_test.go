//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An import with losses is measured, too; one that failed is shown with what the program said.
func TestAnImportThatFailsIsNoMeasurement(t *testing.T) {
	folder := t.TempDir()
	for status, ok := range map[string]bool{"0": true, "3": true, "1": false, "2": false} {
		bin := filepath.Join(folder, "pamline-"+status)
		script := "#!/bin/sh\necho \"$@\"\nexit " + status + "\n"
		if err := os.WriteFile(bin, []byte(script), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		c, err := importOnce(bin, filepath.Join(folder, status), "export.zip")
		if (err == nil) != ok || !ok && (!strings.Contains(err.Error(), "export.zip") || !strings.Contains(err.Error(), "--owner bench")) {
			t.Errorf("exit %s: %v", status, err)
		}
		if c.wall <= 0 || ok && c.rss <= 0 {
			t.Errorf("exit %s: %+v", status, c)
		}
	}
}
