package replay

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
)

// notes is an importer of a format of its own: members that end in .notes, a line for each talk.
// Lines that begin with "*" are memories. Its version says how the texts are changed.
type notes struct {
	version string
	folder  string // of its members
	change  func(string) string
}

func (n notes) Name() string        { return "notes" }
func (n notes) Version() string     { return "notes-importer/" + n.version }
func (n notes) RestoreFile() string { return "all.notes" }

func (n notes) Claim(_ context.Context, members []archive.Member, _ providers.Peeker, _ providers.Limits) (c providers.Claim, _ error) {
	for _, m := range members {
		if strings.HasPrefix(m.Name, n.folder) && strings.HasSuffix(m.Name, ".notes") {
			c.Members = append(c.Members, providers.ClaimedMember{Member: m, Role: "notes"})
		}
	}
	return c, nil
}

func (n notes) Split(ctx context.Context, c providers.Claim, limits providers.Limits) iter.Seq2[providers.Unit, error] {
	return func(yield func(providers.Unit, error) bool) {
		for _, m := range c.Members {
			r, err := m.Member.Open(ctx)
			if err != nil {
				yield(providers.Unit{}, err)
				return
			}
			text, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err != nil {
				yield(providers.Unit{}, err)
				return
			}
			for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				raw, err := json.Marshal(line)
				if !yield(providers.Unit{Member: m.Member, Role: m.Role, Index: i, Raw: raw, Limits: limits}, err) {
					return
				}
			}
		}
	}
}

func (n notes) Decode(u providers.Unit) ([]providers.Item, error) {
	var text string
	if err := json.Unmarshal(u.Raw, &text); err != nil {
		return nil, err
	}
	name := text
	if n.change != nil {
		text = n.change(text)
	}
	if said, ok := strings.CutPrefix(text, "* "); ok {
		return []providers.Item{{Record: &providers.Record{Kind: "memory", Provider: "notes", Pointer: "/0", Text: said, UpdatedAt: "2025-05-05T05:05:05Z", Raw: pamio.RawJSON(u.Raw)}}}, nil
	}
	const at = "2025-01-01T00:00:00.000000Z"
	doc := &pamio.Conversation{
		ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String(), Provider: pamio.Provider{Name: "notes", ConversationID: name},
		Temporal: pamio.Span{CreatedAt: "2025-01-01T00:00:00Z"}, Title: &text,
		Messages: []pamio.Message{{ID: "m", Role: "user", CreatedAt: "2025-01-01T00:00:00Z", Content: &pamio.Content{Type: "text", Text: &text}}},
	}
	return []providers.Item{{Conversation: &providers.Snapshot{Order: at, Newest: at, Doc: doc, Anomalies: map[string]int{}}}}, nil
}

func (n notes) Restore(dst []byte, _ *pamio.Conversation) ([]byte, error) { return dst, nil }

var (
	old   = notes{version: "2026.01"}
	newer = notes{version: "2026.02", change: func(s string) string { return strings.ReplaceAll(s, "tea", "coffee") }}
)

// rig is a store, and a worker with the stages as they are and importers that the test names.
type rig struct {
	*testing.T
	store     *statetest.Store
	importers []providers.Importer
	ids       atomic.Int64
	writes    atomic.Int64
	mu        sync.Mutex
	asks      []job.Want
}

func newRig(t *testing.T, importers ...providers.Importer) *rig {
	return &rig{T: t, store: statetest.New(), importers: importers}
}

// view gives the store, which counts writes.
func (r *rig) view() blob.Store {
	return objects.ClassedStore{Store: r.store.View(func(c statetest.Call) error {
		if c.IsWrite() {
			r.writes.Add(1)
		}
		return nil
	}, nil)}
}

func (r *rig) stages() Stages {
	limits := state.Limits{MaxConversation: 64 << 20, ShardBytes: 8 << 20, ShardItems: 2, SortBudget: 8 << 20}
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	newID := func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", r.ids.Add(1)) }
	s, scratch, log := r.view(), r.TempDir(), zap.NewNop()
	return Stages{
		Ingest:     ingest.Options{Store: s, Registry: providers.NewRegistry(r.importers...), Extractors: builtin.Registry(), Limits: limits, Scratch: scratch, Workers: 2, Log: log},
		Extraction: extraction.Options{Store: s, Extractors: builtin.Registry(), Limits: limits, Workers: 2, Log: log},
		Publish:    publish.Options{Store: s, Log: log, Now: now, NewID: newID, Scratch: scratch, Workers: 2, SortBudget: limits.SortBudget},
	}
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
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err == nil {
			_, err = io.WriteString(w, members[i+1])
		}
		r.check(err)
	}
	r.check(z.Close())
	sum := sha256.Sum256(b.Bytes())
	part := state.DropPart{Name: "export.zip", SHA256: hex.EncodeToString(sum[:]), Size: int64(b.Len())}
	ref := job.Ref{Owner: owner, Drop: part.SHA256}
	part.Key = state.DropKey(owner, ref.Drop, "part-000")
	_, err := r.store.Put(r.Context(), part.Key, &b, blob.PutOptions{})
	r.check(err)
	r.check(objects.PutJSON(r.Context(), r.store, state.DropKey(owner, ref.Drop, "drop.json"), state.DropRecord{V: 1, Owner: owner, Drop: ref.Drop, Parts: []state.DropPart{part}}))
	return ref
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
	receipt, _, err := state.ReadReceipt(r.Context(), r.store, owner, ref.Drop, asked.Gen)
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
	head, _, err := state.ReadHead(r.Context(), r.store, owner)
	r.check(err)
	for m, err := range publish.ExportMemories(r.Context(), r.store, owner, head) {
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
