package job_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// filesOf has the files of stores in scenarios with prunes.
const filesOf = "owners/" + owner + "/conversations/"

// fileOf is the file that a head names, by the content of its store.
func fileOf(h state.Head) string { return filesOf + objects.Digest(h.Store)[:16] + ".json" }

// prune removes, again and again, the files that the head does not name.
func prune(p *statetest.Process) {
	ctx := context.Background()
	for {
		p.Forget()
		p.Await("prunes", func(s *statetest.Store) int { return min(1, len(s.Keys(filesOf))-1) })
		planned, _, err := state.ReadHead(ctx, p.Store(), owner)
		if err != nil {
			panic(err)
		}
		var unneeded []string
		for o, err := range p.Store().List(ctx, filesOf) {
			if err != nil {
				panic(err)
			}
			if o.Key != fileOf(planned) {
				unneeded = append(unneeded, o.Key)
			}
		}
		p.Note(unneeded...)
		j := job.New(p.Store(), job.Options{Parallel: 1, NewID: func() string { return "prune" }})
		_, err = j.Prune(ctx, owner, planned, func(ctx context.Context) error {
			for _, key := range unneeded {
				if err := p.Store().Delete(ctx, key); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, job.ErrBusy) {
			panic(err)
		}
	}
}

// pruned gives a store with one import, and its head.
func pruned(t *testing.T) (*statetest.Store, *scenario, state.Head) {
	t.Helper()
	sc := &scenario{shards: one("c"), start: "whole"}
	s := sc.begun(t)
	head, _, err := state.ReadHead(t.Context(), s, owner)
	if err != nil {
		t.Fatal(err)
	}
	return s, sc, head
}

func TestAPruneWaitsForOpenImports(t *testing.T) {
	t.Parallel()
	s, sc, head := pruned(t)
	j := sc.always(s, s, 0).jobs()
	if _, err := j.Ask(t.Context(), ref(1), job.Want{Importer: "x"}); err != nil {
		t.Fatal(err)
	}
	_, err := j.Prune(t.Context(), owner, head, func(context.Context) error { t.Error("objects were removed"); return nil })
	if !errors.Is(err, job.ErrBusy) || len(s.Keys(job.PruneRoot)) > 0 {
		t.Errorf("%v, marks %v", err, s.Keys(job.PruneRoot))
	}
	if err := sc.always(s, s, 0).finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err = j.Prune(t.Context(), owner, head, func(context.Context) error { t.Error("objects were removed"); return nil }); !errors.Is(err, job.ErrBusy) {
		t.Errorf("with a plan for an older head: %v", err)
	}
}

func TestAHintAheadOfItsRecordDoesNotKeepAPruneOut(t *testing.T) {
	t.Parallel()
	s, sc, head := pruned(t)
	j := sc.always(s, s, 0).jobs()
	if err := objects.PutEmpty(t.Context(), s, state.OpenKey(owner, drops[1], 1)); err != nil { // an Ask was killed here
		t.Fatal(err)
	}
	called := false
	next, err := j.Prune(t.Context(), owner, head, func(context.Context) error { called = true; return nil })
	if err != nil || !called || next.Sequence != head.Sequence+1 {
		t.Errorf("called %v, %+v, %v", called, next, err)
	}
	if now, _, err := state.ReadHead(t.Context(), s, owner); err != nil || !reflect.DeepEqual(now, next) {
		t.Errorf("the head is %+v, %v", now, err)
	}
}

func TestImportsWaitForAPruneAndNotForTheMarkOfAKilledOne(t *testing.T) {
	t.Parallel()
	s, sc, head := pruned(t)
	crash := errors.New("killed")
	j := sc.always(s, s, 0).jobs()
	var waited *fault.Later
	_, err := j.Prune(t.Context(), owner, head, func(context.Context) error {
		if _, err := j.Ask(t.Context(), ref(1), job.Want{Importer: "x"}); err != nil {
			t.Fatal(err)
		}
		if err := sc.always(s, s, 0).finish(t.Context()); !errors.As(err, &waited) {
			t.Errorf("an import beside a prune: %v", err)
		}
		if _, err := j.Prune(t.Context(), owner, head, nil); !errors.Is(err, job.ErrBusy) {
			t.Errorf("a second prune: %v", err)
		}
		return crash
	})
	if !errors.Is(err, crash) {
		t.Fatal(err)
	}
	if _, err := objects.PutOnce(t.Context(), s, job.PruneRoot+owner, []byte("left\n")); err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Minute)
	if err := sc.always(s, s, 0).finish(t.Context()); err != nil {
		t.Errorf("an import beside the mark of a killed prune: %v", err)
	}
	if head, _, err = state.ReadHead(t.Context(), s, owner); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Prune(t.Context(), owner, head, func(context.Context) error { return nil }); err != nil || len(s.Keys(job.PruneRoot)) > 0 {
		t.Errorf("a prune after a killed one: %v, marks %v", err, s.Keys(job.PruneRoot))
	}
	if err := objects.PutEmpty(t.Context(), s, job.PruneRoot+owner); err != nil {
		t.Fatal(err)
	}
	if err := j.RemovePruneMarks(t.Context()); err != nil || strings.Join(s.Keys(job.PruneRoot), "") != "" {
		t.Errorf("marks %v, %v", s.Keys(job.PruneRoot), err)
	}
}
