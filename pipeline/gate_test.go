package pipeline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestOutagesPauseAStageForLongerAndLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, b := &gate{}, Backoff{First: time.Second, Max: 8 * time.Second}
		waited := func() time.Duration {
			start := time.Now()
			g.enter(t.Context())
			return time.Since(start)
		}
		if got := waited(); got != 0 {
			t.Errorf("without an outage it waits %v", got)
		}
		for _, most := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
			for range 5 { // the units in hand meet the same outage
				g.left(true, b)
			}
			if got := waited(); got < most/2 || got > most {
				t.Errorf("it waits %v, want %v to %v", got, most/2, most)
			}
			if got := waited(); got != 0 {
				t.Errorf("the second unit waits %v more", got)
			}
		}
		g.left(true, b)
		g.left(false, b) // it had begun before the outage
		if waited() == 0 {
			t.Error("a unit that had begun before opens the gate")
		}
		g.left(false, b)
		g.left(true, b)
		if got := waited(); got > time.Second {
			t.Errorf("after a success it waits %v", got)
		}
		g.left(true, b)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		if g.enter(ctx); time.Since(start) != 0 {
			t.Error("a process that stops waits")
		}
		g.enter(t.Context())
	})
}
