package pipeline

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/publish"
)

func TestAnEditThatWasRecordedAndNotPublishedIsPublishedWithTheNextImportOfAnyDrop(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(2)})
	if r := runImport(t, d, "me", file); r.Store.Memories != 2 {
		t.Fatalf("%+v", r)
	}
	e := assemble.Edit{ID: "e", At: "2026-01-01T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: "Keeps a diary."}
	if err := publish.AppendEdit(t.Context(), d.Store, "me", e); err != nil { // and here the power went
		t.Fatal(err)
	}
	if r := runImport(t, d, "me", file); r.Store.Memories != 3 {
		t.Errorf("after the drop came again the store has %d memories", r.Store.Memories)
	}
	h := checkHead(t, d, "me")
	if runImport(t, d, "me", file); checkHead(t, d, "me") != h {
		t.Error("a third import changed the head")
	}
}

func TestAnEditThatCannotBePublishedSaysThatItIsRecorded(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(2)})
	if r := runImport(t, d, "me", file); r.Store.Memories != 2 {
		t.Fatalf("%+v", r)
	}
	e := assemble.Edit{ID: "e", At: "2026-01-01T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: "Keeps a diary."}
	var left atomic.Int64
	left.Store(1)
	broken := d
	broken.Store = cutStore{d.Store, &left}
	if _, err := Edit(t.Context(), broken, "me", e); !errors.Is(err, errCut) || !contains(err.Error(), "which is recorded") {
		t.Errorf("%v", err)
	}
	if edits, _, err := publish.ReadEdits(t.Context(), d.Store, "me"); err != nil || len(edits) != 1 || edits[0] != e {
		t.Errorf("%+v, %v", edits, err)
	}
}

func TestAnEditThatSaysNothingIsNotRecorded(t *testing.T) {
	d := testDeps(t)
	for _, content := range []string{"", " \t\n", "a\xff"} {
		e := assemble.Edit{ID: "e", At: "2026-01-01T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: content}
		if _, err := Edit(t.Context(), d, "me", e); !errors.Is(err, ErrNoContent) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, sum, err := publish.ReadEdits(t.Context(), d.Store, "me"); err != nil || sum != "" {
		t.Errorf("%q, %v", sum, err)
	}
}
