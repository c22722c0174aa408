package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheTablesAreTheSameEachTime(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, folder := range []string{first, second} {
		if err := writeTables(folder); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(first, "tables", "*.bin"))
	if err != nil || len(names) < 12 { // a table for each language, at least
		t.Fatalf("%d tables, %v", len(names), err)
	}
	for _, name := range names {
		a, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(second, "tables", filepath.Base(name)))
		if err != nil || len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes, %v", filepath.Base(name), len(a), len(b), err)
		}
	}
}
