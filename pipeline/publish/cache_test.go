package publish_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

const cacheKey = "owners/me/cache.zst"

// accepted takes many small drops into the store, one after the other, and gives how many reads
// each needed. lose is called before each.
func accepted(t *testing.T, r *stagetest.Rig, opened []job.Opened, lose func(n int)) (reads []int) {
	t.Helper()
	for n, o := range opened {
		lose(n)
		var gets atomic.Int64
		counted := r.On(r.Data.View(func(c statetest.Call) error {
			if c.Op == "get" && (strings.Contains(c.Key, "/imports/") || c.Key == cacheKey) {
				gets.Add(1)
			}
			return nil
		}, nil))
		counted.Publish.Workers, counted.Jobs = 1, job.New(counted.Store(), job.Options{NewID: r.Publish.NewID, Parallel: 1})
		if err := counted.Assemble(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		reads = append(reads, int(gets.Load()))
	}
	r.Verify(t)
	return reads
}

// What the cache has decides nothing: with it, without it, and when it is damaged or old, the same
// is published. With it, one more drop costs no more reads than the drops before.
func TestTheCacheChangesNothingButTheNumberOfReads(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it is one assembly after the other")
	}
	base := stagetest.New(t)
	var opened []job.Opened
	for i := range 50 {
		opened = append(opened, ready(t, base, base.PutDrop(t, []byte(stagetest.TalksOf("c", i, 2)))))
	}
	run := func(lose func(r *stagetest.Rig, n int)) ([]int, map[string]string) {
		r := fork(t, base)
		ids := 0
		r.Publish.NewID = func() string { ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids) }
		reads := accepted(t, r, opened, func(n int) { lose(r, n) })
		all := outcome(r)
		delete(all, cacheKey)
		return reads, all
	}
	with, want := run(func(*stagetest.Rig, int) {})
	without, got := run(func(r *stagetest.Rig, _ int) {
		if err := r.Data.Delete(t.Context(), cacheKey); err != nil {
			t.Fatal(err)
		}
	})
	if diff := differences(got, want); len(diff) > 0 {
		t.Errorf("without the cache differ %v", diff)
	}
	if with[49] > 40 || without[49] < 140 {
		t.Errorf("the 50th drop takes %d reads with the cache, and %d without it", with[49], without[49])
	}
	old := ""
	_, got = run(func(r *stagetest.Rig, n int) {
		body, ok := r.Data.Body(cacheKey)
		switch {
		case n == 30:
			old = body
		case n == 40:
			body = old
		case n%10 == 7:
			body = body[:len(body)/2]
		}
		if ok {
			if _, err := r.Data.Put(t.Context(), cacheKey, strings.NewReader(body), blob.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if diff := differences(got, want); len(diff) > 0 {
		t.Errorf("with an old and a damaged cache differ %v", diff)
	}
}

// An erased drop is in no copy.
func TestAnErasureLeavesNoCopyOfTheDrop(t *testing.T) {
	r := stagetest.New(t)
	in := state.NewInputs()
	var first state.Manifest
	w := &world{Rig: r}
	for i := range 30 {
		m := w.extracted(t, r.PutDrop(t, []byte(stagetest.TalksOf("c", i, 1))), 1)
		if i == 0 {
			first = m
		}
		in.Accept(m.Drop, 1, m.Import, nil)
	}
	compute(t, r, in)
	if _, ok := r.Data.Body(cacheKey); !ok {
		t.Fatal("nothing is cached")
	}
	next := in.Clone()
	next.Erase(first.Drop, 2)
	compute(t, r, next)
	if _, ok := r.Data.Body(cacheKey); ok {
		t.Error("the cache is there")
	}
	if err := publish.VerifyStore(t.Context(), r.Publish, owner, r.Head(t)); err != nil {
		t.Error(err)
	}
}
