//go:build !linux

package main

import (
	"errors"
	"os"
	"path/filepath"
)

// syncFolder makes the files of a folder durable one by one: there is no call for all of them.
func syncFolder(folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return err
	}
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
