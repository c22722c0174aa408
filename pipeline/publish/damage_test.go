package publish_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/edit"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// history is a store with the versions that its objects have had.
type history struct {
	*stagetest.Rig
	drops    []string
	versions []*statetest.Store // after each step, the last one is now
}

// newHistory imports overlapping drops with files, makes an edit, and reads a drop anew.
func newHistory(t *testing.T, owner, word string) *history {
	t.Helper()
	h := &history{Rig: notesRig(t)}
	h.Owner = owner
	h.Ingest.Embeddings, h.Extraction.Embed = "v@2", &stagetest.Embedder{}
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
		h.versions = append(h.versions, h.Data.Clone())
	}
	add := func(text string) {
		t.Helper()
		h.drops = append(h.drops, h.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": text, "files/a.png": stagetest.PNG + word})))
		ask(h.drops[len(h.drops)-1], job.Want{})
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
	ask(h.drops[0], job.Want{})
	return h
}

var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|\d+`)

// kindOf is the key of an object without what tells it from others of its kind.
func kindOf(key, owner string) string {
	return changing.ReplaceAllString(strings.ReplaceAll(key, "/"+owner+"/", "/<owner>/"), "*")
}

// damages give the bytes that stand for an object; ok is false if there is no such damage of it,
// and a nil body removes the object.
func damages(h, other *history, key, body string) map[string]*string {
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
		if b, _ := other.Data.Body(k); kindOf(k, other.Owner) == kindOf(key, h.Owner) {
			add("another owner's", b)
			break
		}
	}
	return out
}

// operations are what is done with a store, and give what comes of them.
var operations = map[string]func(t *testing.T, r *stagetest.Rig, h *history) (string, error){
	"next import": func(t *testing.T, r *stagetest.Rig, _ *history) (string, error) {
		drop := r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","text":"hi at last"},{"id":"d","text":"new"},{"record":{"kind":"memory","text":"User reads."}}]`}))
		return finished(t, r, func() (job.Asked, error) {
			return r.Jobs.Ask(t.Context(), job.Ref{Owner: r.Owner, Drop: drop}, job.Want{})
		}, drop)
	},
	"import again": func(t *testing.T, r *stagetest.Rig, h *history) (string, error) {
		return finished(t, r, func() (job.Asked, error) {
			return r.Jobs.Ask(t.Context(), job.Ref{Owner: r.Owner, Drop: h.drops[1]}, job.Want{})
		}, h.drops[1])
	},
	"redrive": func(t *testing.T, r *stagetest.Rig, h *history) (string, error) {
		return finished(t, r, func() (job.Asked, error) {
			return r.Jobs.Redrive(t.Context(), job.Ref{Owner: r.Owner, Drop: h.drops[0]})
		}, h.drops[0])
	},
	"copy bundle": func(t *testing.T, r *stagetest.Rig, _ *history) (string, error) {
		folder := filepath.Join(t.TempDir(), "out")
		if err := publish.CopyBundle(t.Context(), r.Store(), r.Owner, folder); err != nil {
			return "", err
		}
		var all strings.Builder
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			body, err := os.ReadFile(path)
			fmt.Fprintf(&all, "%s\n%s\n", strings.TrimPrefix(path, folder), body)
			return err
		})
		return all.String(), err
	},
}

// finished does the work of a job, and gives the current store.
func finished(t *testing.T, r *stagetest.Rig, ask func() (job.Asked, error), drop string) (string, error) {
	t.Helper()
	asked, err := ask()
	if err != nil {
		return "", err
	}
	rec, _, err := r.Finish(t.Context(), job.Ref{Owner: r.Owner, Drop: drop}, asked.Gen)
	if err != nil {
		return "", err
	}
	if rec.Outcome != job.Done {
		return "", fmt.Errorf("outcome %s", rec.Outcome)
	}
	head, _, err := state.ReadHead(t.Context(), r.Store(), r.Owner)
	if err != nil {
		return "", err
	}
	rc, err := publish.OpenExport(t.Context(), r.Store(), r.Owner, head)
	if err != nil {
		return "", err
	}
	defer rc.Close()
	body, err := io.ReadAll(rc)
	return moments.ReplaceAllString(string(body), ""), err
}

// Whatever object of a store is damaged, and however: what is done with the store either fails or
// gives what it gives with the undamaged store.
func TestNoDamagedObjectChangesAResult(t *testing.T) {
	h, other := newHistory(t, "me", "hens"), newHistory(t, "bob", "goats")
	want := map[string]string{}
	for name, do := range operations {
		var err error
		if want[name], err = do(t, h.Damaged(h.Data.Clone()), h); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	byKind := map[string][]string{}
	for _, key := range h.Data.Keys("") {
		kind := kindOf(key, h.Owner)
		byKind[kind] = append(byKind[kind], key)
	}
	if len(byKind) < 24 {
		t.Fatalf("the store has %d kinds of objects only: %v", len(byKind), slices.Sorted(maps.Keys(byKind)))
	}
	for kind, keys := range byKind {
		t.Run(strings.ReplaceAll(kind, "/", " "), func(t *testing.T) {
			t.Parallel()
			for _, key := range keys[:min(len(keys), 2)] {
				body, _ := h.Data.Body(key)
				for what, changed := range damages(h, other, key, body) {
					for name, do := range operations {
						data := h.Data.Clone()
						damageObject(t, data, key, changed)
						got, err := do(t, h.Damaged(data), h)
						switch {
						case errors.Is(err, objects.ErrDamaged) && fault.HintOf(err) == "":
							t.Errorf("%s, %s, %s: no hint: %v", key, what, name, err)
						case err == nil && got != want[name]:
							t.Errorf("%s, %s: %s gives another result", key, what, name)
						}
					}
				}
			}
		})
	}
}

func damageObject(t *testing.T, data *statetest.Store, key string, changed *string) {
	t.Helper()
	if changed == nil {
		if err := data.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		return
	}
	if _, err := data.Put(t.Context(), key, strings.NewReader(*changed), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}
