package probe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// find is the line of a step, or a failed test.
func find(t *testing.T, lines []Line, what string) Line {
	t.Helper()
	for _, l := range lines {
		if l.What == what {
			return l
		}
	}
	t.Fatalf("there is no %q among %+v", what, lines)
	return Line{}
}

// run probes one part.
func run(t *testing.T, p Part) []Line {
	t.Helper()
	return All(t.Context(), 30*time.Second, []Part{p})
}

func TestAPartThatHangsHidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		begun := time.Now()
		lines := All(t.Context(), 30*time.Second, []Part{
			{"deaf", func(_ context.Context, say *Say) {
				say.OK("first", "")
				<-end
				say.OK("too late", "")
			}},
			{"slow", func(ctx context.Context, say *Say) {
				<-ctx.Done()
				time.Sleep(time.Second) // it cleans up
				say.Fail("second", ctx.Err(), "")
			}},
			{"quick", func(_ context.Context, say *Say) { say.OK("third", "") }},
		})
		if took := time.Since(begun); took != 30*time.Second+grace {
			t.Errorf("it took %s", took)
		}
		close(end)
		synctest.Wait()
		var got []string
		for _, l := range lines {
			got = append(got, l.Part+" "+l.What+" "+string(l.State))
		}
		want := []string{"deaf first ok", "deaf answer in time fail", "slow second fail", "quick third ok"}
		if len(got) != len(want) {
			t.Fatalf("got %q", got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("got %q, want %q", got[i], want[i])
			}
		}
		if lines[1].Do == "" {
			t.Error("nothing says what to do")
		}
	})
}

func TestTryTellsHowItWent(t *testing.T) {
	s := &Say{part: "p"}
	if !s.Try("a", "do", nil) || s.Try("b", "do", errors.New("broken")) {
		t.Error("wrong verdict")
	}
	s.Warn("c", "why", "do")
	want := []Line{{"p", "a", OK, "", ""}, {"p", "b", Fail, "broken", "do"}, {"p", "c", Warn, "why", "do"}}
	for i, l := range s.lines {
		if l != want[i] {
			t.Errorf("got %+v, want %+v", l, want[i])
		}
	}
}
