package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheScanFindsWordsInEveryFolderButOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"logs/a.log": "{\"x\":\"" + canary("ana") + "\"}", "scratch/w/part": canary("a_na"), "nats/stream/1.blk": "\x00" + canary("ana") + "\x00",
		"objects/pamline/owners/ana/x": "sealed", "objects/pamline/inbox/ana/export.zip": canary("ana"), "logs/b.log": "canary bird",
	} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, read, err := findWords(folder, filepath.Join("objects", "pamline", "inbox"), []string{"ana", "a_na"})
	if err != nil || read == 0 || !slices.Equal(found, []string{"logs/a.log", "nats/stream/1.blk", "scratch/w/part"}) {
		t.Errorf("%q in %d bytes, %v", found, read, err)
	}
	if found, _, err := findWords(folder, "none", []string{"ana"}); err != nil || len(found) != 3 {
		t.Errorf("%q, %v", found, err)
	}
}
