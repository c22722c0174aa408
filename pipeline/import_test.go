package pipeline

import (
	"archive/zip"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// runImport takes one drop through all stages on an embedded broker and returns its receipt.
func runImport(t *testing.T, d Deps, owner string, paths ...string) state.Receipt {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l, err := OpenLocal(ctx, d, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	rec, err := TakeIn(ctx, d.Store, owner, paths, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	req := state.Request{V: state.MessageVersion, Owner: owner, Drop: rec.Drop, Lane: Lane(rec.Bytes())}
	events, stop := l.Watch(owner, rec.Drop)
	defer stop()
	if err := l.Submit(ctx, req); err != nil {
		t.Fatal(err)
	}
	r, err := l.Wait(ctx, events, req, 3)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return r
}

// zipOf writes a zip of named texts.
func zipOf(t *testing.T, files map[string]string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "export.zip")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for n, text := range files {
		w, err := z.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

const twoConversations = `[
{"conversation_id":"c-1","title":"Bread","create_time":1700000000.5,"update_time":1700000100.25,"mapping":{
 "a":{"id":"a","message":null,"parent":null,"children":["b"]},
 "b":{"id":"b","message":{"id":"b","author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"text","parts":["How long does dough rest?"]},"metadata":{}},"parent":"a","children":["c"]},
 "c":{"id":"c","message":{"id":"c","author":{"role":"assistant"},"create_time":1700000002,"content":{"content_type":"text","parts":["Two hours."]},"metadata":{}},"parent":"b","children":[]}},
 "current_node":"c"},
{"conversation_id":"c-2","title":"Trees","create_time":1700001000,"update_time":1700001100,"mapping":{
 "a":{"id":"a","message":{"id":"a","author":{"role":"user"},"create_time":1700001001,"content":{"content_type":"text","parts":["Name a tree."]},"metadata":{}},"parent":null,"children":[]}},
 "current_node":"a"}]`

func TestImportPublishesAStoreAndASecondOneNothing(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": twoConversations})
	r := runImport(t, d, "me", file)
	if r.State != state.StateDone || !r.Store.Published || r.Counts.Conversations != 2 || r.Counts.Messages != 3 {
		t.Fatalf("first import: %+v", r)
	}
	before := listing(t, d, "owners/me/")
	r = runImport(t, d, "me", file)
	if r.State != state.StateDone || r.Store.Published {
		t.Fatalf("second import: %+v", r)
	}
	after := listing(t, d, "owners/me/")
	for key, tag := range after {
		if before[key] != tag {
			t.Errorf("the second import wrote %s", key)
		}
	}
	for o, err := range d.Store.List(t.Context(), "work/") {
		t.Errorf("work is left behind: %s (%v)", o.Key, err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := publish.CopyBundle(t.Context(), d.Store, "me", out); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(out, "conversations"))
	if err != nil || len(files) != 2 {
		t.Errorf("bundle has %d conversation files (%v)", len(files), err)
	}
}

func listing(t *testing.T, d Deps, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for o, err := range d.Store.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		out[o.Key] = o.ETag
	}
	return out
}
