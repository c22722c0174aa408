package publish_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

// step is one change of an input set. Steps of one drop keep their order.
type step struct {
	drop     string
	accepted string
	enter    func(*state.Inputs)
}

// world has extracted imports and edits, and the steps that an owner's store may take with them.
type world struct {
	*stagetest.Rig
	model *stagetest.Model
	short state.Manifest // an import whose shards have partial results of generation 1 and 2
	steps []step
}

// newWorld makes imports that overlap, one that is read anew, one that is erased, one that is
// short, and edits.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Rig: stagetest.New(t), model: &stagetest.Model{Answers: true}}
	w.Ingest.Extractors = extract.NewRegistry(harvest.New(), w.model)
	w.Extraction.Extractors = w.Ingest.Extractors
	w.Ingest.Limits.ShardItems = 2
	w.Ingest.Embeddings, w.Extraction.Embed = "v@2", &stagetest.Embedder{}
	for i := range 4 {
		m := w.extracted(t, w.PutDrop(t, []byte(stagetest.TalksOf("c", 2*i, 3))), 1)
		w.add(m, 1, nil)
		switch i {
		case 1: // read anew
			again := w.Rig.On(w.Data)
			again.Ingest.Limits.MaxDepth = 100
			w2 := &world{Rig: again}
			m2 := w2.extracted(t, m.Drop, 2)
			if m2.Import == m.Import {
				t.Fatal("the replay is the same import")
			}
			w.add(m2, 2, nil)
		case 2: // erased, and imported again
			w.steps = append(w.steps, step{drop: m.Drop, enter: func(in *state.Inputs) { in.Erase(m.Drop, 2) }})
			w.add(m, 3, nil)
		}
	}
	w.model.Answers = false
	w.short = w.extracted(t, w.PutDrop(t, []byte(stagetest.TalksOf("s", 0, 6))), 1)
	w.add(w.short, 1, map[string]int{w.short.Shards[0].ID: 0, w.short.Shards[1].ID: 1, w.short.Shards[2].ID: 1})
	for n, e := range []assemble.Edit{
		{ID: "1", At: "2026-01-01T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: "Keeps a diary."},
		{ID: "2", At: "2026-01-02T00:00:00Z", Action: assemble.EditAdd, Type: "fact", Content: "Likes oaks."},
	} {
		if _, err := objects.PutOnceJSON(t.Context(), w.Store(), state.EditKey(owner, n+1), e); err != nil {
			t.Fatal(err)
		}
		w.steps = append(w.steps, step{drop: state.OwnerJob, enter: func(in *state.Inputs) { in.AcceptEdits(n+1, n+1) }})
	}
	w.steps = append(w.steps, step{drop: w.short.Drop, enter: func(in *state.Inputs) { in.Fail(w.short.Drop, 2) }})
	return w
}

func (w *world) add(m state.Manifest, gen int, short map[string]int) {
	w.steps = append(w.steps, step{drop: m.Drop, accepted: m.Import, enter: func(in *state.Inputs) { in.Accept(m.Drop, gen, m.Import, maps.Clone(short)) }})
}

func (w *world) extracted(t *testing.T, drop string, gen int) state.Manifest {
	t.Helper()
	m, err := w.Read(t.Context(), drop)
	if err != nil {
		t.Fatal(err)
	}
	for n := range m.Shards {
		if _, _, err := w.Extract(t.Context(), m, n, gen); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// shuffled gives the steps in an order that keeps that of each drop.
func shuffled(r *rand.Rand, steps []step) []step {
	slots := make([]string, len(steps))
	queues := map[string][]step{}
	for i, s := range steps {
		slots[i] = s.drop
		queues[s.drop] = append(queues[s.drop], s)
	}
	r.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	var out []step
	for _, drop := range slots {
		out = append(out, queues[drop][0])
		queues[drop] = queues[drop][1:]
	}
	return out
}

// fork gives a rig on a copy of the objects.
func fork(t *testing.T, r *stagetest.Rig) *stagetest.Rig {
	t.Helper()
	c := *r
	c.Data = r.Data.Clone()
	return c.On(c.Data)
}

// The store is a function of the input set: any order and any batches that lead to one set publish
// the same bytes, and so does its computation from nothing.
func TestTheStoreIsAFunctionOfTheInputSet(t *testing.T) {
	w := newWorld(t)
	var want string
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 7))
		r := fork(t, w.Rig)
		in := state.NewInputs()
		for rest := shuffled(rng, w.steps); len(rest) > 0; {
			n := min(1+rng.IntN(3), len(rest))
			in = in.Clone()
			var accepted []string
			for _, s := range rest[:n] {
				s.enter(&in)
				accepted = append(accepted, s.accepted)
			}
			rest = rest[n:]
			compute(t, r, in, accepted...)
			if err := publish.VerifyStore(t.Context(), r.Publish, owner, r.Head(t)); err != nil {
				t.Fatalf("seed %d, %d steps before the end: %v", seed, len(rest), err)
			}
		}
		got := exportOf(t, r)
		if seed > 0 && got != want {
			t.Errorf("seed %d publishes another store", seed)
		}
		want = got
	}
	for _, text := range []string{"Keeps a diary.", "Likes oaks.", "Keeps 0 hens.", "Keeps 8 hens.", "Has talked of hens."} {
		if !strings.Contains(want, text) {
			t.Errorf("the store lacks %q", text)
		}
	}
}

// A complete result that arrives late, or a newer partial one, waits for the next generation.
func TestALateResultDoesNotChangeAComputedStore(t *testing.T) {
	w := newWorld(t)
	in := state.NewInputs()
	for _, s := range w.steps {
		s.enter(&in)
	}
	compute(t, w.Rig, in)
	before := exportOf(t, w.Rig)
	if strings.Count(before, "Has talked of hens.") != 1 {
		t.Fatal("the store has not the memory that the model told of the other imports")
	}
	check := func(what string) {
		t.Helper()
		if err := publish.VerifyStore(t.Context(), w.Publish, owner, w.Head(t)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if compute(t, w.Rig, in); exportOf(t, w.Rig) != before {
			t.Errorf("%s changes the store of the same input set", what)
		}
	}
	if _, complete, err := w.Extract(t.Context(), w.short, 1, 2); err != nil || complete {
		t.Fatal(complete, err)
	}
	check("a newer partial result")
	w.model.Answers = true
	for n := range w.short.Shards {
		if _, complete, err := w.Extract(t.Context(), w.short, n, 3); err != nil || !complete {
			t.Fatal(complete, err)
		}
	}
	check("a late complete result")
	in = in.Clone()
	in.Accept(w.short.Drop, 3, w.short.Import, nil)
	c := compute(t, w.Rig, in, w.short.Import)
	if !c.Published || c.Changes.Evidence == 0 || exportOf(t, w.Rig) == before {
		t.Errorf("the next generation changes %+v", c.Changes)
	}
}

// What a shard named in short has is its partial result, or nothing.
func TestAShortShardHasItsPartialResultOnly(t *testing.T) {
	w := newWorld(t)
	in := state.NewInputs()
	in.Accept(w.short.Drop, 1, w.short.Import, map[string]int{w.short.Shards[0].ID: 0, w.short.Shards[1].ID: 1, w.short.Shards[2].ID: 0})
	compute(t, w.Rig, in)
	var got []string
	for _, m := range memories(t, w.Rig) {
		got = append(got, m.Content)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"Keeps 2 hens.", "Keeps 3 hens."}) {
		t.Errorf("memories %q", got)
	}
}

func TestAChangedObjectIsFoundByVerification(t *testing.T) {
	w := newWorld(t)
	in := state.NewInputs()
	for _, s := range w.steps {
		s.enter(&in)
	}
	compute(t, w.Rig, in)
	h := w.Head(t)
	for _, prefix := range []string{"owners/me/conversations/", state.ExportKey(owner, h.ExportID, ".json"), state.ExportKey(owner, h.ExportID, ".embeddings.json")} {
		r := fork(t, w.Rig)
		keys := r.Data.Keys(prefix)
		if len(keys) == 0 {
			t.Fatalf("there is no %s", prefix)
		}
		body, _ := r.Data.Body(keys[0])
		if _, err := stagetest.Seal(r.Data).Put(t.Context(), keys[0], strings.NewReader(body+" "), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := publish.VerifyStore(t.Context(), r.Publish, owner, h); !errors.Is(err, publish.ErrDiffers) {
			t.Errorf("%s: %v", keys[0], err)
		}
	}
}
