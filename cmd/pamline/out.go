package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pamline/pamline/cmd/internal/paths"
	"github.com/pamline/pamline/pamio/sums"
)

// bundleNames are what a bundle may have at its root.
var bundleNames = map[string]bool{"memory-store.json": true, "embeddings.json": true, "conversations": true, "assets": true, sums.File: true, sums.SignatureFile: true}

// outFolder is where a bundle is written to for --out: the path, with links followed, so that a
// link stays one. What is there is going to be replaced as a whole, so it must be nothing, or a
// bundle; it must not reach into a kept folder (the state of pamline), nor hold one of the files
// that are imported.
func outFolder(path string, kept, files []string) (string, error) {
	folder, err := paths.Followed(path)
	if err != nil {
		return "", fmt.Errorf("check --out: %w", err)
	}
	for _, k := range kept {
		if k, err = paths.Followed(k); err != nil {
			return "", fmt.Errorf("check --out: %w", err)
		}
		if paths.Within(folder, k) || paths.Within(k, folder) {
			return "", fmt.Errorf("check --out: %s and the data folder %s contain one another: choose a separate folder", path, k)
		}
	}
	for _, f := range files {
		if f, err = paths.Followed(f); err != nil {
			return "", fmt.Errorf("check --out: %w", err)
		}
		if paths.Within(f, folder) {
			return "", fmt.Errorf("check --out: %s is in %s, which would be replaced: choose another folder", f, path)
		}
	}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return folder, nil
	}
	if err != nil {
		return "", fmt.Errorf("check --out: %w: choose a folder", err)
	}
	for _, e := range entries {
		if !bundleNames[e.Name()] {
			return "", fmt.Errorf("check --out: %s contains %q, which is not part of a bundle and would be lost: choose an empty or new folder", path, e.Name())
		}
	}
	return folder, nil
}
