package pipeline

import (
	"sync"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/state"
)

func TestTheShardsOfAnImportHaveOneBudget(t *testing.T) {
	d := testDeps(t)
	of := func(id, shard string) extract.Answers {
		x := extraction.ShardRun{Options: d.extraction(), Task: state.ExtractTask{Owner: "me", Import: id, Shard: shard, Extractors: []string{"llm"}}}
		return x.Answers()
	}
	known := map[extract.Answers]bool{of("i1", "a"): true} // as an extractor keeps what is reserved
	if !known[of("i1", "b")] || known[of("i2", "a")] {
		t.Error("a budget is that of an import")
	}
	var all sync.WaitGroup
	for _, shard := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			for range 5 {
				if err := of("i1", shard).Spend(t.Context(), extract.Usage{Requests: 1, MicroUSD: 3}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if sum, err := of("i1", "e").Spent(t.Context()); err != nil || sum != (extract.Usage{Requests: 20, MicroUSD: 60}) {
		t.Errorf("%+v, %v", sum, err)
	}
	if sum, err := of("i2", "a").Spent(t.Context()); err != nil || sum != (extract.Usage{}) {
		t.Errorf("another import: %+v, %v", sum, err)
	}
}

func TestAnswersAreKeptByOwnerUnderKeysOnly(t *testing.T) {
	d := testDeps(t)
	a, b := extraction.Answers{Store: d.Store, Owner: "me", Id: "i"}, extraction.Answers{Store: d.Store, Owner: "you", Id: "i"}
	key := state.Digest("question")
	if err := a.Put(t.Context(), key, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if v, ok, err := a.Get(t.Context(), key); err != nil || !ok || string(v) != "x" {
		t.Errorf("%q, %v, %v", v, ok, err)
	}
	if _, ok, err := b.Get(t.Context(), key); err != nil || ok {
		t.Errorf("another owner: %v, %v", ok, err)
	}
	for _, bad := range []string{"", "../" + key, "x", "batch-", key + "/y"} {
		if err := a.Put(t.Context(), bad, nil); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}
