package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestTheLaterStoreArchivesSomeOfTheSameMemories(t *testing.T) {
	folder := t.TempDir()
	base, next := filepath.Join(folder, "base.json"), filepath.Join(folder, "next.json")
	size, err := writeStores(base, next, 200*bytesEach)
	if err != nil || size < 100*bytesEach {
		t.Fatalf("%d bytes, %v", size, err)
	}
	type store struct {
		Memories []struct{ ID, Status string }
	}
	read := func(file string) (s store) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := read(base), read(next)
	if len(a.Memories) != 200*memoriesEach || len(b.Memories) != len(a.Memories) {
		t.Fatalf("%d and %d memories", len(a.Memories), len(b.Memories))
	}
	archived := 0
	for i, m := range a.Memories {
		if m.ID != b.Memories[i].ID || i > 0 && m.ID <= a.Memories[i-1].ID {
			t.Fatalf("memory %d: %s and %s", i, m.ID, b.Memories[i].ID)
		}
		if m.Status != b.Memories[i].Status {
			archived++
		}
	}
	if archived != len(a.Memories)/100 {
		t.Errorf("%d of %d memories are archived", archived, len(a.Memories))
	}
}
