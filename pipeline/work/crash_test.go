package work

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// script is what somebody wants of a pipeline that crashes once.
type script struct {
	name  string
	wants []string // "import", "again" or "redrive", one generation each
	// fails tells which shards fail in a generation.
	fails func(t extraction.Task) bool
	// early: ingest extracts what it packs.
	early bool
}

var scripts = []script{
	{name: "import", wants: []string{"import"}},
	{name: "redrive", wants: []string{"import", "redrive"}, fails: func(t extraction.Task) bool { return t.Gen == 1 && t.Pack == 1 }},
	{name: "drop again", wants: []string{"import", "again"}},
	{name: "import, extracted early", wants: []string{"import"}, early: true},
}

// crashRig is a rig whose exports have fixed ids, so that equal stores have equal bytes.
func crashRig(t *testing.T, s script) *rig {
	r := newRig(t)
	r.limits.ShardItems = 2
	r.topology.AckWait = time.Second // what a dead process had fetched comes back then
	r.change = func(o *Options) { o.Early = s.early }
	r.wrap = func(_ *process, st *stages) {
		real := st.extract
		st.extract = func(ctx context.Context, o extraction.Options, t extraction.Task) (state.ResultHeader, bool, error) {
			if s.fails != nil && s.fails(t) {
				return state.ResultHeader{}, false, fault.Permanentf("look elsewhere", "extract shard: it is not to be")
			}
			return real(ctx, o, t)
		}
		// Each input set has an export id of its own.
		compute := st.compute
		st.compute = func(ctx context.Context, o publish.Options, round publish.Round) (state.Head, state.StoreChange, error) {
			o.NewID = func() string { return "00000000-0000-4000-8000-" + round.Digest[:12] }
			return compute(ctx, o, round)
		}
	}
	return r
}

// play does what a script wants. It starts another process whenever one has crashed.
func (s script) play(r *rig, ref job.Ref) {
	p := r.start()
	p.run()
	for i, want := range s.wants {
		for done := false; !done; {
			err := p.want(ref, want)
			if err == nil {
				rec := p.wait(ref, i+1)
				done = rec.HasEnded(i + 1)
			}
			if p.dead.Load() {
				p.stop()
				p = r.start()
				if _, err := p.worker.Resend(context.Background(), job.PassOptions{HasMessage: p.dispatch.HasMessage}); err != nil {
					r.t.Fatal(err)
				}
				p.run()
				if rec := r.record(ref); rec.Gen > i && (err == nil || rec.HasEnded(i+1)) {
					done = p.wait(ref, i+1).HasEnded(i + 1)
				}
			} else if err != nil {
				r.t.Fatal(err)
			}
		}
	}
	p.stop()
}

func (p *process) want(ref job.Ref, want string) (err error) {
	switch want {
	case "redrive":
		_, err = p.dispatch.Redrive(context.Background(), ref)
	default:
		_, err = p.dispatch.Ask(context.Background(), ref, job.Want{Incomplete: want == "again"})
	}
	return err
}

// isSameReport compares receipts. After a crash behind a swap that published nothing, the figures
// of the import are not known; the rest of the receipt is.
func isSameReport(t *testing.T, got, want string) bool {
	t.Helper()
	var a, b state.Receipt
	if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(want), &b) != nil || b.Drop == "" || b.Gen == 0 || b.Store.Published {
		return false
	}
	a.Store.Stats, a.Store.Import, b.Store.Stats, b.Store.Import = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

func TestACrashAtAnyWriteEndsInTheSameStore(t *testing.T) {
	t.Parallel()
	archive := talks("a", 5, likes)
	for _, s := range scripts {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			writes := 0
			r := crashRig(t, s)
			ref := r.drop("ann", archive)
			r.before = counting(&writes, -1)
			s.play(r, ref)
			want := r.bodies("owners/")
			if n := len(s.wants); r.record(ref).Outcome != job.Done || r.record(ref).Gen != n || len(r.deadLetters()) != 0 {
				t.Fatalf("record %+v, dead letters %+v", r.record(ref), r.deadLetters())
			}
			if writes < 20 {
				t.Fatalf("only %d writes", writes)
			}
			for at := 0; at < writes; at += statetest.Stride(8) {
				for _, shared := range []bool{false, true} {
					t.Run(fmt.Sprintf("write %d, queue kept %v", at, shared), func(t *testing.T) {
						t.Parallel()
						r := crashRig(t, s)
						if shared {
							r.shareQueue()
						}
						r.drop("ann", archive)
						n := 0
						r.before = counting(&n, at)
						s.play(r, ref)
						if n <= at {
							t.Errorf("only %d writes: nothing has crashed", n)
						}
						r.checkSame(want)
					})
				}
			}
		})
	}
}

// counting counts writes, and crashes at one of them.
func counting(n *int, at int) statetest.Hook {
	return locked(func(c statetest.Call) error {
		if !c.IsWrite() {
			return nil
		}
		*n++
		if *n == at+1 {
			return statetest.ErrCrashed
		}
		return nil
	})
}

// checkSame compares all that lasts with a store that met no crash.
func (r *rig) checkSame(want map[string]string) {
	r.t.Helper()
	got := r.bodies("owners/")
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] && !isSameReport(r.t, got[key], want[key]) {
			r.t.Errorf("%s is\n%.400s\nwant\n%.400s", key, got[key], want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			r.t.Errorf("left behind: %s", key)
		}
	}
	if _, err := job.New(r.data, job.Options{}).Sweep(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	for _, key := range append(r.store.Keys("work/open/"), r.store.Keys("failed/")...) {
		r.t.Errorf("left behind: %s", key)
	}
	if letters := r.deadLetters(); len(letters) > 0 {
		r.t.Errorf("dead letters: %+v", letters)
	}
}
