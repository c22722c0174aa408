package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/natstest"
)

// pamlineRuns runs a command in this process and gives what it wrote to standard output.
func pamlineRuns(t *testing.T, want int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := runCommand(args, strings.NewReader(""), &stdout, &stderr); code != want {
		t.Fatalf("%v: exit code %d, want %d\n%s\n%s", args, code, want, &stdout, &stderr)
	}
	return stdout.String()
}

func says(t *testing.T, out, pattern string) {
	t.Helper()
	if !regexp.MustCompile("(?m)" + pattern).MatchString(out) {
		t.Errorf("no %q in\n%s", pattern, out)
	}
}

// clusterOf starts a NATS server on loopback and workers of all stages on a store.
func clusterOf(t *testing.T, storeFolder string) (url string) {
	t.Helper()
	s := natstest.Server(t, nil)
	c, err := config.Load(config.Sources{Set: map[string]string{"nats.url": s.ClientURL(), "store.dir.path": storeFolder}})
	if err != nil {
		t.Fatal(err)
	}
	store, closeStore, err := wiring.OpenStore(t.Context(), c, "", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	options, err := wiring.Options(c, store, t.TempDir(), zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Join(t.Context(), options, wiring.NATS(c.NATS, "test"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		work.Wait()
		p.Close()
		if err := closeStore(); err != nil {
			t.Error(err)
		}
	})
	return s.ClientURL()
}

func TestTheWorkersOfAClusterReplay(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	store := filepath.Join(data, "store")
	pamlineRuns(t, 0, "import", "--data", data, "--owner", "me", "--importer", "chatgpt-importer/2026.07", "../../examples/sample-export")
	url := clusterOf(t, store)
	replay := []string{"replay", "--data", data, "--set", "nats.url=" + url, "--set", "store.dir.path=" + store, "--owner", "me"}
	out := pamlineRuns(t, 0, replay...)
	says(t, out, `^me sample-export: done$`)
	says(t, out, `read by +chatgpt-importer/2026.12 instead of chatgpt-importer/2026.07$`)
	says(t, out, `1 import selected: 0 unchanged, 1 replaced`)
	// The workers notice that nothing would change.
	out = pamlineRuns(t, 0, replay...)
	says(t, out, `^me sample-export: done, with the same result$`)
	says(t, out, `0 replaced, 1 read with the same result`)
	// Refused under another importer, what it gave before stays.
	out = pamlineRuns(t, 1, append(replay, "--importer", "claude")...)
	says(t, out, `^me sample-export: refused; the earlier result is kept$`)
	out = pamlineRuns(t, 0, append(replay, "--no-wait", "--format", "json")...)
	says(t, out, `"queued": 1`)
	if _, err := os.Stat(filepath.Join(data, "http.token")); err == nil {
		t.Error("a token without a service")
	}
}
