//go:build !linux

package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func exchangeFolders(string, string) error { return errors.ErrUnsupported }

// syncAll makes what was written to a folder durable, file by file.
func syncAll(folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("sync %s: %w", path, err)
		}
		defer f.Close()
		return f.Sync()
	})
}
