package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pamline/pamline/pamio"
)

func TestPercentilesAreOfSortedTimes(t *testing.T) {
	var sorted []time.Duration
	for n := 1; n <= 20; n++ {
		sorted = append(sorted, time.Duration(n)*time.Millisecond)
	}
	for percent, want := range map[int]float64{0: 1, 50: 11, 95: 20, 100: 20} {
		if got := percentileOf(sorted, percent); got != want {
			t.Errorf("%d %%: %v ms, want %v", percent, got, want)
		}
	}
}

// A made store is a bundle with as much text as asked for, and the same each time.
func TestAMadeStoreIsABundle(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	for _, folder := range []string{one, two} {
		if err := writeStore(folder, 100_000); err != nil {
			t.Fatal(err)
		}
		b, err := pamio.OpenBundle(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if size, err := sizeOf(one); err != nil || size < 100_000 {
		t.Errorf("%d bytes, %v", size, err)
	}
	first, err := os.ReadFile(filepath.Join(one, pamio.StoreFile))
	if err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(filepath.Join(two, pamio.StoreFile)); err != nil || string(first) != string(second) {
		t.Errorf("two stores differ, %v", err)
	}
}
