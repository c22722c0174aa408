package job_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

func TestReasonsOfFailuresHoldNoPersonalText(t *testing.T) {
	t.Parallel()
	named := &fault.NamedError{Doing: "open", Name: "letters to Ann.zip", Err: errors.New("it is locked")}
	f := job.FailureOf(&fault.Fault{Class: fault.Permanent, Hint: "unlock it", Err: named}, 2)
	want := job.Failure{Class: fault.Permanent, Reason: "open: it is locked", Hint: "unlock it", Attempts: 2,
		Detail: "open letters to Ann.zip: it is locked"}
	if f != want {
		t.Errorf("got %+v, want %+v", f, want)
	}
}

func TestTheReasonOfAPanicHasNoStack(t *testing.T) {
	t.Parallel()
	f := job.FailureOf(fault.Recovered("run extract", func() error { panic("secret") }), 3)
	if strings.Contains(f.Reason, "\n") || !strings.Contains(f.Detail, "goroutine") || strings.Contains(f.Detail, "secret") {
		t.Errorf("got %+v", f)
	}
}

func TestWrongUploadsAreListedOnRequestOnly(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	j := job.New(stagetest.NewStore(), job.Options{})
	for i, reading := range []string{"", "r1"} {
		asked, err := j.Ask(ctx, ref(i), job.Want{})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Fail(ctx, asked.Tasks[0], job.Failure{Class: fault.Permanent, Reason: "no export", Reading: reading}); err != nil {
			t.Fatal(err)
		}
	}
	for _, all := range []bool{false, true} {
		var drops []string
		for l, err := range j.DeadLetters(ctx, job.Filter{WrongUploads: all}) {
			if err != nil {
				t.Fatal(err)
			}
			drops = append(drops, l.Drop)
		}
		if want := 1; len(drops) != want && !all || len(drops) != 2 && all || drops[0] != ref(0).Drop {
			t.Errorf("wrong uploads %v: %v", all, drops)
		}
	}
}

func TestAPassTellsTheAgeOfOpenGenerations(t *testing.T) {
	t.Parallel()
	ctx, s := context.Background(), stagetest.NewStore()
	j := job.New(s, job.Options{})
	begin := s.Now()
	for i := range 2 {
		if _, err := j.Ask(ctx, ref(i), job.Want{}); err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Hour)
	}
	// An Ask that was killed behind its hint: its generation is not open.
	if err := objects.PutEmpty(ctx, s, state.OpenKey(owner, ref(0).Drop, 2)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		olderThan time.Time
		want      string
	}{{begin, "[0s 2h0m0s 1h0m0s]"}, {begin.Add(90 * time.Minute), "[0s 2h0m0s 1h0m0s]"}, {time.Time{}, "[0s 1h0m0s]"}} {
		var seen []time.Duration
		o := job.PassOptions{OlderThan: c.olderThan, Hint: func(at time.Time) { seen = append(seen, at.Sub(begin)) }}
		for _, err := range j.Pass(ctx, o) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if fmt.Sprint(seen) != c.want {
			t.Errorf("older than %v: hints of %v, want %s", c.olderThan, seen, c.want)
		}
	}
}
