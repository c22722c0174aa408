package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"

	"github.com/rogpeppe/go-internal/testscript"
)

// copyFolder is the script command `copy-folder FROM TO`.
func copyFolder(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// sameConversations is the script command `same-conversations A B`: both, a conversations.json or
// the folder of an export, hold the same conversations, equal as JSON values.
func sameConversations(ts *testscript.TestScript, _ bool, args []string) {
	a, b := conversationsByID(ts, args[0]), conversationsByID(ts, args[1])
	if len(a) == 0 || len(a) != len(b) {
		ts.Fatalf("%s has %d conversations, %s has %d", args[0], len(a), args[1], len(b))
	}
	for id := range a {
		if !reflect.DeepEqual(a[id], b[id]) {
			ts.Fatalf("conversation %s differs in %s and %s", id, args[0], args[1])
		}
	}
}

func conversationsByID(ts *testscript.TestScript, path string) map[string]any {
	path = ts.MkAbs(path)
	files := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		files, err = filepath.Glob(filepath.Join(path, "conversations*.json"))
		ts.Check(err)
	}
	out := map[string]any{}
	for _, file := range files {
		var list []map[string]any
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &list))
		for _, c := range list {
			id, _ := c["conversation_id"].(string)
			if id == "" {
				id, _ = c["id"].(string)
			}
			out[id] = c
		}
	}
	return out
}
