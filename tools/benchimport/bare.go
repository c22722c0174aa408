package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/flate"
)

// piece is how many bytes of JSON a file of the bare program gets: 272 MB make 6,000 files.
const piece = 45_400

// bare is what any import must do that keeps an archive as files named by content, and nothing
// else: it hashes the archive, inflates it, hashes and writes the pieces, and syncs once.
func bare(archive, folder string) error {
	in, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	whole := sha256.New()
	size, err := io.Copy(whole, in)
	if err != nil {
		return err
	}
	z, err := zip.NewReader(in, size)
	if err != nil {
		return err
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	buf := make([]byte, piece)
	for _, m := range z.File {
		if err := writePieces(m, folder, buf); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "archive"), []byte(hex.EncodeToString(whole.Sum(nil))), 0o600); err != nil {
		return err
	}
	return syncFolder(folder)
}

func writePieces(m *zip.File, folder string, buf []byte) error {
	r, err := m.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // only read
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			sum := sha256.Sum256(buf[:n])
			if err := os.WriteFile(filepath.Join(folder, hex.EncodeToString(sum[:])), buf[:n], 0o600); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// bareOnce runs bare in a process of its own, as the import is one.
func bareOnce(archive, folder string) (cost, error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.Command(self, "-bare", folder, archive)
	var report bytes.Buffer
	cmd.Stdout, cmd.Stderr = &report, &report
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("run the bare program: %w\n%s", err, report.String())
	}
	return costOf(cmd.ProcessState, time.Since(start)), nil
}
