package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// ask is the script command `ask PATH`: it asks the service of the data folder "data" and writes
// the status and the body to standard output.
func ask(ts *testscript.TestScript, _ bool, args []string) {
	addr := strings.TrimSpace(ts.ReadFile("data/http.addr"))
	resp, err := http.Get("http://" + addr + args[0])
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d %s", resp.StatusCode, body)
	ts.Check(err)
}

// frozen is the script command `frozen DIR`: nothing below DIR may be written. A tester who may
// write everywhere is found out by thawed.
func frozen(ts *testscript.TestScript, _ bool, args []string) {
	setWritable(ts, ts.MkAbs(args[0]), false)
	ts.Setenv("FROZEN", lookOf(ts, ts.MkAbs(args[0])))
}

// thawed is the script command `thawed DIR`: it ends frozen, and wants everything as it was.
func thawed(ts *testscript.TestScript, _ bool, args []string) {
	if now := lookOf(ts, ts.MkAbs(args[0])); now != ts.Getenv("FROZEN") {
		ts.Fatalf("%s was written to", args[0])
	}
	setWritable(ts, ts.MkAbs(args[0]), true)
}

// lookOf is a digest of the names, times and sizes below a folder.
func lookOf(ts *testscript.TestScript, root string) string {
	h := sha256.New()
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			_, err = fmt.Fprintln(h, path, info.ModTime().UnixNano(), info.Size())
		}
		return err
	}))
	return hex.EncodeToString(h.Sum(nil))
}

func setWritable(ts *testscript.TestScript, root string, writable bool) {
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o444)
		if d.IsDir() {
			mode = 0o555
		}
		if writable {
			mode |= 0o200
		}
		return os.Chmod(path, mode)
	}))
}
