package job_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
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

// markOf is the mark of prunes.
const markOf = job.PruneRoot + owner + "/mark"

// holdsMark tells whether a prune holds the mark.
func holdsMark(s *statetest.Store) bool { body, _ := s.Body(markOf); return body != "" }

// pruner removes, again and again, the files that the head does not name.
func pruner(nonce string) statetest.Actor {
	return func(p *statetest.Process) {
		for {
			prune(p, nonce)
		}
	}
}

func prune(p *statetest.Process, nonce string) {
	ctx := context.Background()
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
	j := job.New(p.Store(), job.Options{Parallel: 1, NewID: func() string { return nonce }})
	_, err = j.Prunes().Run(ctx, owner, planned, func(ctx context.Context) error {
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
	_, err := j.Prunes().Run(t.Context(), owner, head, func(context.Context) error { t.Error("objects were removed"); return nil })
	if !errors.Is(err, job.ErrBusy) || holdsMark(s) {
		t.Errorf("%v, the mark is held: %t", err, holdsMark(s))
	}
	if err := sc.always(s, s, 0).finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err = j.Prunes().Run(t.Context(), owner, head, func(context.Context) error { t.Error("objects were removed"); return nil }); !errors.Is(err, job.ErrBusy) {
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
	next, err := j.Prunes().Run(t.Context(), owner, head, func(context.Context) error { called = true; return nil })
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
	_, err := j.Prunes().Run(t.Context(), owner, head, func(context.Context) error {
		if _, err := j.Ask(t.Context(), ref(1), job.Want{Importer: "x"}); err != nil {
			t.Fatal(err)
		}
		if err := sc.always(s, s, 0).finish(t.Context()); !errors.As(err, &waited) {
			t.Errorf("an import beside a prune: %v", err)
		}
		if _, err := j.Prunes().Run(t.Context(), owner, head, nil); !errors.Is(err, job.ErrBusy) {
			t.Errorf("a second prune: %v", err)
		}
		return crash
	})
	if !errors.Is(err, crash) {
		t.Fatal(err)
	}
	holdAs(t, s, "killed")
	s.Advance(time.Minute)
	if err := sc.always(s, s, 0).finish(t.Context()); err != nil {
		t.Errorf("an import beside the mark of a killed prune: %v", err)
	}
	if head, _, err = state.ReadHead(t.Context(), s, owner); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Prunes().Run(t.Context(), owner, head, func(context.Context) error { return nil }); err != nil || holdsMark(s) {
		t.Errorf("a prune after a killed one: %v, the mark is held: %t", err, holdsMark(s))
	}
	holdAs(t, s, "killed")
	if err := j.Prunes().FreeMarks(t.Context()); err != nil || holdsMark(s) {
		t.Errorf("the mark is held: %t, %v", holdsMark(s), err)
	}
}

// holdAs writes the mark as a prune that was killed leaves it.
func holdAs(t *testing.T, s *statetest.Store, nonce string) {
	t.Helper()
	if _, err := s.Put(t.Context(), markOf, strings.NewReader(nonce+"\n"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestAPruneThatWasTakenOverLeavesTheMarkToItsHolder(t *testing.T) {
	t.Parallel()
	s, sc, head := pruned(t)
	jobs := func(name string) *job.Jobs { return job.New(s, job.Options{NewID: func() string { return name }}) }
	_, err := jobs("first").Prunes().Run(t.Context(), owner, head, func(ctx context.Context) error {
		s.Advance(time.Minute)
		now, _, err := state.ReadHead(ctx, s, owner)
		if err != nil {
			return err
		}
		_, err = jobs("second").Prunes().Run(ctx, owner, now, func(context.Context) error {
			if body, _ := s.Body(markOf); body != "second\n" {
				t.Errorf("the second prune holds %q", body)
			}
			return nil
		})
		if err != nil {
			t.Errorf("a prune after one that stands still: %v", err)
		}
		holdAs(t, s, "third")
		return nil
	})
	if body, _ := s.Body(markOf); err != nil || body != "third\n" {
		t.Errorf("the mark is of %q: %v", body, err)
	}
	var waits *fault.Later
	if _, err := sc.always(s, s, 0).jobs().Ask(t.Context(), ref(1), job.Want{Importer: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := sc.always(s, s, 0).finish(t.Context()); !errors.As(err, &waits) {
		t.Errorf("an import beside the third prune: %v", err)
	}
}

// Some servers that keep versions never accept If-None-Match for a key that was deleted.
func TestTheMarkIsNeverDeletedAndMadeAgain(t *testing.T) {
	t.Parallel()
	s, _, head := pruned(t)
	v := &markedStore{Store: s}
	for range 3 {
		var err error
		j := job.New(v, job.Options{NewID: func() string { return "prune" }})
		if head, err = j.Prunes().Run(t.Context(), owner, head, func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if v.made != 1 || v.deleted != 0 || v.changed != 5 {
		t.Errorf("in three prunes the mark was made %d times, changed %d times, and deleted %d times", v.made, v.changed, v.deleted)
	}
}

// markedStore counts what happens to the mark.
type markedStore struct {
	blob.Store
	made, changed, deleted int
}

func (s *markedStore) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	switch {
	case key == markOf && o.IfAbsent:
		s.made++
	case key == markOf && o.IfMatch != "":
		s.changed++
	}
	return s.Store.Put(ctx, key, body, o)
}

func (s *markedStore) Delete(ctx context.Context, key string) error {
	if key == markOf {
		s.deleted++
	}
	return s.Store.Delete(ctx, key)
}

func TestAnErasedOwnerKeepsNoMark(t *testing.T) {
	t.Parallel()
	s, _, head := pruned(t)
	j := job.New(s, job.Options{NewID: func() string { return "prune" }})
	remove := func(ctx context.Context) error {
		if _, err := j.Prunes().Run(ctx, owner, head, nil); !errors.Is(err, job.ErrBusy) {
			t.Errorf("a prune beside an erasure: %v", err)
		}
		for _, key := range append(s.Keys(state.OwnerKey(owner, "")), markOf) {
			if err := s.Delete(ctx, key); err != nil {
				return err
			}
		}
		return nil
	}
	failed := errors.New("disk full")
	if err := j.Prunes().RemoveOwner(t.Context(), owner, func(context.Context) error { return failed }); !errors.Is(err, failed) || holdsMark(s) {
		t.Errorf("%v, the mark is held: %t", err, holdsMark(s))
	}
	if err := j.Prunes().RemoveOwner(t.Context(), owner, remove); err != nil {
		t.Fatal(err)
	}
	holdAs(t, s, "an erasure that was killed before its end")
	repeated := func(ctx context.Context) error { return s.Delete(ctx, markOf) }
	if err := j.Prunes().RemoveOwner(t.Context(), owner, repeated); err != nil {
		t.Errorf("an erasure that is repeated at once: %v", err)
	}
	if _, err := j.Prunes().Run(t.Context(), owner, head, nil); !errors.Is(err, job.ErrBusy) { // it was planned before
		t.Errorf("a prune after an erasure: %v", err)
	}
	if left := s.Keys(job.PruneRoot); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
