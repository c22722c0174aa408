package work

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// TestMain lets more tests run side by side than there are processors: most of them wait.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// rig is a store, and processes that work on it, one after the other or side by side.
type rig struct {
	t     *testing.T
	store *statetest.Store // the objects beneath all hooks
	data  blob.Store       // the same objects, decrypted if stores are encrypted
	ids   atomic.Int64
	// topology and change alter what the next process starts with.
	topology dispatch.TopologyOptions
	change   func(*Options)
	limits   state.Limits
	tracer   trace.Tracer
	// before is called before each call of the store; statetest.ErrCrashed ends the process.
	before statetest.Hook
	// wrap replaces stages of the next process.
	wrap func(p *process, s *stages)
	// queue is shared by all processes, as that of a cluster; nil: each process has its own.
	queue *queue.Queue
	logs  *observer.ObservedLogs
	log   *zap.Logger
}

func newRig(t *testing.T) *rig {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	log := zaptest.NewLogger(t, zaptest.Level(zapcore.WarnLevel), zaptest.WrapOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zapcore.NewTee(c, core)
	})))
	store := stagetest.NewData()
	return &rig{t: t, store: store, data: stagetest.Seal(store), logs: logs, log: log,
		limits: state.Limits{MaxConversation: 64 << 20, ShardBytes: 8 << 20, ShardItems: 500, SortBudget: 8 << 20}}
}

// newID gives ids that count.
func (r *rig) newID() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", r.ids.Add(1)) }

var quickBackoff = queue.Backoff{First: time.Millisecond, Max: 5 * time.Millisecond}

func (r *rig) queueTopology() queue.Topology {
	if r.topology.AckWait == 0 {
		r.topology.AckWait = time.Minute // no redelivery, however slow the machine is
	}
	return dispatch.Topology(r.topology)
}

func (r *rig) openQueue() *queue.Queue {
	r.t.Helper()
	q, err := queue.OpenEmbedded(context.Background(), r.queueTopology(), queue.Options{Log: r.log, Backoff: quickBackoff, Tracer: r.tracer})
	if err != nil {
		r.t.Fatal(err)
	}
	return q
}

// shareQueue makes all processes use one queue, which goes on when one of them stops.
func (r *rig) shareQueue() {
	r.t.Helper()
	js := natstest.JetStream(r.t, natstest.Connect(r.t, natstest.Server(r.t, nil).ClientURL()))
	top := r.queueTopology()
	if err := queue.Ensure(r.t.Context(), js, top); err != nil {
		r.t.Fatal(err)
	}
	r.queue = queue.New(js, top, queue.Options{Log: r.log, Backoff: quickBackoff, Tracer: r.tracer, PullWait: 50 * time.Millisecond})
}

// logged are the lines of the log at a level or above that contain a text.
func (r *rig) logged(level zapcore.Level, text string) (lines []string) {
	for _, e := range r.logs.All() {
		line := fmt.Sprint(e.Message, e.ContextMap())
		if e.Level >= level && strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// locked makes a hook safe for concurrent use.
func locked(h statetest.Hook) statetest.Hook {
	var mu sync.Mutex
	return func(c statetest.Call) error {
		mu.Lock()
		defer mu.Unlock()
		return h(c)
	}
}

// putAny replaces whatever is there.
var putAny = blob.PutOptions{}
