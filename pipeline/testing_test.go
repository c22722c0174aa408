package pipeline

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap/zaptest"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// testDeps are dependencies on a fresh folder, with a clock that stands and ids that count.
func testDeps(t *testing.T) Deps {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var ids atomic.Int64
	return Deps{
		Store: store, Registry: providers.Default(), Extractors: builtin.Registry(),
		Log: zaptest.NewLogger(t), Scratch: t.TempDir(), Workers: 2,
		Now:      func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		NewID:    func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids.Add(1)) },
		Attempts: 3, Backoff: Backoff{First: time.Millisecond, Max: 5 * time.Millisecond},
		Limits: state.Limits{MaxConversation: 256 << 20, ShardBytes: 8 << 20, ShardItems: 500, SortBudget: 8 << 20},
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newImpatient is a worker that ends soon after it is stopped, for its pulls do not wait long.
func newImpatient(d Deps, js jetstream.JetStream) (*Worker, error) {
	w, err := NewWorker(d, js)
	if err == nil {
		w.patience = 100 * time.Millisecond
	}
	return w, err
}
