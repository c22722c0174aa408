package stagetest

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/edit"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// History is a store with the versions that its objects have had.
type History struct {
	*Rig
	Drops    []string
	versions []*statetest.Store // after each step, the last one is now
}

// NewHistory imports overlapping drops with files, makes an edit, and reads a drop anew. Memories
// may have vectors.
func NewHistory(t testing.TB, owner, word string, vectors bool) *History {
	t.Helper()
	h := &History{Rig: New(t)}
	h.Ingest.Registry = NotesRegistry()
	h.Publish.Formats = []publish.Format{Format(".mem.zip")}
	h.Owner = owner
	if vectors {
		h.Ingest.Embeddings, h.Extraction.Embed = "v@2", &Embedder{}
	}
	ask := func(drop string, w job.Want) {
		t.Helper()
		ref := job.Ref{Owner: owner, Drop: drop}
		asked, err := h.Jobs.Ask(t.Context(), ref, w)
		if err != nil {
			t.Fatal(err)
		}
		if rec, _, err := h.Finish(t.Context(), ref, asked.Gen); err != nil || rec.Outcome != job.Done {
			t.Fatalf("%+v, %v", rec, err)
		}
		h.KeepVersion()
	}
	add := func(text string) {
		t.Helper()
		h.Drops = append(h.Drops, h.PutDrop(t, Zip(t, map[string]string{"notes.json": text, "files/a.png": PNG + word})))
		ask(h.Drops[len(h.Drops)-1], job.Want{})
	}
	add(`[{"id":"a","text":"hi ` + word + `","files":["files/a.png"],"inside":["inner ` + word + `"]},{"id":"b","text":"one"},{"record":{"kind":"memory","text":"User keeps ` + word + `."}}]`)
	add(`[{"id":"a","text":"hi again ` + word + `"},{"id":"c","text":"two"},{"record":{"kind":"memory","text":"User likes ` + word + `."}}]`)
	e := assemble.Edit{ID: "1", At: "2026-01-01T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: "Sings of " + word + "."}
	if _, err := edit.Append(t.Context(), h.Store(), owner, e); err != nil {
		t.Fatal(err)
	}
	ask(state.OwnerJob, job.Want{Edits: 1})
	h.Ingest.Limits.MaxDepth = 100 // it is another import
	h.Rig = h.On(h.Data)
	ask(h.Drops[0], job.Want{})
	return h
}

// KeepVersion remembers the objects as they are now: damage by an earlier version uses them.
func (h *History) KeepVersion() { h.versions = append(h.versions, h.Data.Clone()) }

var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|\d+`)

// KindOf is the key of an object without what tells it from others of its kind.
func KindOf(key, owner string) string {
	return changing.ReplaceAllString(strings.ReplaceAll(key, "/"+owner+"/", "/<owner>/"), "*")
}

// Damages gives, by a name of the damage, the bytes that are then in an object's place; with nil
// the object is removed. With -short there are two of them.
func Damages(h, other *History, key, body string) map[string]*string {
	out := map[string]*string{"removed": nil}
	add := func(name, changed string) {
		if changed != body {
			out[name] = &changed
		}
	}
	add("empty", "")
	for n, at := range []int{len(body) / 5, len(body) / 2, len(body) - 2} {
		if at >= 0 && at < len(body) {
			add(fmt.Sprintf("bit flip %d", n), body[:at]+string(body[at]^1)+body[at+1:])
		}
	}
	if len(body) > 0 {
		add("cut", body[:len(body)/2])
		add("cut at its end", body[:len(body)-1])
	}
	for _, v := range h.versions {
		if older, ok := v.Body(key); ok {
			add("older version", older)
			break
		}
	}
	for _, k := range other.Data.Keys("") {
		if b, _ := other.Data.Body(k); KindOf(k, other.Owner) == KindOf(key, h.Owner) {
			add("another owner's", b)
			break
		}
	}
	if testing.Short() {
		maps.DeleteFunc(out, func(name string, _ *string) bool { return name != "removed" && name != "bit flip 1" })
	}
	return out
}
