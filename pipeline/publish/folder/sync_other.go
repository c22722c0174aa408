//go:build !linux

package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func exchangeFolders(string, string) error { return errors.ErrUnsupported }

// Sync makes what is written below a folder durable, file by file.
type Sync struct{ folder string }

// OpenSync is called before the first write below the folder.
func OpenSync(name string) (*Sync, error) { return &Sync{name}, nil }

// WriteBack does nothing: each file is synced once.
func (s *Sync) WriteBack() error { return nil }

// Finish returns when all that was written is durable.
func (s *Sync) Finish() error {
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

// Close ends the use of the folder.
func (s *Sync) Close() {}
