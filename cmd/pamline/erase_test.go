package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// grepFiles looks for a word in all files of a folder, in their raw bytes.
func grepFiles(ts *testscript.TestScript, neg bool, args []string) {
	var found string
	err := filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if bytes.Contains(body, []byte(args[0])) {
			found = path
		}
		return err
	})
	ts.Check(err)
	switch {
	case neg && found != "":
		ts.Fatalf("%s has the word %s", found, args[0])
	case !neg && found == "":
		ts.Fatalf("no file of %s has the word %s", args[1], args[0])
	}
}
