package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/pamio"
)

// withholdPrivate leaves the memories out of a bundle of ours that must not be given away
// (exportable: false), with what refers to them. Most bundles have none and stay as they are.
func withholdPrivate(bundle string) error {
	found, err := fileContains(filepath.Join(bundle, pamio.StoreFile), []byte(`"exportable":false`))
	if err != nil || !found {
		return err
	}
	open := bundle + ".open"
	folder, remove, err := scratch("")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(remove(), os.RemoveAll(open)) }() // scratch, and what was not renamed
	if _, err := exchange.Merge(exchange.Options{Scratch: folder, To: open, AnySignature: true}, bundle); err != nil {
		return fmt.Errorf("leave out what must not be exported: %w", err)
	}
	if err := os.RemoveAll(bundle); err != nil {
		return fmt.Errorf("leave out what must not be exported: %w", err)
	}
	return os.Rename(open, bundle)
}

// fileContains looks for bytes in a file of any size.
func fileContains(path string, what []byte) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close() //nolint:errcheck // only read
	buf := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := f.Read(buf[kept:])
		if bytes.Contains(buf[:kept+n], what) {
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("read %s: %w", path, err)
		}
		end := kept + n
		kept = min(end, len(what)-1) // it may stand across two reads
		copy(buf, buf[end-kept:end])
	}
}
