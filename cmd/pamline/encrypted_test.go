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
	where, files, err := searchBytes(ts.MkAbs(args[1]), args[0])
	ts.Check(err)
	if where != "" {
		ts.Fatalf("%s has %s in it", where, args[0])
	}
	if files == 0 {
		ts.Fatalf("there is no file in %s", args[1])
	}
}

// searchBytes gives a file of a folder that has a word in it, compressed or encoded, "" for none,
// and how many files there are.
func searchBytes(folder, text string) (where string, files int, err error) {
	word := []byte(text)
	forms := [][]byte{word, []byte(hex.EncodeToString(word)), []byte(base64.StdEncoding.EncodeToString(word))}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
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
					where = path
				}
			}
		}
		return nil
	})
	return where, files, err
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
