package statetest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/statetest"
)

// increment reads a counter and writes one more; with swap it does not lose what others count.
func increment(swap bool) statetest.Actor {
	return func(p *statetest.Process) {
		for {
			body, o, err := blob.ReadAll(ctx, p.Store(), "counter", 100)
			if err != nil {
				panic(err)
			}
			options := blob.PutOptions{}
			if swap {
				options.IfMatch = o.ETag
			}
			_, err = p.Store().Put(ctx, "counter", strings.NewReader(string(body)+"I"), options)
			if !errors.Is(err, blob.ErrPrecondition) {
				return
			}
		}
	}
}

func explore(t *testing.T, actor statetest.Actor, switches int) (ends map[string]bool, stats statetest.Stats) {
	t.Helper()
	start := statetest.New()
	if _, err := start.Put(ctx, "counter", strings.NewReader(""), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	ends = map[string]bool{}
	stats, err := statetest.Exploration{Start: start, Switches: switches,
		Actors: map[string]statetest.Actor{"a": actor, "b": actor, "c": actor},
		Check: func(_, after *statetest.Store) error {
			body, _ := after.Body("counter")
			ends[body] = true
			return nil
		}}.Explore()
	if err != nil {
		t.Fatal(err)
	}
	return ends, stats
}

var ctx = context.Background()

func TestExplorationFindsLostUpdates(t *testing.T) {
	ends, stats := explore(t, increment(false), -1)
	if !ends["III"] || !ends["I"] {
		t.Errorf("counted %v in %+v", ends, stats)
	}
	lost := false
	_, err := statetest.Exploration{Start: statetest.New(), Switches: -1, Actors: map[string]statetest.Actor{"a": put("x"), "b": put("y")},
		Check: func(before, after *statetest.Store) error {
			if was, _ := before.Body("k"); was == "x" {
				lost = true
				return errors.New("x is lost")
			}
			return nil
		}}.Explore()
	if !lost || err == nil || !strings.Contains(err.Error(), "x is lost\na: put k #0\nb: put k #0") {
		t.Errorf("the steps are %v", err)
	}
}

func put(body string) statetest.Actor {
	return func(p *statetest.Process) {
		_, _ = p.Store().Put(ctx, "k", strings.NewReader(body), blob.PutOptions{})
	}
}

func TestExplorationWithoutSwitchesRunsOneProcessAfterTheOther(t *testing.T) {
	free, all := explore(t, increment(false), -1)
	bound, few := explore(t, increment(false), 0)
	if len(bound) != 3 || few.Steps >= all.Steps || len(free) != 3 {
		t.Errorf("without switches %v in %+v; with all %v in %+v", bound, few, free, all)
	}
}

// A process has few situations, and the orders of several come to the same pairs of one and a store
// again and again.
func TestAStepIsExecutedOnce(t *testing.T) {
	_, stats := explore(t, increment(true), -1)
	if stats.Executed >= stats.Steps || stats.Executed == 0 {
		t.Errorf("%+v", stats)
	}
}

func TestExplorationTriesEachChoiceAndWaitsForWhatIsAwaited(t *testing.T) {
	got := map[string]bool{}
	_, err := statetest.Exploration{Start: statetest.New(), Switches: -1, Actors: map[string]statetest.Actor{
		"first": func(p *statetest.Process) {
			put([]string{"x", "y"}[p.Choose("letter", 2)])(p)
		},
		"second": func(p *statetest.Process) {
			p.Await("k", func(s *statetest.Store) int { return len(s.Keys("k")) })
			body, _ := p.Look().Body("k")
			p.Note(body)
			put(body + "2")(p)
		},
	}, Check: func(_, after *statetest.Store) error {
		body, _ := after.Body("k")
		got[body] = true
		return nil
	}}.Explore()
	if err != nil || len(got) != 4 || !got["x2"] || !got["y2"] {
		t.Errorf("got %v, %v", got, err)
	}
}
