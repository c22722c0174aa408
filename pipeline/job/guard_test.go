package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

func putText(t *testing.T, s blob.Store, key, text string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(text), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestMarksOfCrashesFailAUnit(t *testing.T) {
	s, n := stagetest.NewStore(), 0
	j := job.New(s, job.Options{NewID: func() string { n++; return fmt.Sprint("m", n) }})
	task := job.Task{Kind: job.Ingest, Ref: ref(0), Gen: 1, Resent: true}
	first := task
	first.Resent = false
	if m, err := j.Begin(t.Context(), first, false); err != nil || m.Alone || len(s.Keys("work/begun/")) > 0 {
		t.Errorf("a first delivery: %+v, %v", m, err)
	} else if err := m.Return(t.Context()); err != nil {
		t.Error(err)
	}
	for crash := range 3 {
		m, err := j.Begin(t.Context(), task, false)
		if err != nil || m.Alone != (crash > 0) {
			t.Errorf("after %d crashes: %+v, %v", crash, m, err)
		}
	}
	if _, err := j.Begin(t.Context(), first, true); !errors.Is(err, job.ErrCrashes) || fault.Of(err) != fault.Permanent {
		t.Errorf("after 3 crashes: %v", err)
	}
	other := task
	other.Kind, other.Shard = job.Extract, shardOf(importOf(drops[0], "x"), 0)
	m, err := j.Begin(t.Context(), other, true)
	if err != nil || m.Alone {
		t.Errorf("another unit: %+v, %v", m, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Return(ctx); err != nil || len(s.Keys("work/begun/")) != 3 {
		t.Errorf("marks %v are left, %v", s.Keys("work/begun/"), err)
	}
}

// TestPoisonEndsAsADeadLetter: a unit that kills each worker ends within a bounded number of
// deaths, although the queue loses each message and the pass sends it again.
func TestPoisonEndsAsADeadLetter(t *testing.T) {
	s, n := stagetest.NewStore(), 0
	j := job.New(s, job.Options{NewID: func() string { n++; return fmt.Sprint("m", n) }})
	if _, err := j.Ask(t.Context(), ref(0), job.Want{}); err != nil {
		t.Fatal(err)
	}
	deaths := 1 // of the first delivery
	for deaths < 10 {
		var tasks []job.Task
		for p, err := range j.Pass(t.Context(), job.PassOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			tasks = append(tasks, p.Tasks...)
		}
		if len(tasks) == 0 {
			break
		}
		if _, err := j.Begin(t.Context(), tasks[0], false); err == nil {
			deaths++ // killed
			continue
		}
		if err := j.Fail(t.Context(), tasks[0], job.Failure{Class: fault.Permanent, Reason: "crashes", Attempts: 4}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := j.Read(t.Context(), ref(0))
	if err != nil || deaths != 4 || r.Outcome != job.Refused {
		t.Errorf("%d deaths, %+v, %v", deaths, r, err)
	}
}

func TestPassSkipsYoungHintsAndThoseWithMessages(t *testing.T) {
	s := stagetest.NewStore()
	j := job.New(s, job.Options{})
	for drop := range 2 {
		if _, err := j.Ask(t.Context(), ref(drop), job.Want{}); err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Hour)
	}
	hints := s.Keys(state.OpenRoot)
	old := s.Now().Add(-90 * time.Minute)
	for _, c := range []struct {
		what string
		o    job.PassOptions
		want []string
	}{
		{"all", job.PassOptions{}, hints},
		{"old hints", job.PassOptions{OlderThan: old}, hints[:1]},
		{"resumed", job.PassOptions{After: hints[0]}, hints[1:]},
		{"with messages", job.PassOptions{HasMessage: func(_ context.Context, r job.Ref, gen int) (bool, error) {
			return r == ref(1) && gen == 1, nil
		}}, hints[:1]},
	} {
		var got []string
		for p, err := range j.Pass(t.Context(), c.o) {
			if err != nil || len(p.Tasks) != 1 || !p.Tasks[0].Resent || p.Tasks[0].Kind != job.Ingest {
				t.Errorf("%s: %+v, %v", c.what, p, err)
			}
			got = append(got, p.Cursor)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestUnreadableRecordsStopNeitherPassNorSweep(t *testing.T) {
	s := stagetest.NewStore()
	j := job.New(s, job.Options{})
	if _, err := j.Ask(t.Context(), ref(1), job.Want{}); err != nil {
		t.Fatal(err)
	}
	putText(t, s, state.JobKey(owner, drops[0]), "{")
	putText(t, s, state.OpenKey(owner, drops[0], 1), "")
	putText(t, s, state.FailedKey(owner, drops[0], 1, "ingest"), "{}")
	putText(t, s, state.FailedKey(owner, drops[1], 7, "ingest"), "{}") // ahead of its job
	putText(t, s, "work/open/ann/notes.txt", "")
	good, bad := 0, 0
	for p, err := range j.Pass(t.Context(), job.PassOptions{}) {
		switch {
		case fault.Of(err) == fault.Permanent && err != nil && p.Drop == drops[0]:
			bad++
		case err == nil && len(p.Tasks) == 1:
			good++
		}
	}
	if good != 1 || bad != 1 {
		t.Errorf("the pass gives %d jobs and %d errors", good, bad)
	}
	before := len(s.Keys(""))
	if n, err := j.Sweep(t.Context()); n != 0 || err == nil || len(s.Keys("")) != before {
		t.Errorf("swept %d, %v", n, err)
	}
}

func TestSweepRemovesWhatOlderGenerationsLeft(t *testing.T) {
	s := stagetest.NewStore()
	j := job.New(s, job.Options{})
	for _, importer := range []string{"x", "y"} {
		if _, err := j.Ask(t.Context(), ref(0), job.Want{Importer: importer}); err != nil {
			t.Fatal(err)
		}
	}
	for gen := 1; gen <= 3; gen++ {
		putText(t, s, state.FailedKey(owner, drops[0], gen, "ingest"), "{}")
		putText(t, s, state.BegunKey(owner, drops[0], gen, "ingest", "a"), "")
		putText(t, s, state.OpenKey(owner, drops[0], gen), "")
	}
	n, err := j.Sweep(t.Context())
	left := slices.Concat(s.Keys("failed/"), s.Keys("work/"))
	if err != nil || n != 3 || len(left) != 6 || slices.ContainsFunc(left, func(k string) bool { return strings.Contains(k, ".1") }) {
		t.Errorf("swept %d, left %v, %v", n, left, err)
	}
}
