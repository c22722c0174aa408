package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncFolder makes everything in the file system of a folder durable.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}
