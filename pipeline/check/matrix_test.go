package check_test

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
	"testing/fstest"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/check"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

// operation is something that is done with a store. It gives what comes of it.
type operation func(t *testing.T, r *stagetest.Rig, h *stagetest.History) (string, error)

// operations are those of the damage matrix. A check is the seventh: it is compared with the
// others.
var operations = map[string]operation{
	"next import": func(t *testing.T, r *stagetest.Rig, _ *stagetest.History) (string, error) {
		drop := r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","text":"hi at last"},{"id":"d","text":"new"},` +
			`{"record":{"kind":"memory","text":"User reads."}},{"record":{"kind":"memory","text":"User skis."}}]`}))
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
		if err := publish.CopyBundle(t.Context(), r.Store(), r.Owner, folder, publish.CopyOptions{}); err != nil {
			return "", err
		}
		return filesOf(os.DirFS(folder))
	},
	"validate": validateFolder,
}

// filesOf gives the names and contents of all files.
func filesOf(fsys fs.FS) (string, error) {
	var all strings.Builder
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(fsys, path)
		fmt.Fprintf(&all, "%s\n%s\n", path, body)
		return err
	})
	return all.String(), err
}

// validateFolder validates the folder of the owner as a bundle, as `pamline validate` does.
func validateFolder(t *testing.T, r *stagetest.Rig, _ *stagetest.History) (string, error) {
	problems, err := publish.CheckFolder(t.Context(), r.Store(), r.Owner)
	if err != nil {
		return "", err
	}
	root, folder := state.OwnerKey(r.Owner, ""), fstest.MapFS{}
	for _, key := range r.Data.Keys(root) {
		name := strings.TrimPrefix(key, root)
		if name == "memory-store.json" || name == "embeddings.json" || strings.HasPrefix(name, "conversations/") || strings.HasPrefix(name, "assets/") {
			body, _ := r.Data.Body(key)
			folder[name] = &fstest.MapFile{Data: []byte(body)}
		}
	}
	target := validate.Target{Name: "folder", FS: folder}
	for _, p := range problems {
		target.Known = append(target.Known, validate.Known(p))
	}
	report, err := validate.Run(t.Context(), target, validate.Options{Scratch: t.TempDir()})
	if err == nil && report.Verdict().Exit() != 0 {
		err = fmt.Errorf("verdict %s", report.Verdict())
	}
	if err != nil {
		return "", err
	}
	// Files that nothing names are no part of the bundle.
	unnamed := func(name string) bool {
		for _, other := range folder {
			if strings.Contains(string(other.Data), name) {
				return false
			}
		}
		return strings.Contains(name, "/")
	}
	maps.DeleteFunc(folder, func(name string, _ *fstest.MapFile) bool { return unnamed(name) })
	return filesOf(folder)
}

var moments = regexp.MustCompile(`"export_(id|date)":"[^"]*"`)

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

// elsewhere are the kinds of the layout that the history lacks, and where their damage is tested.
var elsewhere = map[string]string{
	"cache":     "it decides nothing, damaged or not: TestTheCacheChangesNothingButTheNumberOfReads in pipeline/publish",
	"data keys": "only an encrypted store has them: this test, with -encrypted",
}

// unnoticed are those objects of the history that nothing misses if they are removed, beside
// the unneeded ones: answers are asked for again, and nothing names these failures and rejects.
var unnoticed = []string{"/answers/", "failed/", "/rejects/"}

// newHistory is a store with every kind of object of the layout but those above.
func newHistory(t *testing.T, owner, word string) *stagetest.History {
	t.Helper()
	h := stagetest.NewHistory(t, owner, word, true)
	for n, text := range []string{"User skis.", "User reads."} {
		eraseRecord(t, h, n+1, text)
		h.KeepVersion()
	}
	for _, key := range h.Data.Keys(state.OwnerKey(owner, "imports/")) {
		if id := strings.Split(key, "/")[3]; strings.HasSuffix(key, "manifest.json") {
			a := extraction.Answers{Store: h.Store(), Owner: owner, Import: id}
			_, err := state.PutLines(t.Context(), h.Store(), func(digest string) string { return state.RejectsKey(owner, id, digest) }, []byte(`{"reason":"`+word+`"}`+"\n"))
			if err := errors.Join(err, a.Put(t.Context(), objects.Digest(word), []byte(word)), a.Spend(t.Context(), extract.Usage{Requests: 1})); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, key := range []string{state.TakenKey(owner, h.Drops[0]), state.FailedKey(owner, h.Drops[0], 1, "ingest")} {
		if err := objects.PutJSON(t.Context(), h.Store(), key, map[string]string{"reason": word}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// eraseRecord records an erasure that has reached everything.
func eraseRecord(t *testing.T, h *stagetest.History, n int, text string) {
	t.Helper()
	secret := func() string { return "secret" }
	_, err := ledger.Change(t.Context(), h.Store(), h.Owner, secret, func(l *ledger.Ledger) {
		l.Entries = append(l.Entries, ledger.Entry{At: "2026-01-01T00:00:00Z", Level: "memory", Keys: []string{l.Key(ledger.Record, text)}})
	})
	if err == nil {
		err = objects.PutJSON(t.Context(), h.Store(), ledger.ReceiptKey(h.Owner, n), map[string]string{"level": "memory"})
	}
	if err == nil {
		_, err = ledger.Change(t.Context(), h.Store(), h.Owner, secret, func(l *ledger.Ledger) { l.Entries[n-1].Done, l.Receipts = true, n })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// keysOfKinds gives the objects of each kind. It fails the test if there is an object that the
// layout does not have, or a kind that the history does not have.
func keysOfKinds(t *testing.T, h *stagetest.History) map[string][]string {
	t.Helper()
	byForm, kinds := map[string][]string{}, map[string]bool{}
	for _, key := range h.Data.Keys("") {
		if strings.HasPrefix(key, "work/") {
			continue // hints and marks, which only tell where to look
		}
		kind := check.KindOf(h.Owner, key)
		if kind == "" {
			t.Errorf("%s is of no kind of the layout (pipeline/check/kinds.go)", key)
		}
		kinds[kind] = true
		form := kind + ", " + stagetest.KindOf(key, h.Owner)
		byForm[form] = append(byForm[form], key)
	}
	for _, kind := range check.Kinds() {
		if !kinds[kind] && elsewhere[kind] == "" {
			t.Errorf("the damage of a kind of the layout is not tested: %s", kind)
		}
	}
	return byForm
}

// Whatever object of a store is damaged, and however: what is done with the store either fails or
// gives what it gives with the undamaged store, and a check names the damage.
func TestNoDamagedObjectChangesAResult(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: the checks of other tests run the same code")
	}
	h, other := newHistory(t, "me", "hens"), newHistory(t, "bob", "goats")
	want := map[string]string{}
	for name, do := range operations {
		var err error
		if want[name], err = do(t, h.Damaged(h.Data.Clone()), h); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if strings.Contains(want["next import"], "User reads") || !strings.Contains(want["next import"], "hens") {
		t.Fatal("the next import has what was erased")
	}
	for form, keys := range keysOfKinds(t, h) {
		t.Run(strings.ReplaceAll(form, "/", " "), func(t *testing.T) {
			t.Parallel()
			for _, key := range slices.Compact([]string{keys[0], keys[len(keys)-1]}) {
				body, _ := h.Data.Body(key)
				for what, changed := range stagetest.Damages(h, other, key, body) {
					for _, problem := range damageProblems(t, h, key, changed, want) {
						t.Errorf("%s, %s: %s", key, what, problem)
					}
				}
			}
		})
	}
}

// damageProblems does all operations with a damaged object, and says what is wrong with the
// results.
func damageProblems(t *testing.T, h *stagetest.History, key string, changed *string, want map[string]string) (problems []string) {
	t.Helper()
	for name, do := range operations {
		data := h.Data.Clone()
		damageObject(t, data, key, changed)
		got, err := do(t, h.Damaged(data), h)
		switch {
		case errors.Is(err, objects.ErrDamaged) && fault.HintOf(err) == "":
			problems = append(problems, fmt.Sprintf("%s: no hint: %v", name, err))
		case err == nil && got != want[name]:
			problems = append(problems, name+" gives another result")
		}
	}
	data := h.Data.Clone()
	damageObject(t, data, key, changed)
	report, err := check.CheckOwner(t.Context(), optionsOf(h.Damaged(data)), h.Owner)
	isOptional := changed == nil && slices.ContainsFunc(slices.Concat(unneeded, unnoticed), func(part string) bool { return strings.Contains(key, part) })
	if err == nil && !isOptional && !slices.ContainsFunc(report.Damage, func(d check.Damage) bool { return d.Object == key }) {
		problems = append(problems, "the check does not name it")
	}
	return problems
}
