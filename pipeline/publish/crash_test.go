package publish_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
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

func differences(got, want map[string]string) (keys []string) {
	for key := range want {
		if got[key] != want[key] {
			keys = append(keys, key)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			keys = append(keys, "+"+key)
		}
	}
	slices.Sort(keys)
	return keys
}

// A process dies at any write of an import, another one finishes it: what lasts is the same, also
// what the receipt tells of the change, and no export is left over.
func TestACrashAtAnyWriteOfAnImportEndsInTheSameStore(t *testing.T) {
	fresh := func() (*stagetest.Rig, string) {
		r := stagetest.New(t)
		r.Ingest.Limits.ShardItems, r.Ingest.Embeddings, r.Extraction.Embed = 4, "v@2", &stagetest.Embedder{}
		return r, r.PutDrop(t, stagetest.TalksZip(t, 9))
	}
	r, drop := fresh()
	imported(t, r, drop)
	want := outcome(r)
	for n := 0; ; n += statetest.Stride(5) {
		r, drop := fresh()
		c, reached := r.Crash(n)
		if _, _, err := c.Import(t.Context(), drop); reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		change := finishCrashed(t, r, drop, n)
		r.Verify(t)
		if !change.Published || change.Changes == nil || change.Changes.Added != 9 || change.Import == nil {
			t.Errorf("after a crash at write %d the receipt has %+v", n, change)
		}
		got := outcome(r)
		maps.DeleteFunc(got, func(key, _ string) bool { return strings.HasPrefix(key, "work/open/") }) // a hint goes with the next sweep
		if diff := differences(got, want); len(diff) > 0 {
			t.Errorf("after a crash at write %d: %v", n, diff)
		}
		if !reached() {
			if n < 20 {
				t.Fatalf("the import needs %d writes only", n)
			}
			return
		}
	}
}

// Whatever call of storage fails: that is an outage, and the next try ends in the same store.
func TestAFailureOfAnyCallWhilePublishingIsAnOutage(t *testing.T) {
	gone := errors.New("the network is gone")
	for n := 0; ; n += statetest.Stride(5) {
		r := stagetest.New(t)
		o := ready(t, r, r.PutDrop(t, stagetest.TalksZip(t, 3)))
		fail, reached := statetest.FailCall(n, gone)
		err := r.On(objects.ClassedStore{Store: r.Data.View(fail, nil)}).Assemble(t.Context(), o)
		if !reached() {
			return
		}
		if fault.Of(err) != fault.Outage {
			t.Errorf("call %d: %s: %v", n, fault.Of(err), err)
		}
		if rec, _, err := r.Finish(t.Context(), o.Ref, o.Gen); err != nil || rec.Outcome != job.Done {
			t.Fatalf("after call %d failed: %+v, %v", n, rec, err)
		}
		r.Verify(t)
	}
}

// The answer of a write is lost: the write is done all the same.
func TestALostAnswerWhilePublishingChangesNothing(t *testing.T) {
	gone := errors.New("the network is gone")
	for n := 0; ; n += statetest.Stride(5) {
		r := stagetest.New(t)
		o := ready(t, r, r.PutDrop(t, stagetest.TalksZip(t, 3)))
		fail, reached := statetest.FailCall(n, gone)
		_ = r.On(objects.ClassedStore{Store: r.Data.View(nil, fail)}).Assemble(t.Context(), o) // it may or may not notice
		if !reached() {
			return
		}
		if rec, _, err := r.Finish(t.Context(), o.Ref, o.Gen); err != nil || rec.Outcome != job.Done {
			t.Fatalf("after answer %d was lost: %+v, %v", n, rec, err)
		}
		r.Verify(t)
	}
}

// Two processes compute one input set, one of them after the other has crashed: the bytes, the
// export id and the date are those of the first.
func TestTwoComputationsOfOneInputSetPublishOneExport(t *testing.T) {
	w := newWorld(t)
	in := state.NewInputs()
	for _, s := range w.steps {
		s.enter(&in)
	}
	first, _, err := tryCompute(t.Context(), w.Rig, in)
	if err != nil {
		t.Fatal(err)
	}
	before := w.Data.Sum()
	second, c, err := tryCompute(t.Context(), w.Rig, in)
	if err != nil || !reflect.DeepEqual(second, first) || !c.Published || w.Data.Sum() != before {
		t.Errorf("%+v and %+v: %v", first, second, err)
	}
}

func TestAnAssemblerThatLosesTheSwapComputesAgain(t *testing.T) {
	r := stagetest.New(t)
	var opened []job.Opened
	for i := range 3 {
		opened = append(opened, ready(t, r, r.PutDrop(t, []byte(stagetest.TalksOf("d", 3*i, 3)))))
	}
	overtaken := false
	slow := r.On(r.Data.View(func(c statetest.Call) error {
		if c.Op == "put" && c.Key == state.HeadKey(owner) && !overtaken {
			overtaken = true
			return r.Assemble(t.Context(), opened[1:]...) // also one that the slow one has
		}
		return nil
	}, nil))
	if err := slow.Assemble(t.Context(), opened[:2]...); err != nil || !overtaken {
		t.Fatal(err)
	}
	r.Verify(t)
	if in := inputsOf(t, r); len(in.Drops) != 3 || len(memories(t, r)) != 9 {
		t.Errorf("%+v, %d memories", in.Drops, len(memories(t, r)))
	}
	for _, o := range opened {
		if rec, err := r.Jobs.Read(t.Context(), o.Ref); err != nil || rec.Outcome != job.Done {
			t.Errorf("%+v, %v", rec, err)
		}
	}
}

func TestASlowAssemblerLeavesNoOldCopy(t *testing.T) {
	r := stagetest.New(t)
	one := ready(t, r, r.PutDrop(t, []byte(stagetest.TalksOf("a", 0, 2))))
	two := ready(t, r, r.PutDrop(t, []byte(stagetest.TalksOf("b", 2, 3))))
	if err := r.Assemble(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	head := r.Head(t)
	if head.ExportID == "" {
		t.Fatal("nothing was published")
	}
	overtaken := false
	slow := r.Data.View(func(c statetest.Call) error {
		if c.Op == "put" && c.Key == state.StoreKey(owner) && !overtaken {
			overtaken = true
			return r.Assemble(t.Context(), two)
		}
		return nil
	}, nil)
	if err := publish.WriteCopies(t.Context(), stagetest.Seal(slow), owner, head); err != nil || !overtaken {
		t.Fatal(err)
	}
	r.Verify(t)
}

func TestCopiesThatAreDamagedOrGoneAreRepaired(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Embeddings, r.Extraction.Embed = "v@2", &stagetest.Embedder{}
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	h := r.Head(t)
	vectors := state.OwnerKey(owner, "embeddings.json")
	for _, key := range []string{state.StoreKey(owner), vectors} {
		good, _ := r.Data.Body(key)
		for _, body := range []string{"", "{}"} {
			if err := r.Data.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			if body != "" {
				if _, err := r.Data.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := publish.RepairCopies(t.Context(), r.Store(), owner, h); err != nil {
				t.Fatal(err)
			}
			if got, _ := r.Data.Body(key); got != good {
				t.Errorf("%s was not repaired from %q", key, body)
			}
		}
	}
	h.Embeddings, h.EmbeddingsSize = "", 0
	if err := publish.WriteCopies(t.Context(), r.Store(), owner, h); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Data.Body(vectors); ok {
		t.Error("the vectors stay beside a store that has none")
	}
}

// Several processes assemble several drops at the same time, each drop twice.
func TestAssemblersThatRaceLoseNoDrop(t *testing.T) {
	r := stagetest.New(t)
	var opened []job.Opened
	for i := range 5 {
		opened = append(opened, ready(t, r, r.PutDrop(t, []byte(stagetest.TalksOf("d", 3*i, 3)))))
	}
	var all sync.WaitGroup
	for _, o := range slices.Concat(opened, opened) {
		all.Go(func() {
			if err := r.Assemble(t.Context(), o); err != nil && fault.Of(err) != fault.Outage {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, o := range opened {
		if rec, _, err := r.Finish(t.Context(), o.Ref, o.Gen); err != nil || rec.Outcome != job.Done {
			t.Errorf("%+v, %v", rec, err)
		}
	}
	r.Verify(t)
	if n := len(memories(t, r)); n != 15 {
		t.Errorf("%d memories of 15", n)
	}
}
