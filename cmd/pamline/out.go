package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/pamio/sums"
)

// bundleNames are what a bundle may have at its root.
var bundleNames = map[string]bool{"memory-store.json": true, "embeddings.json": true, "conversations": true, "assets": true, sums.File: true, sums.SignatureFile: true}

// outFolder is where a bundle is written to for --out: the path, with links followed, so that a
// link stays one. What is there is going to be replaced as a whole, so it must be nothing, or a
// bundle; it must not reach into a kept folder (the state of pamline), nor hold one of the files
// that are imported.
func outFolder(path string, kept, files []string) (string, error) {
	folder, err := followed(path)
	if err != nil {
		return "", fmt.Errorf("check --out: %w", err)
	}
	for _, k := range kept {
		if k, err = followed(k); err != nil {
			return "", fmt.Errorf("check --out: %w", err)
		}
		if within(folder, k) || within(k, folder) {
			return "", fmt.Errorf("check --out: %s and the data folder %s contain one another: choose a separate folder", path, k)
		}
	}
	for _, f := range files {
		if f, err = followed(f); err != nil {
			return "", fmt.Errorf("check --out: %w", err)
		}
		if within(f, folder) {
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

// followed is the absolute path without links; its last elements need not exist.
func followed(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if to, linkErr := os.Readlink(path); linkErr == nil {
		return "", fmt.Errorf("%s is a link to %s, which does not exist: create that folder, or choose another", path, to)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	if parent, err = followed(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// within tells whether path is folder or lies in it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
