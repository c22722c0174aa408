package publish_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// operations are what is done with a store, and give what comes of them.
var operations = map[string]func(t *testing.T, r *stagetest.Rig, h *stagetest.History) (string, error){
	"next import": func(t *testing.T, r *stagetest.Rig, _ *stagetest.History) (string, error) {
		drop := r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","text":"hi at last"},{"id":"d","text":"new"},{"record":{"kind":"memory","text":"User reads."}}]`}))
		return finished(t, r, func() (job.Asked, error) {
			return r.Jobs.Ask(t.Context(), job.Ref{Owner: r.Owner, Drop: drop}, job.Want{})
		}, drop)
	},
	"import again": func(t *testing.T, r *stagetest.Rig, h *stagetest.History) (string, error) {
		return finished(t, r, func() (job.Asked, error) {
			return r.Jobs.Ask(t.Context(), job.Ref{Owner: r.Owner, Drop: h.Drops[1]}, job.Want{})
		}, h.Drops[1])
	},
	"replay": func(t *testing.T, r *stagetest.Rig, h *stagetest.History) (string, error) {
		return finished(t, r, func() (job.Asked, error) {
			return r.Jobs.Ask(t.Context(), job.Ref{Owner: r.Owner, Drop: h.Drops[1]}, job.Want{Importer: "notes-importer/2026.01"})
		}, h.Drops[1])
	},
	"redrive": func(t *testing.T, r *stagetest.Rig, h *stagetest.History) (string, error) {
		return finished(t, r, func() (job.Asked, error) {
			return r.Jobs.Redrive(t.Context(), job.Ref{Owner: r.Owner, Drop: h.Drops[0]})
		}, h.Drops[0])
	},
	"copy bundle": func(t *testing.T, r *stagetest.Rig, _ *stagetest.History) (string, error) {
		folder := filepath.Join(t.TempDir(), "out")
		if err := publish.CopyBundle(t.Context(), r.Store(), r.Owner, folder, nil); err != nil {
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
	h, other := stagetest.NewHistory(t, "me", "hens", true), stagetest.NewHistory(t, "bob", "goats", true)
	want := map[string]string{}
	for name, do := range operations {
		var err error
		if want[name], err = do(t, h.Damaged(h.Data.Clone()), h); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	byKind := map[string][]string{}
	for _, key := range h.Data.Keys("") {
		kind := stagetest.KindOf(key, h.Owner)
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
				for what, changed := range stagetest.Damages(h, other, key, body) {
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
