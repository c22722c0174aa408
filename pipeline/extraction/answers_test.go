package extraction_test

import (
	"sync"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/statetest"
)

func TestTheShardsOfAnImportHaveOneBudget(t *testing.T) {
	s := statetest.New()
	of := func(id string) extract.Answers { return extraction.Answers{Store: s, Owner: "me", Import: id} }
	known := map[extract.Answers]bool{of("i1"): true} // as an extractor keeps what is reserved
	if !known[of("i1")] || known[of("i2")] {
		t.Error("a budget is that of an import")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				if err := of("i1").Spend(t.Context(), extract.Usage{Requests: 1, MicroUSD: 3}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if sum, err := of("i1").Spent(t.Context()); err != nil || sum != (extract.Usage{Requests: 20, MicroUSD: 60}) {
		t.Errorf("%+v, %v", sum, err)
	}
	if sum, err := of("i2").Spent(t.Context()); err != nil || sum != (extract.Usage{}) {
		t.Errorf("another import: %+v, %v", sum, err)
	}
}

func TestAnswersAreKeptByOwnerUnderKeysOnly(t *testing.T) {
	s := statetest.New()
	a, b := extraction.Answers{Store: s, Owner: "me", Import: "i"}, extraction.Answers{Store: s, Owner: "you", Import: "i"}
	key := objects.Digest("question")
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
