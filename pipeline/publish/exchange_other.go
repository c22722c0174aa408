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

// folderSync makes what is written below a folder durable, file by file.
type folderSync struct{ folder string }

func openSync(folder string) (*folderSync, error) { return &folderSync{folder}, nil }

// early does nothing: each file is synced once.
func (s *folderSync) early() error { return nil }

func (s *folderSync) all() error {
	return filepath.WalkDir(s.folder, func(path string, d fs.DirEntry, err error) error {
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

func (s *folderSync) close() {}
