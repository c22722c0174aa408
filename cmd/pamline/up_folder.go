package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/cmd/internal/exit"
)

// apart refuses a drop folder in which pamline's own files lie: it would take its store, or the
// token of its service, for archives, store them, find those again, and so on.
func (l *local) apart(folder string) error {
	own := []string{l.data.Path()}
	inside := []string{l.scratch}
	if l.config.Store.Kind == "dir" {
		store := l.config.Store.Dir.Path
		if store == "" {
			store = l.storeFolder()
		}
		own = append(own, store)
		inside = append(inside, store)
	}
	for _, path := range own {
		// A name that begins with a dot is passed over, and whatever lies there.
		if below, ok := relativeBelow(folder, path); ok && (below == "." || !strings.HasPrefix(below, ".")) {
			return exit.With(exit.Usage, fmt.Errorf("drop folder %s contains pamline's own files in %s: choose another folder with --folder or drop.folder", folder, path))
		}
	}
	for _, path := range inside {
		if _, ok := relativeBelow(path, folder); ok {
			return exit.With(exit.Usage, fmt.Errorf("drop folder %s is inside %s, where pamline keeps its own files: choose another folder with --folder or drop.folder", folder, path))
		}
	}
	return nil
}

// dropFolderExists refuses a drop folder that was named and is not there: a typo must not become a
// folder that stays empty.
func dropFolderExists(folder string) error {
	if folder == "" {
		return nil // the default one is created
	}
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.With(exit.Usage, fmt.Errorf("drop folder %s does not exist: create it, or choose another with --folder or drop.folder", folder))
	case err != nil:
		return fmt.Errorf("open drop folder: %w", err)
	case !info.IsDir():
		return exit.With(exit.Usage, fmt.Errorf("drop folder %s is not a folder: choose another with --folder or drop.folder", folder))
	}
	return nil
}

// relativeBelow tells whether path is folder or lies below it, and where.
func relativeBelow(folder, path string) (below string, ok bool) {
	below, err := filepath.Rel(resolveLinks(folder), resolveLinks(path))
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", false
	}
	return below, true
}

// resolveLinks is a path without links, as far as it exists.
func resolveLinks(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolveLinks(parent), filepath.Base(path))
	}
	return path
}
