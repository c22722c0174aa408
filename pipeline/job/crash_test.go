package job_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/statetest"
)

// lifeOfDrops is a scenario in which every operation of the package does every kind of write once.
var lifeOfDrops = scenario{
	shards:     map[string][]string{"x": {"cf", "cp", "c", "c"}, "y": {"cf", "c"}},
	ingestFail: true, asmFail: true, late: true,
}

// life has its steps: what is asked for, and which choices the handlers make then.
var life = []struct {
	ask
	picks map[string]int
}{
	{ask{0, "x"}, map[string]int{"shard": 1}},    // a shard fails, another one is partial
	{ask{0, "redrive"}, nil},                     // all complete
	{ask{0, "y"}, map[string]int{"shard": 1}},    // an incomplete replay
	{ask{0, "redrive"}, nil},                     // it replaces x
	{ask{1, "x"}, map[string]int{"ingest": 1}},   // refused
	{ask{1, "x"}, map[string]int{"assembly": 1}}, // failed
	{ask{1, "redrive"}, nil},
	{ask{2, "edits:a"}, nil},
	{ask{0, "erase"}, nil},
	{ask{0, "x"}, map[string]int{"shard": 1}},
}

// live does the steps over a store that may fail; each step is repeated after an error that is not
// a crash. raw is the same store without failures.
func live(s blob.Store, raw *statetest.Store) error {
	ctx := context.Background()
	for _, step := range life {
		h := lifeOfDrops.always(s, raw, 0)
		h.choose = func(label string, n int) int { return min(step.picks[label], n-1) }
		asked := false
		for try := 0; ; try++ {
			err := func() error {
				if !asked {
					got, err := step.do(ctx, h.jobs())
					if err != nil {
						return err
					}
					asked = true
					note(raw, fmt.Sprintf("returned/%s.%d/%s", drops[step.drop], got.Gen, step.want))
				}
				for tasks := lifeOfDrops.offered(raw); len(tasks) > 0; tasks = lifeOfDrops.offered(raw) {
					if err := h.handle(ctx, tasks[0]...); err != nil {
						return err
					}
				}
				return nil
			}()
			if err == nil {
				break
			}
			if errors.Is(err, statetest.ErrCrashed) || try == 3 {
				return err
			}
		}
	}
	if _, err := job.New(s, job.Options{}).Sweep(ctx); err == nil || errors.Is(err, statetest.ErrCrashed) {
		return err
	}
	_, err := job.New(s, job.Options{}).Sweep(ctx)
	return err
}

func checkAfterwards(t *testing.T, s *statetest.Store, what string) {
	t.Helper()
	o := newOracle(&lifeOfDrops)
	if err := o.check(s, s); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestPromisesHoldAtEachWrite(t *testing.T) {
	s := stagetest.NewStore()
	o := newOracle(&lifeOfDrops)
	was, changes := s.Clone(), 0
	var wrong error
	err := live(s.View(nil, func(c statetest.Call) error {
		if c.IsWrite() && wrong == nil {
			is := s.Clone()
			wrong, was = o.check(was, is), is
			changes++
		}
		return nil
	}), s)
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	if changes < 80 {
		t.Errorf("%d writes only", changes)
	}
}

func TestPassRecoversFromACrashAtEachWrite(t *testing.T) {
	for n := 0; ; n += statetest.Stride(25) {
		s := stagetest.NewStore()
		hook, crashed := statetest.CrashAtWrite(n)
		err := live(s.View(hook, nil), s)
		if !crashed() {
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("crashes at %d writes", n)
			return
		}
		if !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		checkAfterwards(t, s, fmt.Sprintf("crash at write %d", n))
	}
}

func TestOperationsCanBeRepeatedAfterAnError(t *testing.T) {
	for _, answerLost := range []bool{false, true} {
		for n := 0; ; n += statetest.Stride(25) {
			s := stagetest.NewStore()
			hook, reached := statetest.FailCall(n, errors.New("connection reset"))
			v := s.View(hook, nil)
			if answerLost {
				v = s.View(nil, hook)
			}
			err := live(v, s)
			if !reached() {
				t.Logf("errors of %d calls, answers lost: %v", n, answerLost)
				break
			}
			if err != nil {
				t.Fatalf("error of call %d, answer lost: %v: %v", n, answerLost, err)
			}
			checkAfterwards(t, s, fmt.Sprintf("error of call %d, answer lost: %v", n, answerLost))
			v2, err := viewOf(s)
			if err == nil {
				err = v2.checkEnd()
			}
			if err != nil {
				t.Fatalf("error of call %d, answer lost: %v: %v", n, answerLost, err)
			}
		}
	}
}
