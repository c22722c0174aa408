// Package jobtest plays the workers of a pipeline for tests: it drives real job records through
// stages that do what the test says, over a store in memory.
package jobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// World is a store with its jobs. It is an Asker, too: it sends no tasks, Run does the work.
type World struct {
	*testing.T
	Store *statetest.Store
	Jobs  *job.Jobs
	// Plans say what comes of a drop; a drop without a plan gives an import with one shard.
	Plans map[job.Ref]Plan
	// Asks are the refs of all calls of Ask and Redrive, in order.
	Asks []job.Ref
}

// Plan says what the stages make of a drop.
type Plan struct {
	Importers []string
	Counts    state.Counts
	Shards    int
	Failed    []int // shards that fail
	Refuse    error // of the ingest
	Broken    error // of the assembly
}

// New gives a world with an empty store.
func New(t *testing.T) *World {
	s := statetest.New()
	return &World{T: t, Store: s, Plans: map[job.Ref]Plan{}, Jobs: job.New(s, job.Options{Window: 1000, NewID: func() string { return "m" }})}
}

// Drop puts an archive into the inbox of an owner: a drop with the file names as its parts.
func (w *World) Drop(owner string, files ...string) job.Ref {
	w.Helper()
	rec := state.DropRecord{V: 1, Owner: owner}
	for _, name := range files {
		body := []byte("archive " + name)
		sum := sha256.Sum256(body)
		p := state.DropPart{Name: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(body))}
		p.Key = state.InboxPrefix(owner) + p.SHA256
		w.put(p.Key, body)
		rec.Parts = append(rec.Parts, p)
	}
	slices.SortFunc(rec.Parts, func(a, b state.DropPart) int { return bytes.Compare([]byte(a.SHA256), []byte(b.SHA256)) })
	rec.Drop = state.DropDigest(rec.Parts)
	w.check(objects.PutJSON(w.Context(), w.Store, state.DropKey(owner, rec.Drop, "drop.json"), rec))
	return job.Ref{Owner: owner, Drop: rec.Drop}
}

// Ask asks for a job.
func (w *World) Ask(ctx context.Context, ref job.Ref, want job.Want) (job.Asked, error) {
	w.Asks = append(w.Asks, ref)
	return w.Jobs.Ask(ctx, ref, want)
}

// Redrive redrives a job.
func (w *World) Redrive(ctx context.Context, ref job.Ref) (job.Asked, error) {
	w.Asks = append(w.Asks, ref)
	return w.Jobs.Redrive(ctx, ref)
}

// Replace wants a rewritten import in the place of a drop's imports.
func (w *World) Replace(ctx context.Context, ref job.Ref, id string, past []string) (job.Asked, error) {
	w.Asks = append(w.Asks, ref)
	return w.Jobs.Replace(ctx, ref, id, past)
}

// Wait does the work of a job and gives its record.
func (w *World) Wait(ctx context.Context, ref job.Ref, _ int) (job.Record, error) {
	w.Run(ref)
	return w.Jobs.Read(ctx, ref)
}

// Import drops, asks for and does an import with a plan.
func (w *World) Import(ref job.Ref, p Plan, want job.Want) {
	w.Helper()
	w.Plans[ref] = p
	_, err := w.Jobs.Ask(w.Context(), ref, want)
	w.check(err)
	w.Run(ref)
}

// Run does the work of a job until it needs none.
func (w *World) Run(ref job.Ref) {
	w.Helper()
	for {
		tasks, err := w.Jobs.Next(w.Context(), ref)
		w.check(err)
		if len(tasks) == 0 {
			return
		}
		for _, t := range tasks {
			w.Do(t)
		}
	}
}

// Do does one task.
func (w *World) Do(t job.Task) {
	w.Helper()
	o, err := w.Jobs.Open(w.Context(), t)
	if errors.Is(err, job.ErrStale) {
		return
	}
	w.check(err)
	p, ok := w.Plans[t.Ref]
	if !ok {
		p = Plan{Shards: 1, Importers: []string{"chatgpt-importer/2026.07"}}
	}
	switch t.Kind {
	case job.Ingest:
		w.ingest(t, p)
	case job.Extract:
		if slices.Contains(p.Failed, t.Pack) {
			w.check(w.Jobs.Fail(w.Context(), t, job.Failure{Class: "unit", Reason: "no answer", Hint: "try later", Attempts: 3}))
			return
		}
		_, err := objects.PutOnce(w.Context(), w.Store, state.CompleteKey(t.Owner, t.Import, t.Shard), []byte("complete"))
		w.check(err)
	case job.Assemble:
		w.assemble(o, p)
	}
}

// ImportID gives the import that importers make of a drop.
func ImportID(ref job.Ref, importers ...string) string {
	sum := sha256.Sum256(fmt.Append(nil, ref, importers))
	return hex.EncodeToString(sum[:16])
}

func (w *World) ingest(t job.Task, p Plan) {
	if p.Refuse != nil {
		w.check(w.Jobs.Fail(w.Context(), t, job.FailureOf(p.Refuse, 1)))
		return
	}
	m := state.Manifest{V: 1, Owner: t.Owner, Drop: t.Drop, Lane: state.LaneSmall, Importers: p.Importers, Counts: p.Counts, Import: ImportID(t.Ref, p.Importers...)}
	for i := range p.Shards {
		m.Shards = append(m.Shards, state.Shard{ID: fmt.Sprintf("%s%04x", m.Import[:28], i), Pack: i, Snapshots: 1})
	}
	body, err := state.EncodeManifest(m)
	w.check(err)
	_, err = w.Jobs.Decide(w.Context(), t, m.Import, body)
	w.check(err)
}

func (w *World) assemble(o job.Opened, p Plan) {
	ds, err := w.Jobs.Accept(w.Context(), o.Owner, []job.Opened{o}, func(_ context.Context, r job.Round) (state.Head, error) {
		next := state.Head{ExportID: "export-" + r.Digest[:8], MemoryCount: int64(len(r.Inputs.Drops))}
		if body, ok := w.Store.Body(state.ExportKey(r.Owner, r.Prior.ExportID, ".json")); ok { // it says the same
			w.Put(state.ExportKey(r.Owner, next.ExportID, ".json"), body)
		}
		return next, p.Broken
	})
	w.check(err)
	w.check(w.Jobs.End(w.Context(), ds[0], func(_ context.Context, d job.Decision) ([]byte, error) {
		r := state.Receipt{V: 1, Owner: d.Owner, Drop: d.Drop, Gen: d.Gen, Import: d.Entry.Import, State: state.StateDone, Importers: p.Importers, Counts: p.Counts}
		r.Store = state.StoreChange{Published: true, ExportID: d.Head.ExportID, Memories: d.Head.MemoryCount}
		r.Extraction.Shards = p.Shards
		for shard := range d.Short {
			r.State = state.StateLosses
			r.Extraction.Failed = append(r.Extraction.Failed, state.FailedShard{Shard: shard, Reason: "no answer"})
		}
		return objects.EncodeSealed(state.ReceiptKey(d.Owner, d.Drop, d.Gen), r)
	}))
}

// Put writes an object, whatever was there.
func (w *World) Put(key, body string) {
	w.Helper()
	w.put(key, []byte(body))
}

func (w *World) put(key string, body []byte) {
	w.Helper()
	_, err := w.Store.Put(w.Context(), key, bytes.NewReader(body), blob.PutOptions{})
	w.check(err)
}

func (w *World) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}
