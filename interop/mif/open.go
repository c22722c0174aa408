package mif

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// sniffed is how much of both ends of a file is looked at for the mark of the format.
const sniffed = 64 << 10

// Open opens the document of a file, which stays open until it is closed. Another file gives an
// error that wraps [ErrNotMIF] without being read as a whole.
func Open(name string) (d *Document, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("open MIF: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open MIF: %w", ErrNotMIF)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open MIF: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	ends := make([]byte, 2*sniffed)
	n, err := f.ReadAt(ends[:sniffed], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("open MIF: %w", err)
	}
	m, err := f.ReadAt(ends[n:n+sniffed], max(0, info.Size()-sniffed))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("open MIF: %w", err)
	}
	if !bytes.Contains(ends[:n+m], []byte("mif_version")) {
		return nil, fmt.Errorf("open MIF: %w", ErrNotMIF)
	}
	if d, err = New(f, info.Size()); err != nil {
		return nil, err
	}
	d.close = f.Close
	return d, nil
}
