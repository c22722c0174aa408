package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pack writes the archive of a system, and its packages.
func (r *release) pack(s system) error {
	if s.OS == "windows" {
		body, err := zipOf(s.Files, r.Time)
		if err != nil {
			return err
		}
		return os.WriteFile(r.name(s, ".zip"), body, 0o644)
	}
	body, err := tarGz(s.Files, r.Time)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.name(s, ".tar.gz"), body, 0o644); err != nil || s.OS != "linux" {
		return err
	}
	if err := r.deb(s); err != nil {
		return err
	}
	return r.rpm(s)
}

// tarOf is a tar archive that depends on its files and the time alone.
func tarOf(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.Name, Mode: f.Mode, Size: int64(len(f.Body)), ModTime: at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.Name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Body); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func tarGz(files []file, at time.Time) ([]byte, error) {
	body, err := tarOf(files, at)
	if err != nil {
		return nil, err
	}
	return gzipOf(body)
}

func gzipOf(body []byte) ([]byte, error) {
	var out bytes.Buffer
	// The best compression takes twice the time for half a percent.
	w := gzip.NewWriter(&out)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

func zipOf(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(f.Mode))
		e, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := e.Write(f.Body); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// writeSums writes the checksums of all files of a folder, in the form of sha256sum.
func writeSums(folder string) error {
	entries, err := os.ReadDir(folder) // by name
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", sum(body), e.Name())
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(out.String()), 0o644)
}

func sum(body []byte) string {
	h := sha256.Sum256(body)
	return hex.EncodeToString(h[:])
}
