package job_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

const owner = "ann"

// drops are the digests of two drops; the owner's job stands in their place as 2.
var drops = []string{strings.Repeat("d0", 16), strings.Repeat("d1", 16), state.OwnerJob}

func ref(drop int) job.Ref { return job.Ref{Owner: owner, Drop: drops[drop]} }

// importOf is the import that an importer ("x", "y") makes of a drop.
func importOf(drop string, importer string) string {
	return drop[:30] + map[string]string{"x": "0a", "y": "0b"}[importer]
}

func shardOf(id string, n int) string { return fmt.Sprintf("%s%04x", id[2:], n) }

// The results of a shard, as letters: c complete, f failed, p partial.

// scenario is what is asked for and what may come of it.
type scenario struct {
	asks []ask
	// shards has for each importer and shard the letters that are possible, the good one first.
	shards     map[string][]string
	ingestFail bool // reading the archive may fail
	asmFail    bool // computing the store may fail
	mixed      bool // workers of two versions read a drop as two imports
	values     int  // a model gives so many different complete results; 0: one
	late       bool // a worker that completes a shard looks whether it was too late
	sweeper    bool
	pruners    int // stores have a file, and files that no head names are removed
	workers    int
	start      string // "whole": generation 1 of drop 0 has ended with the import x
}

// ask is one Ask; want is an importer, "erase", "redrive", or "edits:" with a letter for each edit.
type ask struct {
	drop int
	want string
}

func (a ask) do(ctx context.Context, j *job.Jobs) (job.Asked, error) {
	switch {
	case a.want == "redrive":
		return j.Redrive(ctx, ref(a.drop))
	case a.want == "erase":
		return j.Ask(ctx, ref(a.drop), job.Want{Erase: true})
	case strings.HasPrefix(a.want, "edits:"):
		return j.Ask(ctx, ref(a.drop), job.Want{Edits: len(a.want) - len("edits:")})
	}
	return j.Ask(ctx, ref(a.drop), job.Want{Importer: a.want, Lane: "bulk"})
}

// handler is a worker: the API of the package with stages that do nothing but choose.
type handler struct {
	*scenario
	store  blob.Store
	raw    *statetest.Store // for what a stage reads of immutable objects
	choose func(label string, n int) int
	id     int
}

func (h *handler) jobs() *job.Jobs {
	return job.New(h.store, job.Options{Parallel: 1, Window: 2, NewID: func() string { h.id++; return fmt.Sprintf("m%d", h.id) }})
}

// handle does what the handler of a message does, for a message or for several assemblies.
func (h *handler) handle(ctx context.Context, tasks ...job.Task) error {
	j := h.jobs()
	if len(tasks) > 1 || tasks[0].Kind == job.Assemble {
		return h.assemble(ctx, j, tasks)
	}
	t := tasks[0]
	o, err := j.Open(ctx, t)
	if errors.Is(err, job.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := j.Begin(ctx, t, false)
	if err != nil {
		return err
	}
	if !o.Settled {
		if t.Kind == job.Ingest {
			err = h.ingest(ctx, j, o)
		} else {
			err = h.extract(ctx, j, o)
		}
		if err != nil {
			return err
		}
	}
	if _, err := j.NextAfter(ctx, t); err != nil {
		return err
	}
	return m.Return(ctx)
}

func (h *handler) ingest(ctx context.Context, j *job.Jobs, o job.Opened) error {
	readers := []string{o.Record.Want.Importer}
	if h.mixed {
		readers = []string{"x", "y"}
	}
	n := len(readers)
	if h.ingestFail {
		n++
	}
	c := h.choose("ingest", n)
	if c == len(readers) {
		return j.Fail(ctx, o.Task, job.Failure{Class: fault.Permanent, Reason: "not an archive", Attempts: 1})
	}
	id := importOf(o.Drop, readers[c])
	var m struct {
		Shards []state.Shard `json:"shards"`
	}
	for i := range h.shards[readers[c]] {
		m.Shards = append(m.Shards, state.Shard{ID: shardOf(id, i), Pack: i, Snapshots: 1})
	}
	body, err := objects.EncodeSealed(state.ManifestKey(owner, id), m)
	if err != nil {
		return err
	}
	_, err = j.Decide(ctx, o.Task, id, body)
	return err
}

func (h *handler) extract(ctx context.Context, j *job.Jobs, o job.Opened) error {
	importer := "x"
	if o.Import == importOf(o.Drop, "y") {
		importer = "y"
	}
	letters := strings.Replace(h.shards[importer][o.Pack], "c", strings.Repeat("c", max(h.values, 1)), 1)
	c := h.choose("shard", len(letters))
	switch letters[c] {
	case 'c':
		if _, err := objects.PutOnce(ctx, h.store, state.CompleteKey(owner, o.Import, o.Shard), fmt.Appendf(nil, "complete %d", c)); err != nil {
			return err
		}
		if h.late {
			_, _, err := j.AskAfterLate(ctx, o.Task)
			return err
		}
		return nil
	case 'p':
		if _, err := objects.PutOnce(ctx, h.store, state.PartialKey(owner, o.Import, o.Shard, o.Gen), fmt.Appendf(nil, "partial %d", o.Gen)); err != nil {
			return err
		}
	}
	return j.Fail(ctx, o.Task, job.Failure{Class: fault.Unit, Reason: "no answer", Attempts: 6})
}

func (h *handler) assemble(ctx context.Context, j *job.Jobs, tasks []job.Task) error {
	var opened []job.Opened
	for _, t := range tasks {
		o, err := j.Open(ctx, t)
		if errors.Is(err, job.ErrStale) {
			continue
		}
		if err != nil {
			return err
		}
		opened = append(opened, o)
	}
	decisions, err := j.Accept(ctx, owner, opened, h.compute)
	if errors.Is(err, job.ErrTogether) {
		for _, o := range opened {
			if err := h.assemble(ctx, j, []job.Task{o.Task}); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range decisions {
		if d.Status == job.Unsettled {
			if _, err := j.NextAfter(ctx, d.Task); err != nil {
				return err
			}
		}
		if err := j.End(ctx, d, makeReceipt); err != nil {
			return err
		}
	}
	return nil
}

func (h *handler) compute(ctx context.Context, r job.Round) (state.Head, error) {
	if h.asmFail && h.choose("assembly", 2) == 1 {
		return state.Head{}, fault.Permanentf("", "the store cannot be computed")
	}
	content, err := storeOf(h.raw, r.Inputs)
	head := r.Prior
	if head.Store != content {
		head.ExportID, head.Store = "of "+r.Digest[:8], content
	}
	if err == nil && h.pruners > 0 {
		_, err = objects.PutOnce(ctx, h.store, fileOf(head), []byte("file"))
	}
	return head, err
}

type receipt struct {
	Import string         `json:"import"`
	Short  map[string]int `json:"short,omitempty"`
	Edits  bool           `json:"edits,omitempty"`
}

func makeReceipt(_ context.Context, d job.Decision) ([]byte, error) {
	return json.Marshal(receipt{d.Entry.Import, d.Short, d.Drop == state.OwnerJob})
}

// storeOf is the store as a function of an input set: the bytes of everything that the set names.
func storeOf(s *statetest.Store, in state.Inputs) (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, "edits %d\n", in.Edits)
	for _, drop := range slices.Sorted(maps.Keys(in.Drops)) {
		for _, id := range append(slices.Clone(in.Past[drop]), in.Drops[drop].Import) {
			if id == "" {
				continue
			}
			shards, err := state.ReadShards(context.Background(), s, owner, id)
			if err != nil {
				return "", err
			}
			for _, shard := range shards {
				key := state.CompleteKey(owner, id, shard.ID)
				if gen, ok := in.Short[id][shard.ID]; ok {
					if key = state.PartialKey(owner, id, shard.ID, gen); gen == 0 {
						fmt.Fprintf(&out, "%s nothing\n", shard.ID)
						continue
					}
				}
				body, ok := s.Body(key)
				if !ok {
					return "", fmt.Errorf("the input set names %s, which is not there", key)
				}
				fmt.Fprintf(&out, "%s %s\n", shard.ID, body)
			}
		}
	}
	return out.String(), nil
}

// offered gives what a worker may begin in a state: each task that some message may be for, and the
// assemblies of several drops together.
func (sc *scenario) offered(s *statetest.Store) [][]job.Task {
	j := job.New(s, job.Options{Window: 64})
	var out [][]job.Task
	var assemblies []job.Task
	for drop := range drops {
		tasks, err := j.Next(context.Background(), ref(drop))
		if err != nil {
			panic(err)
		}
		for _, t := range tasks {
			out = append(out, []job.Task{t})
			if t.Kind == job.Assemble {
				assemblies = append(assemblies, t)
			}
		}
	}
	if len(assemblies) > 1 {
		out = append(out, assemblies)
	}
	return out
}

// begun gives the store that a scenario starts with.
func (sc *scenario) begun(t interface{ Fatal(...any) }) *statetest.Store {
	s := stagetest.NewStore()
	if sc.start == "" {
		return s
	}
	ctx := context.Background()
	h := sc.always(s, s, 0)
	if _, err := h.jobs().Ask(ctx, ref(0), job.Want{Importer: "x", Lane: "bulk"}); err != nil {
		t.Fatal(err)
	}
	if err := h.finish(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// always gives a handler that chooses the n-th option each time, or the last.
func (sc *scenario) always(s blob.Store, raw *statetest.Store, n int) *handler {
	return &handler{scenario: sc, store: s, raw: raw, choose: func(_ string, options int) int { return min(n, options-1) }}
}

// finish does everything that a pass finds until it finds nothing.
func (h *handler) finish(ctx context.Context) error {
	for range 40 {
		found := false
		for p, err := range h.jobs().Pass(ctx, job.PassOptions{}) {
			if err != nil {
				return err
			}
			found = true
			for _, t := range p.Tasks {
				if err := h.handle(ctx, t); err != nil {
					return err
				}
			}
		}
		if !found {
			return nil
		}
	}
	return errors.New("P1: the pass goes on without an end")
}
