package obs

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestProbesAskOnceASecond(t *testing.T) {
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	asked := 0
	out := errors.New("storage is out")
	r := &readiness{now: func() time.Time { return clock }, ask: func(context.Context) error {
		asked++
		if asked == 1 {
			return out
		}
		return nil
	}}
	for range 50 {
		if err := r.get(); !errors.Is(err, out) {
			t.Fatal(err)
		}
		clock = clock.Add(10 * time.Millisecond)
	}
	clock = clock.Add(time.Second)
	if err := r.get(); err != nil || asked != 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	clock = clock.Add(-time.Hour) // the clock was set back: what it said then does not hold for an hour
	if err := r.get(); err != nil || asked != 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

func TestAProcessThatEndsIsNotReadyAndStaysAlive(t *testing.T) {
	s := start(t, func(context.Context) error { return nil })
	if code, _ := get(t, s, "/readyz", ""); code != http.StatusOK {
		t.Fatalf("ready: %d", code)
	}
	s.Drain()
	if code, body := get(t, s, "/readyz", ""); code != http.StatusServiceUnavailable || body == "" {
		t.Errorf("draining: %d %s", code, body)
	}
	if code, _ := get(t, s, "/healthz", ""); code != http.StatusOK {
		t.Errorf("health: %d", code)
	}
}

func TestProfilesAreForLoopback(t *testing.T) {
	s := start(t, func(context.Context) error { return nil })
	if code, _ := get(t, s, "/debug/pprof/goroutine?debug=1", ""); code != http.StatusOK {
		t.Errorf("on loopback: %d", code)
	}
	s.loopback = false
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile?seconds=1", "/debug/pprof/trace"} {
		if code, _ := get(t, s, path, ""); code != http.StatusForbidden {
			t.Errorf("%s beyond loopback: %d", path, code)
		}
	}
	if code, _ := get(t, s, "/debug/pprof/cmdline", ""); code == http.StatusOK {
		t.Error("the command line is shown, and settings in it")
	}
}
