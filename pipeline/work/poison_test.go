package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// poison replaces one stage by one that kills its worker at a chosen unit.
type poison struct {
	stage string
	drop  job.Ref
	// id is the import of the drop.
	id string
}

func (x poison) wrap(p *process, s *stages) {
	real := *s
	switch x.stage {
	case "ingest":
		s.ingest = func(ctx context.Context, o ingest.Options, r ingest.Request, pub ingest.Publish) (state.Manifest, error) {
			if r.Drop == x.drop.Drop {
				p.exit()
			}
			return real.ingest(ctx, o, r, pub)
		}
	case "extract":
		s.extract = func(ctx context.Context, o extraction.Options, t extraction.Task) (state.ResultHeader, bool, error) {
			if t.Import == x.id && t.Pack == 1 {
				p.exit()
			}
			return real.extract(ctx, o, t)
		}
	case "early":
		s.ingest = func(ctx context.Context, o ingest.Options, r ingest.Request, pub ingest.Publish) (state.Manifest, error) {
			if o.Finder != nil && r.Drop == x.drop.Drop {
				o.Finder = func([]extract.Extractor, string) state.Find {
					p.exit()
					return nil
				}
			}
			return real.ingest(ctx, o, r, pub)
		}
		poison{stage: "extract", id: x.id}.wrap(p, s)
	case "assemble":
		s.compute = func(ctx context.Context, o publish.Options, r publish.Round) (state.Head, state.StoreChange, error) {
			for _, id := range r.Accepted {
				if id == x.id {
					p.exit()
				}
			}
			return real.compute(ctx, o, r)
		}
	}
}

// importOf gives the import that a drop has in a store of its own.
func importOf(t *testing.T, archive []byte) string {
	t.Helper()
	r := newRig(t)
	r.limits.ShardItems = 2
	ref := r.drop("ann", archive)
	p := r.start()
	p.run()
	return p.importDrop(ref).Import
}

func TestAUnitThatKillsItsWorkersFailsAfterAFewDeaths(t *testing.T) {
	t.Parallel()
	bad, good := talks("bad", 5, likes), talks("good", 5, likes)
	id := importOf(t, bad)
	for _, stage := range []string{"ingest", "early", "extract", "assemble"} {
		for _, kept := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, queue kept %v", stage, kept), func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				r.limits.ShardItems = 2
				r.change = func(o *Options) { o.Early = stage == "early" }
				r.topology.AckWait = 500 * time.Millisecond
				if kept {
					r.shareQueue()
				}
				ref := r.drop("ann", bad)
				neighbors := []job.Ref{r.drop("ann", good), r.drop("ann", talks("other", 5, likes)), r.drop("bob", good)}
				r.wrap = poison{stage, ref, id}.wrap
				p := r.start()
				for _, n := range append([]job.Ref{ref}, neighbors...) {
					p.ask(n, job.Want{})
				}
				p.run()
				deaths := 0
				for ; ; deaths++ {
					if deaths > 8 {
						t.Fatalf("it has killed %d workers", deaths)
					}
					p.wait(ref, 1)
					for _, n := range neighbors {
						p.wait(n, 1)
					}
					if !p.dead.Load() {
						break
					}
					p.stop()
					p = r.start()
					if _, err := p.worker.Resend(t.Context(), job.PassOptions{HasMessage: p.dispatch.HasMessage}); err != nil {
						t.Fatal(err)
					}
					p.run()
				}
				t.Logf("%d workers died", deaths)
				for _, n := range neighbors {
					if rec := r.record(n); rec.Outcome != job.Done {
						t.Errorf("a neighbor ended as %+v", rec)
					}
				}
				letters := r.deadLetters()
				kind := stage
				if stage == "early" { // the next worker leaves the shard to its extraction
					kind = "extract"
				}
				if len(letters) != 1 || letters[0].Ref != ref || string(letters[0].Kind) != kind || !strings.Contains(letters[0].Reason, job.ErrCrashes.Error()) {
					t.Errorf("dead letters %+v", letters)
				}
				want := map[string]job.Outcome{"ingest": job.Refused, "extract": job.Done, "assemble": job.Failed}[kind]
				if rec := r.record(ref); rec.Outcome != want {
					t.Errorf("it ended as %+v", rec)
				}
			})
		}
	}
}

// TestShardsOfADropSentAgainHaveCrashMarks: a shard that is sent while its drop is being read may
// kill the process, and then both come back with a mark, not the reading alone.
func TestShardsOfADropSentAgainHaveCrashMarks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 1
	ref := r.drop("ann", talks("a", 4, likes))
	var lives, marked atomic.Int64
	r.wrap = func(p *process, s *stages) {
		real := *s
		s.ingest = func(ctx context.Context, o ingest.Options, q ingest.Request, pub ingest.Publish) (state.Manifest, error) {
			if lives.Add(1) == 1 {
				p.exit()
			}
			return real.ingest(ctx, o, q, pub)
		}
		s.extract = func(ctx context.Context, o extraction.Options, x extraction.Task) (state.ResultHeader, bool, error) {
			for _, key := range r.store.Keys("work/begun/") {
				if strings.Contains(key, x.Shard) {
					marked.Add(1)
				}
			}
			return real.extract(ctx, o, x)
		}
	}
	p := r.start()
	p.ask(ref, job.Want{})
	p.run()
	p.wait(ref, 1)
	p.stop()
	p = r.start()
	if _, err := p.worker.Resend(t.Context(), job.PassOptions{HasMessage: p.dispatch.HasMessage}); err != nil {
		t.Fatal(err)
	}
	p.run()
	if rec := p.wait(ref, 1); rec.Outcome != job.Done || marked.Load() < 2 {
		t.Errorf("it ended as %+v, and %d shards had marks", rec, marked.Load())
	}
}

func TestAFirstDeliveryHasNoCrashMarkAndARetryHas(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 1, likes))
	var tries atomic.Int64
	var marks [3]int
	r.wrap = func(_ *process, s *stages) {
		real := s.extract
		s.extract = func(ctx context.Context, o extraction.Options, t extraction.Task) (state.ResultHeader, bool, error) {
			n := tries.Add(1)
			marks[n-1] = len(r.store.Keys("work/begun/"))
			if n < 3 {
				return state.ResultHeader{}, false, errors.New("it does not work today")
			}
			return real(ctx, o, t)
		}
	}
	p := r.start()
	p.run()
	p.importDrop(ref)
	p.stop()
	if tries.Load() != 3 || marks != [3]int{0, 1, 1} || len(r.store.Keys("work/begun/")) != 0 {
		t.Errorf("%d tries with %v marks; left %v", tries.Load(), marks, r.store.Keys("work/begun/"))
	}
}

func TestAUnitThatMayHaveCrashedItsWorkerRunsAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 1, likes))
	j := job.New(r.data, job.Options{NewID: r.newID})
	s := newSuspects(j, r.log, 0, time.Minute)
	ctx := t.Context()
	first := job.Task{Kind: job.Ingest, Ref: ref, Gen: 1}
	second := job.Task{Kind: job.Assemble, Ref: ref, Gen: 1}
	for _, task := range []job.Task{first, second} { // both were in hand when a worker was killed
		if _, err := j.Begin(ctx, task, true); err != nil {
			t.Fatal(err)
		}
	}
	leave, alone, err := s.begin(ctx, first, true)
	if err != nil || !alone {
		t.Fatalf("alone %v, %v", alone, err)
	}
	if _, _, err := s.begin(ctx, second, true); !isLater(err, time.Minute) {
		t.Errorf("the other unit got %v", err)
	}
	if n := len(r.store.Keys("work/begun/")); n != 3 {
		t.Errorf("%d marks: a unit that waits is not being worked on", n)
	}
	if _, _, err := s.begin(ctx, second, false); err != nil {
		t.Errorf("a unit that nobody suspects got %v", err)
	}
	leave()
	leave, alone, err = s.begin(ctx, second, true)
	if err != nil || !alone {
		t.Errorf("alone %v, %v", alone, err)
	}
	leave()
	if n := len(r.store.Keys("work/begun/")); n != 2 {
		t.Errorf("%d marks are left", n)
	}
}
