package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// findMemory sets $MEMORY to the id of the memory of the bundle "out" with the given content.
func findMemory(ts *testscript.TestScript, _ bool, args []string) {
	var store struct {
		Memories []struct{ ID, Content string }
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("out/memory-store.json")), &store))
	for _, m := range store.Memories {
		if m.Content == args[0] {
			ts.Setenv("MEMORY", m.ID)
			return
		}
	}
	ts.Fatalf("there is no memory %q", args[0])
}

// sameMemories wants two bundles to have the same memories and relations, byte for byte.
func sameMemories(ts *testscript.TestScript, _ bool, args []string) {
	var parts [2][2]json.RawMessage
	for i, folder := range args {
		var store struct{ Memories, Relations json.RawMessage }
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(folder+"/memory-store.json")), &store))
		parts[i] = [2]json.RawMessage{store.Memories, store.Relations}
	}
	for i, name := range []string{"memories", "relations"} {
		if !bytes.Equal(parts[0][i], parts[1][i]) {
			ts.Fatalf("%s and %s have other %s", args[0], args[1], name)
		}
	}
}

// flipConversation changes a letter of the text of the only conversation of a bundle, and sets
// $CONVERSATION to its file.
func flipConversation(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "conversations", "*.json"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%d conversations", len(files))
	}
	text, err := os.ReadFile(files[0])
	ts.Check(err)
	ts.Check(os.WriteFile(files[0], bytes.Replace(text, []byte("Turku"), []byte("Turka"), 1), 0o600))
	ts.Setenv("CONVERSATION", files[0])
}
