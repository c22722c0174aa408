// Package paths compares places of files, with links followed.
package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Followed is the absolute path without links; its last elements need not exist.
func Followed(path string) (string, error) {
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
	if parent, err = Followed(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// Within tells whether path is folder or lies in it.
func Within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Contains tells whether a path is a folder or lies in it. Neither needs to exist.
func Contains(folder, path string) (bool, error) {
	if folder == "" {
		return false, nil
	}
	folder, err := Followed(folder)
	if err != nil {
		return false, err
	}
	path, err = Followed(path)
	return err == nil && Within(path, folder), err
}
