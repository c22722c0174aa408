package stagetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
)

// Owner is the owner of all drops of a Rig, unless it says otherwise.
const Owner = "me"

// Rig takes drops through the stages over one store. Its clock stands, and its ids count.
type Rig struct {
	Owner string
	Data  *statetest.Store // the objects, beneath all hooks
	// Options of the stages; all have the same store.
	Ingest     ingest.Options
	Extraction extraction.Options
	Publish    publish.Options
	Jobs       *job.Jobs

	report func(key string)
}

// New gives a rig on an empty store that fails the test when an immutable object changes.
func New(t testing.TB) *Rig {
	t.Helper()
	data := NewData()
	log, scratch := zaptest.NewLogger(t), t.TempDir()
	limits := state.Limits{MaxConversation: 128 << 20, ShardBytes: 8 << 20, ShardItems: 500, SortBudget: 8 << 20}
	var ids atomic.Int64
	newID := func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids.Add(1)) }
	r := &Rig{
		Owner:      Owner,
		Data:       data,
		Ingest:     ingest.Options{Registry: providers.Default(), Extractors: builtin.Registry(), Limits: limits, Scratch: scratch, Workers: 2, ReuseFrom: 1, Log: log},
		Extraction: extraction.Options{Extractors: builtin.Registry(), Limits: limits, Workers: 2, Log: log},
		Publish: publish.Options{Log: log, Scratch: scratch, Workers: 2, SortBudget: limits.SortBudget, NewID: newID,
			Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }},
	}
	r.report = func(key string) { t.Errorf("immutable object %s was changed", key) }
	return r.On(data)
}

// On gives the same rig over another store of the same objects.
func (r *Rig) On(s blob.Store) *Rig {
	c := *r
	s = &once{Seal(s), r.Data, r.report}
	c.Ingest.Store, c.Extraction.Store, c.Publish.Store = s, s, s
	c.Jobs = job.New(s, job.Options{NewID: r.Publish.NewID})
	return &c
}

// Damaged gives the rig on objects that are changed by hand: those that are repaired change, too.
func (r *Rig) Damaged(data *statetest.Store) *Rig {
	c := *r
	c.Data, c.report = data, func(string) {}
	return c.On(data)
}

// Store is the store of the stages.
func (r *Rig) Store() blob.Store { return r.Publish.Store }

// Crash gives the rig of a process that dies at its write number n, from 0; reached tells whether
// it did.
func (r *Rig) Crash(n int) (c *Rig, reached func() bool) {
	before, reached := statetest.CrashAtWrite(n)
	return r.On(r.Data.View(before, nil)), reached
}

// PutDrop stores archives and the record of their drop, and gives its digest.
func (r *Rig) PutDrop(t testing.TB, archives ...[]byte) string {
	t.Helper()
	rec := state.DropRecord{V: 1, Owner: r.Owner}
	for i, body := range archives {
		rec.Parts = append(rec.Parts, state.DropPart{Name: fmt.Sprintf("export-%d.zip", i), SHA256: objects.Digest(string(body)), Size: int64(len(body))})
	}
	rec.Drop = state.DropDigest(rec.Parts)
	for i, body := range archives {
		rec.Parts[i].Key = state.DropKey(r.Owner, rec.Drop, fmt.Sprintf("part-%03d", i))
		if _, err := objects.PutOnce(t.Context(), r.Store(), rec.Parts[i].Key, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := objects.PutJSON(t.Context(), r.Store(), state.DropKey(r.Owner, rec.Drop, "drop.json"), rec); err != nil {
		t.Fatal(err)
	}
	return rec.Drop
}

// Read takes a drop through ingest and stores its manifest.
func (r *Rig) Read(ctx context.Context, drop string) (state.Manifest, error) {
	m, err := ingest.Ingest(ctx, r.Ingest, ingest.Request{Owner: r.Owner, Drop: drop, Lane: state.LaneSmall}, nil)
	if err != nil {
		return m, err
	}
	body, err := ingest.EncodeManifest(m)
	if err != nil {
		return m, err
	}
	_, err = objects.PutOnce(ctx, r.Store(), state.ManifestKey(r.Owner, m.Import), body)
	return m, err
}

// Extract takes the n-th shard of an import through extraction, in a generation.
func (r *Rig) Extract(ctx context.Context, m state.Manifest, n, gen int) (state.ResultHeader, bool, error) {
	s := m.Shards[n]
	return extraction.ExtractShard(ctx, r.Extraction, extraction.Task{Owner: r.Owner, Import: m.Import, Shard: s.ID, Pack: s.Pack, Gen: gen})
}

// Import asks for a drop and works on its job until it has ended. It gives the change of its
// receipt.
func (r *Rig) Import(ctx context.Context, drop string) (job.Record, state.StoreChange, error) {
	ref := job.Ref{Owner: r.Owner, Drop: drop}
	asked, err := r.Jobs.Ask(ctx, ref, job.Want{})
	if err != nil {
		return job.Record{}, state.StoreChange{}, err
	}
	return r.Finish(ctx, ref, asked.Gen)
}

// Finish works on a job until a generation has ended.
func (r *Rig) Finish(ctx context.Context, ref job.Ref, gen int) (rec job.Record, c state.StoreChange, err error) {
	for range 100 {
		if rec, err = r.Jobs.Read(ctx, ref); err != nil {
			return rec, c, err
		}
		if rec.HasEnded(gen) {
			receipt, _, err := state.ReadReceipt(ctx, r.Store(), ref.Owner, ref.Drop, rec.Gen)
			return rec, receipt.Store, err
		}
		tasks, err := r.Jobs.Next(ctx, ref)
		if err != nil {
			return rec, c, err
		}
		for _, t := range tasks {
			if err := r.Work(ctx, t); err != nil {
				return rec, c, err
			}
		}
	}
	return rec, c, errors.New("the job does not end")
}

// Work does one task, as a worker does.
func (r *Rig) Work(ctx context.Context, t job.Task) error {
	o, err := r.Jobs.Open(ctx, t)
	if errors.Is(err, job.ErrStale) || err == nil && o.Settled {
		return nil
	}
	if err != nil {
		return err
	}
	switch t.Kind {
	case job.Ingest:
		return r.workIngest(ctx, o)
	case job.Extract:
		_, complete, err := extraction.ExtractShard(ctx, r.Extraction, extraction.Task{Owner: t.Owner, Import: t.Import, Shard: t.Shard, Pack: t.Pack, Gen: t.Gen})
		if err == nil && !complete {
			err = r.Jobs.Fail(ctx, t, job.FailureOf(errors.New("not all questions were answered"), 1))
		}
		return err
	}
	return r.Assemble(ctx, o)
}

func (r *Rig) workIngest(ctx context.Context, o job.Opened) error {
	m, err := ingest.Ingest(ctx, r.Ingest, ingest.Request{Owner: o.Owner, Drop: o.Drop, Lane: state.LaneSmall, Stored: o.Gen > 1}, nil)
	if err != nil {
		return err
	}
	body, err := ingest.EncodeManifest(m)
	if err == nil {
		_, err = r.Jobs.Decide(ctx, o.Task, m.Import, body)
	}
	return err
}

// Assemble accepts generations together, ends their jobs, and writes the copies of the store.
func (r *Rig) Assemble(ctx context.Context, opened ...job.Opened) error {
	var change state.StoreChange
	decisions, err := r.Jobs.Accept(ctx, r.Owner, opened, func(ctx context.Context, round job.Round) (next state.Head, err error) {
		next, change, err = publish.Compute(ctx, r.Publish, RoundOf(round))
		return next, err
	})
	if err != nil {
		return err
	}
	for _, d := range decisions {
		report := func(ctx context.Context, d job.Decision) ([]byte, error) {
			c := change.Of(d.Entry.Import)
			if change.Stats == nil { // an earlier process swapped the head
				if c, err = publish.ReadChange(ctx, r.Store(), r.Owner, d.Head, d.Entry.Import); err != nil {
					return nil, err
				}
			}
			made, err := receipt.Maker{Store: r.Store()}.Accepted(ctx, d, c)
			if err != nil {
				return nil, err
			}
			return objects.EncodeSealed(state.ReceiptKey(d.Owner, d.Drop, d.Gen), made)
		}
		if err := publish.RepairCopies(ctx, r.Store(), r.Owner, d.Head); err != nil {
			return err
		}
		if err := r.Jobs.End(ctx, d, report); err != nil {
			return err
		}
	}
	return nil
}
