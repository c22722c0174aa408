package replay

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/cut"
)

// notes is an importer of a format of its own: members in a folder that end in .notes, a line for
// each talk. Lines that begin with "*" are memories. Versions differ in how they change the texts.
func notes(version, folder string, change func(string) string) providers.Importer {
	return &cut.Format{
		Provider: "notes", Release: "notes-importer/" + version, File: "all.notes",
		ClaimMembers: func(_ context.Context, members []archive.Member, _ providers.Peeker, _ providers.Limits) (c providers.Claim, _ error) {
			for _, m := range members {
				if strings.HasPrefix(m.Name, folder) && strings.HasSuffix(m.Name, ".notes") {
					c.Members = append(c.Members, providers.ClaimedMember{Member: m, Role: "notes"})
				}
			}
			return c, nil
		},
		SplitMember: func(ctx context.Context, u providers.Unit, yield func(providers.Unit, error) bool) bool {
			text, err := cut.ReadAll(ctx, u)
			if err != nil {
				return yield(u, err)
			}
			for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				u.Index, u.Raw = i, []byte(line)
				if !yield(u, nil) {
					return false
				}
			}
			return true
		},
		DecodeUnit:     func(u providers.Unit) ([]providers.Item, error) { return decodeNote(string(u.Raw), change), nil },
		RestoreElement: func(dst []byte, _ *pamio.Conversation) ([]byte, error) { return dst, nil },
	}
}

func decodeNote(name string, change func(string) string) []providers.Item {
	text := change(name)
	if said, ok := strings.CutPrefix(text, "* "); ok {
		return []providers.Item{{Record: &providers.Record{Kind: "memory", Provider: "notes", Pointer: "/0", Text: said, UpdatedAt: "2025-05-05T05:05:05Z", Raw: pamio.AppendString(nil, name)}}}
	}
	const at = "2025-01-01T00:00:00.000000Z"
	doc := &pamio.Conversation{
		ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String(), Provider: pamio.Provider{Name: "notes", ConversationID: name},
		Temporal: pamio.Span{CreatedAt: "2025-01-01T00:00:00Z"}, Title: &text,
		Messages: []pamio.Message{{ID: "m", Role: "user", CreatedAt: "2025-01-01T00:00:00Z", Content: &pamio.Content{Type: "text", Text: &text}}},
	}
	return []providers.Item{{Conversation: &providers.Snapshot{Order: at, Newest: at, Doc: doc, Anomalies: map[string]int{}}}}
}

func unchanged(s string) string { return s }

var (
	old   = notes("2026.01", "", unchanged)
	newer = notes("2026.02", "", func(s string) string { return strings.ReplaceAll(s, "tea", "coffee") })
)

// rig is the rig of the stages with importers that the test names, and a worker.
type rig struct {
	*testing.T
	*stagetest.Rig
	store     *statetest.Store
	importers []providers.Importer
	writes    atomic.Int64
	mu        sync.Mutex
	asks      []job.Want
}

func newRig(t *testing.T, importers ...providers.Importer) *rig {
	s := stagetest.New(t)
	s.Ingest.Limits.ShardItems, s.Extraction.Limits.ShardItems = 2, 2
	return &rig{T: t, Rig: s, store: s.Data, importers: importers}
}

// view gives the store, which counts writes.
func (r *rig) view() blob.Store {
	return objects.ClassedStore{Store: stagetest.Seal(r.store.View(func(c statetest.Call) error {
		if c.IsWrite() {
			r.writes.Add(1)
		}
		return nil
	}, nil))}
}

func (r *rig) stages() Stages {
	on := r.On(r.view())
	on.Ingest.Registry = providers.NewRegistry(r.importers...)
	return Stages{Ingest: on.Ingest, Extraction: on.Extraction, Publish: on.Publish}
}

func (r *rig) inline(ref job.Ref) *inline {
	in := &inline{Stages: r.stages(), store: r.view(), ref: ref}
	in.jobs = job.New(in.store, job.Options{NewID: func() string { return "m" }})
	return in
}

func (r *rig) Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error) {
	r.mu.Lock()
	r.asks = append(r.asks, w)
	r.mu.Unlock()
	return r.inline(ref).jobs.Ask(ctx, ref, w)
}

func (r *rig) Redrive(ctx context.Context, ref job.Ref) (job.Asked, error) {
	return r.inline(ref).jobs.Redrive(ctx, ref)
}

func (r *rig) Wait(ctx context.Context, ref job.Ref, _ int) (job.Record, error) {
	in := r.inline(ref)
	if err := in.finish(ctx); err != nil {
		return job.Record{}, err
	}
	return in.jobs.Read(ctx, ref)
}

// drop puts a zip of members into the inbox: names and texts in turn.
func (r *rig) drop(owner string, members ...string) job.Ref {
	r.Helper()
	files := map[string]string{}
	for i := 0; i+1 < len(members); i += 2 {
		files[members[i]] = members[i+1]
	}
	r.Owner = owner
	return job.Ref{Owner: owner, Drop: r.PutDrop(r, stagetest.Zip(r, files))}
}

// imports drops a zip of members and imports it.
func (r *rig) imports(owner string, members ...string) (job.Ref, state.Receipt) {
	r.Helper()
	ref := r.drop(owner, members...)
	asked, err := r.Ask(r.Context(), ref, job.Want{Lane: state.LaneSmall})
	r.check(err)
	_, err = r.Wait(r.Context(), ref, asked.Gen)
	r.check(err)
	r.asks = nil
	receipt, _, err := state.ReadReceipt(r.Context(), r.Store(), owner, ref.Drop, asked.Gen)
	r.check(err)
	return ref, receipt
}

// replay runs a replay, and gives the outcomes by drop.
func (r *rig) replay(sel Selection, o Options) (map[string]Outcome, error) {
	r.Helper()
	o.Store, o.Ingest = r.view(), r.stages().Ingest
	if o.Parallel == 0 {
		o.Parallel = 1
	}
	replayer, err := New(o)
	if err != nil {
		return nil, err
	}
	out := map[string]Outcome{}
	r.asks = nil
	r.writes.Store(0)
	return out, replayer.Run(r.Context(), r, Select(r.Context(), r.view(), sel), func(o Outcome, p Progress) error {
		if out[o.Drop] = o; p.Ended != len(out) || p.Selected < p.Ended {
			r.Errorf("progress %+v after %d", p, len(out))
		}
		return nil
	})
}

// replayOne is replay of one drop.
func (r *rig) replayOne(ref job.Ref, o Options) Outcome {
	r.Helper()
	out, err := r.replay(Selection{Owner: ref.Owner, Import: ref.Drop}, o)
	r.check(err)
	if len(out) != 1 {
		r.Fatalf("outcomes %+v", out)
	}
	return out[ref.Drop]
}

// memories gives the contents of the active memories of an owner.
func (r *rig) memories(owner string) (active []string) {
	r.Helper()
	head, _, err := state.ReadHead(r.Context(), r.Store(), owner)
	r.check(err)
	for m, err := range publish.ExportMemories(r.Context(), r.Store(), owner, head) {
		r.check(err)
		line, err := memoryLine(m)
		r.check(err)
		if m.Status == "active" {
			active = append(active, line.Content)
		}
	}
	return active
}

func (r *rig) check(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}
