package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/state"
)

// jobsOf are three jobs of an owner: done, done without a shard, refused.
func jobsOf(t *testing.T) (w *jobtest.World, short, refused job.Ref) {
	w = jobtest.New(t)
	w.Import(w.Drop("ana", "whole.zip"), jobtest.Plan{Importers: []string{"a/1"}, Shards: 2}, job.Want{})
	short, refused = w.Drop("ana", "short.zip"), w.Drop("ana", "letter.txt")
	w.Import(short, jobtest.Plan{Importers: []string{"a/1"}, Shards: 2, Failed: []int{1}}, job.Want{})
	w.Import(refused, jobtest.Plan{Refuse: errors.New("no export")}, job.Want{})
	return w, short, refused
}

func TestEndedJobsThatKeepThePromisesPass(t *testing.T) {
	w, _, _ := jobsOf(t)
	var s State
	if err := s.promises(t.Context(), w.Store, "ana"); err != nil || len(s.Wrong) > 0 {
		t.Errorf("%v, %q", err, s.Wrong)
	}
}

func TestEveryBrokenPromiseIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		destroy func(w *jobtest.World, short, refused job.Ref) []string // keys
		want    string
	}{
		"no receipt": {func(w *jobtest.World, short, _ job.Ref) []string {
			return []string{state.ReceiptKey("ana", short.Drop, 1)}
		}, "its receipt says"},
		"a dead letter is missing": {func(w *jobtest.World, _, refused job.Ref) []string {
			return []string{state.FailedKey("ana", refused.Drop, 1, "ingest")}
		}, "no dead letter"},
		"a result is missing": {func(w *jobtest.World, _, _ job.Ref) []string {
			return w.Store.Keys(state.OwnerKey("ana", "imports/"))
		}, "has no manifest"},
	} {
		w, short, refused := jobsOf(t)
		for _, key := range c.destroy(w, short, refused) {
			if err := w.Store.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		var s State
		err := s.promises(t.Context(), w.Store, "ana")
		if err != nil || !slices.ContainsFunc(s.Wrong, func(text string) bool { return strings.Contains(text, c.want) }) {
			t.Errorf("%s: %v, %q", name, err, s.Wrong)
		}
	}
}
