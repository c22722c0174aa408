package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/sums"
)

// memoryOf sets $MEMORY to the id of the memory of a bundle with the given content.
func memoryOf(ts *testscript.TestScript, _ bool, args []string) {
	b, err := pamio.OpenBundle(ts.MkAbs(args[0]))
	ts.Check(err)
	defer b.Close()
	store, err := b.OpenStore()
	ts.Check(err)
	defer store.Close()
	found := ""
	ts.Check(pamio.ReadStore(store, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		if err == nil && m.Content == args[1] {
			found = m.ID
		}
		return err
	}}))
	if found == "" {
		ts.Fatalf("%s has no memory %q", args[0], args[1])
	}
	ts.Setenv("MEMORY", found)
}

// sameBundle wants two bundles to be equal: the stores by value, all other files byte for byte.
// With --content, what belongs to the moment of publishing may differ.
func sameBundle(ts *testscript.TestScript, _ bool, args []string) {
	content := args[0] == "--content"
	if content {
		args = args[1:]
	}
	var all [2]map[string][]byte
	for i, folder := range args {
		all[i] = map[string][]byte{}
		root := ts.MkAbs(folder)
		ts.Check(filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err == nil {
				all[i][name], err = os.ReadFile(path)
			}
			return err
		}))
	}
	if len(all[0]) != len(all[1]) {
		ts.Fatalf("%s has %d files, %s has %d", args[0], len(all[0]), args[1], len(all[1]))
	}
	for name, text := range all[0] {
		if content && name == sums.File {
			continue // it has the digest of the store, which has an id and a date
		}
		if name != pamio.StoreFile && name != pamio.EmbeddingsFile {
			if !bytes.Equal(text, all[1][name]) {
				ts.Fatalf("%s differs", name)
			}
			continue
		}
		var a, b any
		ts.Check(json.Unmarshal(text, &a))
		ts.Check(json.Unmarshal(all[1][name], &b))
		for _, side := range []any{a, b} {
			if store, ok := side.(map[string]any); ok && content {
				delete(store, "export_id")
				delete(store, "export_date")
			}
		}
		if !reflect.DeepEqual(a, b) {
			ts.Fatalf("%s differs:\n%s\n%s", name, text, all[1][name])
		}
	}
}
