package publish_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

func TestAnImportThatSaysNothingNewPublishesNothing(t *testing.T) {
	r := stagetest.New(t)
	_, c := imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	if !c.Published || c.Memories != 2 || c.Conversations != 2 || c.ExportID == "" || c.Changes.Added != 2 {
		t.Fatalf("%+v", c)
	}
	before, exports := r.Head(t), r.Data.Keys("owners/me/exports/")
	again := r.PutDrop(t, stagetest.Zip(t, map[string]string{"conversations.json": stagetest.Talks(2), "readme.txt": "other bytes"}))
	_, c = imported(t, r, again)
	if c.Published || c.ExportID != before.ExportID || c.Changes != nil || c.Memories != 2 {
		t.Errorf("%+v", c)
	}
	if h := r.Head(t); h.Sequence != before.Sequence+1 || h.Inputs == before.Inputs || !slices.Equal(r.Data.Keys("owners/me/exports/"), exports) {
		t.Errorf("%+v", h)
	}
}

func TestFiguresOfAnExportAreThoseOfTheImportThatItIsFor(t *testing.T) {
	r := stagetest.New(t)
	first, _ := imported(t, r, r.PutDrop(t, []byte(stagetest.TalksOf("a", 0, 2))))
	h := r.Head(t)
	c, err := publish.ReadChange(t.Context(), r.Store(), owner, h, first.Import)
	if err != nil || !c.Published || c.Changes.Added != 2 || c.Import == nil || c.PerImport != nil {
		t.Errorf("%+v, %v", c, err)
	}
	for name, of := range map[string]struct {
		h  state.Head
		id string
	}{
		"another import":   {h, objects.Digest("x")[:32]},
		"a later head":     {state.Head{ExportID: h.ExportID, Sequence: h.Sequence + 1, MemoryCount: h.MemoryCount}, first.Import},
		"a head of nobody": {state.Head{ExportID: "none", MemoryCount: h.MemoryCount}, first.Import},
	} {
		if c, err := publish.ReadChange(t.Context(), r.Store(), owner, of.h, of.id); err != nil || c.Published || c.Memories != 2 || c.Changes != nil {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestChangesTellWhatBecameOfMemories(t *testing.T) {
	r := stagetest.New(t)
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	in := inputsOf(t, r).Clone()
	e := assemble.Edit{ID: "1", At: "2026-01-01T00:00:00Z", Action: assemble.EditRetract, Memory: memories(t, r)[0].ID}
	if _, err := objects.PutOnceJSON(t.Context(), r.Store(), state.EditKey(owner, 1), e); err != nil {
		t.Fatal(err)
	}
	in.AcceptEdits(1, 1)
	c := compute(t, r, in)
	if !c.Published || c.Changes.Added != 0 || len(c.Changes.Status) != 1 || len(c.Changes.Listed) != 1 || c.Changes.Listed[0].Memory != e.Memory {
		t.Errorf("%+v", c.Changes)
	}
}

func TestAnErasedDropLeavesTheStore(t *testing.T) {
	r := stagetest.New(t)
	drop := r.PutDrop(t, []byte(stagetest.TalksOf("a", 0, 2)))
	imported(t, r, drop)
	imported(t, r, r.PutDrop(t, []byte(stagetest.TalksOf("b", 2, 2))))
	asked, err := r.Jobs.Ask(t.Context(), job.Ref{Owner: owner, Drop: drop}, job.Want{Erase: true})
	if err != nil {
		t.Fatal(err)
	}
	if rec, _, err := r.Finish(t.Context(), job.Ref{Owner: owner, Drop: drop}, asked.Gen); err != nil || rec.Outcome != job.Erased {
		t.Fatal(rec, err)
	}
	r.Verify(t)
	if got := exportOf(t, r); strings.Contains(got, "Keeps 0 hens") || !strings.Contains(got, "Keeps 2 hens") {
		t.Error("the store has other memories than expected")
	}
}

// An object that the input set names and storage lacks, or that is damaged, is permanent: nothing
// is published without it.
func TestAMissingObjectOfTheInputSetIsPermanent(t *testing.T) {
	w := newWorld(t)
	in := state.NewInputs()
	for _, s := range w.steps {
		s.enter(&in)
	}
	names := append(w.Data.Keys("owners/me/imports/"), w.Data.Keys("owners/me/edits/")...)
	missing, damaged := 0, 0
	for _, key := range names {
		r := fork(t, w.Rig)
		body, _ := r.Data.Body(key)
		if err := r.Data.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		_, _, err := tryCompute(t.Context(), r, in)
		if err == nil {
			continue // the set does not name it
		}
		missing++
		if c := fault.Of(err); c != fault.Permanent {
			t.Errorf("without %s: %s: %v", key, c, err)
		}
		if strings.HasSuffix(key, ".s2") {
			continue // a pack that says nothing new is not read
		}
		if _, err := objects.PutOnce(t.Context(), r.Data, key, []byte(body[:len(body)-2])); err != nil {
			t.Fatal(err)
		}
		if _, _, err := tryCompute(t.Context(), r, in); err != nil {
			damaged++
			if fault.Of(err) != fault.Permanent {
				t.Errorf("with half of %s: %s: %v", key, fault.Of(err), err)
			}
		} else {
			t.Errorf("with half of %s a store is published", key)
		}
	}
	if missing < 20 || damaged < 15 {
		t.Errorf("%d objects are needed, %d noticed when they are damaged", missing, damaged)
	}
}

func TestAListOfOtherContentThanTheManifestNamesIsNotUsed(t *testing.T) {
	r := stagetest.New(t)
	rec, _ := imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	key := state.PackListKey(owner, rec.Import, 0)
	list, _ := r.Data.Body(key)
	if err := r.Data.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if _, err := objects.PutOnce(t.Context(), r.Data, key, []byte(strings.Replace(list, "Talk 1", "Talk 7", 1))); err != nil {
		t.Fatal(err)
	}
	if err := publish.VerifyStore(t.Context(), r.Publish, owner, r.Head(t)); fault.Of(err) != fault.Permanent || !errors.Is(err, objects.ErrDamaged) {
		t.Errorf("%v", err)
	}
}

// A low limit on conversations must not make what was published unreadable: the fold index is one
// stream whose window is larger.
func TestALowLimitOnConversationsKeepsTheStoreReadable(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	r := stagetest.New(t)
	r.Ingest.Limits.MaxConversation, r.Extraction.Limits.MaxConversation = 16<<10, 16<<10
	for _, n := range []int{600, 601} {
		if _, c := imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, n))); c.Conversations != int64(n) {
			t.Errorf("%d conversations of %d", c.Conversations, n)
		}
	}
}

func TestRejectsAreThoseOfTheResultsInTheStore(t *testing.T) {
	r := stagetest.New(t)
	text := strings.ReplaceAll(stagetest.Talks(2), "User keeps 0 hens.", "User's password is hunter2hunter2 and the card is 4111 1111 1111 1111.")
	rec, _ := imported(t, r, r.PutDrop(t, []byte(text)))
	n := 0
	for reject, err := range publish.Rejects(t.Context(), r.Store(), owner, rec.Import) {
		if err != nil {
			t.Fatal(err)
		}
		if reject.Reason == "" {
			t.Errorf("%+v", reject)
		}
		n++
	}
	if n == 0 {
		t.Error("there are none")
	}
	in := inputsOf(t, r).Clone()
	m, _, err := state.ReadManifest(t.Context(), r.Store(), owner, rec.Import)
	if err != nil {
		t.Fatal(err)
	}
	in.Accept(m.Drop, 2, m.Import, map[string]int{m.Shards[0].ID: 0})
	compute(t, r, in)
	for reject := range publish.Rejects(t.Context(), r.Store(), owner, rec.Import) {
		t.Errorf("a shard that the store lacks has %+v", reject)
	}
}

func TestOutputDependsOnNeitherNameNorTimeNorWorkers(t *testing.T) {
	var want string
	for i := range 2 {
		r := stagetest.New(t)
		r.Ingest.Workers, r.Extraction.Workers, r.Publish.Workers = 1+7*i, 1+7*i, 1+7*i
		r.Ingest.Limits.ShardItems = 7
		at := r.Publish.Now().AddDate(i, i, i)
		r.Publish.Now = func() time.Time { return at }
		imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 40)))
		got := exportOf(t, r) + fmt.Sprint(r.Data.Keys("owners/me/conversations/"))
		if i > 0 && got != want {
			t.Error("the store depends on the time or the number of workers")
		}
		want = got
	}
}
