package work

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// chaos is a run of two processes among outages, failures, deaths and requests at random moments.
type chaos struct {
	*rig
	rand  *rand.Rand // of the test itself
	calm  atomic.Bool
	calls atomic.Int64

	mu     sync.Mutex
	faults *rand.Rand // of the stages and the store
	// happened counts faults.
	happened int

	drops []job.Ref
	asked map[job.Ref]int // generation of the last Ask that has returned
	procs [2]*process
	seen  map[string]string // immutable objects
}

func newChaos(t *testing.T, seed uint64) *chaos {
	c := &chaos{rig: newRig(t), rand: rand.New(rand.NewPCG(seed, 1)), faults: rand.New(rand.NewPCG(seed, 2)), asked: map[job.Ref]int{}, seen: map[string]string{}}
	c.limits.ShardItems = 2
	c.topology.AckWait = time.Second
	for i := range 3 {
		c.drops = append(c.drops, c.drop("ann", talks(fmt.Sprint("talk", i), 5, likes)))
	}
	c.drops = append(c.drops, c.drop("bob", talks("a", 3, likes)))
	if seed%2 == 0 {
		c.shareQueue()
	}
	c.change = func(o *Options) { o.Early = seed%3 == 0 }
	c.rig.before = func(statetest.Call) error {
		c.calls.Add(1)
		switch {
		case c.happens(150):
			return errors.New("no route to the store")
		case c.happens(250):
			return statetest.ErrCrashed
		}
		return nil
	}
	c.wrap = func(p *process, s *stages) {
		real := *s
		s.extract = func(ctx context.Context, o extraction.Options, x extraction.Task) (state.ResultHeader, bool, error) {
			switch {
			case c.happens(20):
				p.exit()
			case c.happens(8):
				return state.ResultHeader{}, false, fault.Permanentf("", "extract shard: not today")
			case c.happens(8):
				return state.ResultHeader{}, false, errors.New("not now")
			}
			return real.extract(ctx, o, x)
		}
		s.compute = func(ctx context.Context, o publish.Options, x publish.Round) (state.Head, state.StoreChange, error) {
			switch {
			case c.happens(20):
				p.exit()
			case c.happens(12):
				return state.Head{}, state.StoreChange{}, fault.Permanentf("", "assemble store: not today")
			}
			return real.compute(ctx, o, x)
		}
	}
	for i := range c.procs {
		c.restart(i)
	}
	return c
}

// happens tells whether something of which there is one in n happens now.
func (c *chaos) happens(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.faults.IntN(n) != 0 || c.calm.Load() {
		return false
	}
	c.happened++
	return true
}

// restart replaces a process. The new one finds what the old one left.
func (c *chaos) restart(i int) {
	if c.procs[i] != nil {
		c.procs[i].stop()
	}
	c.procs[i] = c.start()
	c.resend(i)
	c.procs[i].run()
}

func (c *chaos) resend(i int) {
	p := c.procs[i]
	if _, err := p.worker.Resend(context.Background(), job.PassOptions{HasMessage: p.dispatch.HasMessage}); err != nil && fault.Of(err) != fault.Outage {
		c.t.Fatal(err)
	}
}

// step asks for something, waits a while, and replaces dead processes.
func (c *chaos) step() {
	i, ref := c.rand.IntN(len(c.procs)), c.drops[c.rand.IntN(len(c.drops))]
	p := c.procs[i]
	wants := []job.Want{{}, {Extractors: []string{"rules"}}, {Incomplete: true}}
	var asked job.Asked
	var err error
	if n := c.rand.IntN(len(wants) + 1); n < len(wants) {
		asked, err = p.dispatch.Ask(context.Background(), ref, wants[n])
	} else if asked, err = p.dispatch.Redrive(context.Background(), ref); c.asked[ref] == 0 && fault.Of(err) == fault.Permanent {
		err = errors.New("there is no such job yet")
	}
	if err == nil {
		c.asked[ref] = max(c.asked[ref], asked.Gen)
	}
	until := c.calls.Load() + c.rand.Int64N(200)
	for range 20 {
		if c.calls.Load() < until {
			sleepFor(context.Background(), time.Millisecond)
		}
	}
	for i, p := range c.procs {
		if p.dead.Load() {
			c.restart(i)
		}
	}
	c.checkImmutable()
}

// settle lets all work end, and redrives what has failed.
func (c *chaos) settle() {
	c.calm.Store(true)
	for i, p := range c.procs {
		if p.dead.Load() {
			c.restart(i)
		}
	}
	for range 3 {
		for i := range c.procs {
			c.resend(i)
		}
		for _, ref := range c.drops {
			c.procs[0].until("all work has ended", func() bool {
				r := c.record(ref)
				if r.Gen > 0 && !r.HasEnded(r.Gen) && c.rand.IntN(50) == 0 { // messages of dead processes may be lost
					c.resend(0)
					c.resend(1)
				}
				return r.Gen == 0 || r.HasEnded(r.Gen)
			})
		}
		for _, l := range c.deadLetters() {
			if r := c.record(l.Ref); r.State == job.Ended {
				c.procs[0].redrive(l.Ref)
			}
		}
	}
	for _, p := range c.procs {
		p.stop()
	}
	if _, err := job.New(c.data, job.Options{}).Sweep(context.Background()); err != nil {
		c.t.Fatal(err)
	}
}

// checkImmutable compares what is written once with what it was.
func (c *chaos) checkImmutable() {
	now := c.bodies("owners/")
	for key, body := range c.seen {
		if now[key] != body {
			c.t.Errorf("%s has changed", key)
		}
	}
	for key, body := range now {
		for _, kind := range []string{"/imports/", "/inputs/", "/receipts/", "/conversations/"} {
			if strings.Contains(key, kind) {
				c.seen[key] = body
			}
		}
	}
}

// check looks whether all promises are kept.
func (c *chaos) check() {
	c.checkImmutable()
	for _, ref := range c.drops {
		r := c.record(ref)
		_, in := c.head(ref.Owner)
		e := in.Drops[ref.Drop]
		switch {
		case r.Gen < c.asked[ref]:
			c.t.Errorf("generation %d was asked for, the record is %+v", c.asked[ref], r)
		case r.Gen == 0:
		case r.Outcome != job.Done || e != (state.Entry{Import: r.Import, Gen: r.Gen}):
			c.t.Errorf("record %+v, entry %+v", r, e)
		case c.receipt(ref, r.Gen).State != state.StateDone || len(in.Short[r.Import]) > 0:
			c.t.Errorf("receipt %+v, short %v", c.receipt(ref, r.Gen), in.Short)
		}
	}
	if l := c.deadLetters(); len(l) > 0 {
		c.t.Errorf("dead letters %+v", l)
	}
	for _, key := range c.store.Keys("work/open/") { // the hint of an Ask that was killed stays until the next
		owner, drop, gen, _, ok := state.ParseGeneration(state.OpenRoot, key)
		if r := c.record(job.Ref{Owner: owner, Drop: drop}); !ok || gen <= r.Gen {
			c.t.Errorf("left behind %s of %+v", key, r)
		}
	}
	for _, key := range c.store.Keys(state.FailedRoot) { // an assembly may fail while another worker completes it: deadLetters knows
		owner, drop, gen, _, ok := state.ParseGeneration(state.FailedRoot, key)
		if r := c.record(job.Ref{Owner: owner, Drop: drop}); !ok || gen < r.Gen {
			c.t.Errorf("left behind %s of %+v", key, r)
		}
	}
	for _, owner := range []string{"ann", "bob"} {
		c.recompute(owner)
	}
}

// recompute computes the store of what the head names, beside the store.
func (r *rig) recompute(owner string) {
	r.t.Helper()
	head, in := r.head(owner)
	if head.ExportID == "" {
		return
	}
	p := &process{rig: r, view: objects.ClassedStore{Store: stagetest.Seal(r.store.Clone())}}
	got, _, err := publish.Compute(r.t.Context(), r.options(p).Publish, publish.Round{Owner: owner, Before: state.NewInputs(), Inputs: in, Digest: head.Inputs})
	if err != nil {
		r.t.Fatal(err)
	}
	if got.Memories != head.Memories || got.Relations != head.Relations || got.Index != head.Index {
		r.t.Errorf("the head of %s is %+v, computed anew %+v", owner, head, got)
	}
}

func TestRandomFaultsKeepAllPromises(t *testing.T) {
	t.Parallel()
	seeds := 10
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			c := newChaos(t, uint64(seed))
			for range 25 {
				c.step()
			}
			c.settle()
			c.check()
			t.Logf("%d faults", c.happened)
		})
	}
}
