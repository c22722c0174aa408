package work

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
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
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
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
	store *statetest.Store
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
	return &rig{t: t, store: statetest.New(), logs: logs, log: log,
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

// process is one worker with its own memory.
type process struct {
	*rig
	view     blob.Store // what it sees of the store
	queue    *queue.Queue
	jobs     *job.Jobs
	dispatch *dispatch.Dispatcher
	worker   *Worker
	woken    chan struct{} // a generation has ended, or the process has crashed
	cancel   context.CancelFunc
	running  sync.WaitGroup
	dead     atomic.Bool
}

// die ends the process as a kill does: from now on it changes nothing in the store.
func (p *process) die() {
	p.dead.Store(true)
	p.wake()
}

// exit is die for a stage that is to blame: its handler never returns.
func (p *process) exit() {
	p.die()
	runtime.Goexit()
}

// see is called before each call of the store.
func (p *process) see(c statetest.Call) error {
	if p.dead.Load() {
		return statetest.ErrCrashed
	}
	if p.before == nil {
		return nil
	}
	err := p.before(c)
	if errors.Is(err, statetest.ErrCrashed) {
		p.die()
	}
	return err
}

// start makes a process; run begins its work.
func (r *rig) start() *process {
	r.t.Helper()
	p := &process{rig: r, queue: r.queue, woken: make(chan struct{}, 1)}
	p.view = state.ClassedStore{Store: r.store.View(p.see, nil)}
	if p.queue == nil {
		p.queue = r.openQueue()
	}
	p.jobs = job.New(p.view, job.Options{NewID: r.newID})
	p.dispatch = dispatch.New(p.jobs, p.queue)
	o := r.options(p)
	if r.change != nil {
		r.change(&o)
	}
	var err error
	if p.worker, err = New(o, p.queue, p.dispatch); err != nil {
		r.t.Fatal(err)
	}
	if r.wrap != nil {
		r.wrap(p, &p.worker.units.stages)
	}
	r.t.Cleanup(p.stop)
	return p
}

// options are those of a process with the stages as they are.
func (r *rig) options(p *process) Options {
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	scratch := r.t.TempDir()
	return Options{
		Store: p.view, Log: r.log, Now: now, Workers: 2, Attempts: 3, Backoff: quickBackoff, Name: r.newID(),
		Observe: func(e telemetry.Event) {
			if e.Stage == telemetry.StageDone {
				p.wake()
			}
		},
		Ingest: ingest.Options{Store: p.view, Registry: providers.Default(), Extractors: builtin.Registry(), Limits: r.limits, Scratch: scratch,
			Workers: 2, Log: r.log, Tracer: r.tracer},
		Extraction: extraction.Options{Store: p.view, Extractors: builtin.Registry(), Limits: r.limits, Workers: 2, Log: r.log, Tracer: r.tracer},
		Publish: publish.Options{Store: p.view, Log: r.log, Now: now, NewID: r.newID, Scratch: scratch, Workers: 2,
			SortBudget: r.limits.SortBudget, Tracer: r.tracer},
	}
}

func (p *process) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// allStages are those without maintenance, which works by the clock.
var allStages = []string{telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble}

// run begins to work on stages, on all if none is named.
func (p *process) run(stages ...string) {
	if len(stages) == 0 {
		stages = allStages
	}
	ctx, cancel := context.WithCancel(context.Background())
	before := p.cancel
	p.cancel = func() {
		cancel()
		if before != nil {
			before()
		}
	}
	p.running.Go(func() {
		if err := p.worker.Run(ctx, stages...); err != nil {
			p.t.Error(err)
		}
	})
}

// stop ends the process; its queue goes with it unless it is shared.
func (p *process) stop() {
	if p.cancel != nil {
		p.cancel()
	}
	p.running.Wait()
	if p.queue != nil && p.queue != p.rig.queue {
		p.queue.Close()
	}
	p.queue, p.cancel = nil, nil
}

// ask wants a drop and gives its generation.
func (p *process) ask(ref job.Ref, w job.Want) int {
	p.t.Helper()
	asked, err := p.dispatch.Ask(p.t.Context(), ref, w)
	if err != nil {
		p.t.Fatal(err)
	}
	return asked.Gen
}

func (p *process) redrive(ref job.Ref) int {
	p.t.Helper()
	asked, err := p.dispatch.Redrive(p.t.Context(), ref)
	if err != nil {
		p.t.Fatal(err)
	}
	return asked.Gen
}

// until waits for a condition that events may bring about.
func (p *process) until(what string, is func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() && !p.dead.Load() {
		select {
		case <-p.woken:
		case <-tick.C:
		case <-ctx.Done():
			p.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// wait waits for the end of a generation, or of the process.
func (p *process) wait(ref job.Ref, gen int) job.Record {
	p.t.Helper()
	r := p.rig.record(ref)
	p.until(fmt.Sprintf("%s.%d has ended", ref.Drop, gen), func() bool {
		r = p.rig.record(ref)
		return r.HasEnded(gen)
	})
	return r
}

// importDrop asks for a drop and waits for its end.
func (p *process) importDrop(ref job.Ref) job.Record {
	p.t.Helper()
	return p.wait(ref, p.ask(ref, job.Want{Lane: state.LaneSmall}))
}

// record, head, inputs and receipt read the store behind the back of the processes.
func (r *rig) record(ref job.Ref) job.Record {
	r.t.Helper()
	rec, err := job.New(r.store, job.Options{}).Read(context.Background(), ref)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

func (r *rig) head(owner string) (state.Head, state.Inputs) {
	r.t.Helper()
	head, _, err := state.ReadHead(context.Background(), r.store, owner)
	if err != nil {
		r.t.Fatal(err)
	}
	in, err := state.ReadInputs(context.Background(), r.store, owner, head)
	if err != nil {
		r.t.Fatal(err)
	}
	return head, in
}

func (r *rig) receipt(ref job.Ref, gen int) state.Receipt {
	r.t.Helper()
	rec, ok, err := state.ReadReceipt(context.Background(), r.store, ref.Owner, ref.Drop, gen)
	if err != nil || !ok {
		r.t.Fatalf("receipt of %s.%d: %v, %v", ref.Drop, gen, ok, err)
	}
	return rec
}

func (r *rig) deadLetters() (letters []job.DeadLetter) {
	r.t.Helper()
	for l, err := range job.New(r.store, job.Options{}).DeadLetters(context.Background(), job.Filter{WrongUploads: true}) {
		if err != nil {
			r.t.Fatal(err)
		}
		letters = append(letters, l)
	}
	return letters
}

// drop puts an archive into the inbox of an owner, with its record.
func (r *rig) drop(owner string, archive []byte) job.Ref {
	r.t.Helper()
	sum := sha256.Sum256(archive)
	part := state.DropPart{Name: "letters to a friend.zip", SHA256: hex.EncodeToString(sum[:]), Size: int64(len(archive))}
	rec := state.DropRecord{V: 1, Owner: owner, Parts: []state.DropPart{part}}
	rec.Drop = state.DropDigest(rec.Parts)
	rec.Parts[0].Key = state.DropKey(owner, rec.Drop, "part-000")
	ctx := context.Background()
	if _, err := r.store.Put(ctx, rec.Parts[0].Key, bytes.NewReader(archive), blob.PutOptions{}); err != nil {
		r.t.Fatal(err)
	}
	if err := state.PutJSON(ctx, r.store, state.DropKey(owner, rec.Drop, "drop.json"), rec); err != nil {
		r.t.Fatal(err)
	}
	return job.Ref{Owner: owner, Drop: rec.Drop}
}

// talks is an export of conversations in which a person says something of themselves. Talks of one
// name are the same conversations.
func talks(name string, n int, says string) []byte {
	type m = map[string]any
	message := func(id, parent, child, role, text string, at int) m {
		children := []string{}
		if child != "" {
			children = append(children, child)
		}
		return m{"id": id, "parent": parent, "children": children, "message": m{"id": name + id, "author": m{"role": role}, "create_time": at,
			"content": m{"content_type": "text", "parts": []string{text}}, "metadata": m{}}}
	}
	var list []m
	for i := range n {
		at := 1700000000 + 1000*i
		id := fmt.Sprintf("%s-%d", name, i)
		list = append(list, m{"conversation_id": id, "title": "Talk", "create_time": at, "update_time": at + 100, "current_node": "c", "mapping": m{
			"a": m{"id": "a", "message": nil, "parent": nil, "children": []string{"b"}},
			"b": message("b", "a", "c", "user", fmt.Sprintf(says, i), at+1),
			"c": message("c", "b", "", "assistant", "That is good to know.", at+2),
		}})
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return zipOf(map[string]string{"conversations.json": string(body)})
}

func zipOf(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// bodies are the objects with a prefix.
func (r *rig) bodies(prefix string) map[string]string {
	all := map[string]string{}
	for _, key := range r.store.Keys(prefix) {
		all[key], _ = r.store.Body(key)
	}
	return all
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
