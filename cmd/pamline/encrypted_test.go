package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// seesNothing looks through every byte of a folder, with what is compressed or encoded in it.
func seesNothing(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: sees-nothing WORD FOLDER")
	}
	word := []byte(args[0])
	forms := [][]byte{word, []byte(hex.EncodeToString(word)), []byte(base64.StdEncoding.EncodeToString(word))}
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, one := range append(uncompressed(text), text) {
			for _, form := range forms {
				if bytes.Contains(one, form) {
					ts.Fatalf("%s has %s in it", path, args[0])
				}
			}
		}
		return nil
	}))
	if files == 0 {
		ts.Fatalf("there is no file in %s", args[1])
	}
}

func flipBit(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		files, err := filepath.Glob(ts.MkAbs(name))
		ts.Check(err)
		if len(files) == 0 {
			ts.Fatalf("no file %s", name)
		}
		text, err := os.ReadFile(files[0])
		ts.Check(err)
		text[len(text)/2] ^= 8
		ts.Check(os.WriteFile(files[0], text, 0o600))
	}
}

// uncompressed gives what is compressed in a file, if it can be expanded.
func uncompressed(text []byte) (all [][]byte) {
	if z, err := zstd.NewReader(bytes.NewReader(text)); err == nil {
		defer z.Close()
		if one, err := io.ReadAll(z); err == nil {
			all = append(all, one)
		}
	}
	a, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return all
	}
	for _, f := range a.File {
		rc, err := f.Open()
		if err != nil {
			continue
		}
		if one, err := io.ReadAll(rc); err == nil && rc.Close() == nil {
			all = append(all, one)
		}
	}
	return all
}
