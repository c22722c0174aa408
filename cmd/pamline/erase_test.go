package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// askAdmin posts to the admin API, and writes the status and the body to standard output.
func askAdmin(ts *testscript.TestScript, _ bool, args []string) {
	addr := strings.TrimSpace(ts.ReadFile("data/http.addr"))
	r, err := http.NewRequest(http.MethodPost, "http://"+addr+args[0], strings.NewReader(args[1]))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Pamline-Token", strings.TrimSpace(ts.ReadFile("data/http.token")))
	resp, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d %s", resp.StatusCode, body)
	ts.Check(err)
}

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
