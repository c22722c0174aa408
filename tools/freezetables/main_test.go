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
	a, err := os.ReadFile(filepath.Join(first, "all.bin"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(second, "all.bin"))
	if err != nil || len(a) < 1<<20 || !bytes.Equal(a, b) {
		t.Errorf("%d and %d bytes, %v", len(a), len(b), err)
	}
}
