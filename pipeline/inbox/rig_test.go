package inbox

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
)

// bucket is a store in memory with metadata, and with names that are no keys.
type bucket struct {
	blob.Store
	metadata map[string]map[string]string
	strange  map[string]blob.Object
	// onGet is called before an object is read.
	onGet func(key string)
	// contents, if set, is where the objects that people put into the inbox are read.
	contents blob.Store
	// onList is called after a listing of the inbox was made.
	onList func(prefix string)
}

func (b *bucket) Head(ctx context.Context, key string) (blob.Object, error) {
	o, err := b.Store.Head(ctx, key)
	o.Metadata = b.metadata[key]
	return o, err
}

func (b *bucket) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if b.onGet != nil {
		b.onGet(key)
	}
	if b.contents != nil && strings.HasPrefix(key, "inbox/ann/export/") {
		return b.contents.Get(ctx, key, r)
	}
	return b.Store.Get(ctx, key, r)
}

func (b *bucket) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	all := maps.Clone(b.strange)
	for o, err := range b.List(ctx, prefix) {
		if err != nil {
			return func(yield func(blob.Object, error) bool) { yield(o, err) }
		}
		all[o.Key] = o
	}
	if b.onList != nil {
		b.onList(prefix)
	}
	return func(yield func(blob.Object, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if strings.HasPrefix(key, prefix) && !yield(all[key], nil) {
				return
			}
		}
	}
}

// rig is an inbox over a bucket in memory. Imports are asked for in the job records of the store.
type rig struct {
	*Inbox
	memory *statetest.Store
	bucket *bucket
	logs   *observer.ObservedLogs

	mu    sync.Mutex
	asked []string // owner, drop and settings of each Ask
}

// newRig gives an inbox like that of a bucket; change may adapt it.
func newRig(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	return newRigOver(t, statetest.New(), nil, change)
}

// newRigOver gives an inbox over a store whose calls go through a hook.
func newRigOver(t testing.TB, memory *statetest.Store, before statetest.Hook, change func(*Options)) *rig {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	r := &rig{memory: memory, logs: logs}
	r.bucket = &bucket{Store: memory.View(before, nil), metadata: map[string]map[string]string{}, strange: map[string]blob.Object{}}
	o := Options{
		Rules: Rules{Owner: "me", Quiet: 2 * time.Minute, Parts: 100, Bucket: "drops"}, Store: r.bucket,
		Registry: providers.Default(), Extractors: builtin.Registry(), Log: zap.New(core),
		Attempts: 3, Backoff: queue.Backoff{First: time.Millisecond, Max: 5 * time.Millisecond},
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	}
	if change != nil {
		change(&o)
	}
	r.Inbox = New(o, nil, r)
	return r
}

// Ask asks in the job records of the store.
func (r *rig) Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error) {
	asked, err := job.New(r.Store, job.Options{NewID: func() string { return "id" }}).Ask(ctx, ref, w)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked = append(r.asked, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", ref.Owner, ref.Drop, w.Importer, strings.Join(w.Extractors, ","))))
	}
	return asked, err
}

// withQueue gives the inbox a queue that outlives those who consume from it, as that of a cluster.
func (r *rig) withQueue(t testing.TB, o dispatch.TopologyOptions) *queue.Queue {
	t.Helper()
	js := natstest.JetStream(t, natstest.Connect(t, natstest.Server(t, nil).ClientURL()))
	if err := queue.Ensure(t.Context(), js, dispatch.Topology(o)); err != nil {
		t.Fatal(err)
	}
	q := queue.New(js, dispatch.Topology(o), queue.Options{Backoff: r.Backoff, PullWait: 50 * time.Millisecond})
	r.Inbox = New(r.Options, q, r)
	return q
}

func (r *rig) put(t testing.TB, key, text string) {
	t.Helper()
	if _, err := r.memory.Put(t.Context(), key, strings.NewReader(text), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) putStrange(key string) {
	r.bucket.strange[key] = blob.Object{Key: key, Size: 3, ETag: "strange", ModTime: r.memory.Now()}
}

// list gives the entries of the inbox.
func (r *rig) list(t testing.TB) (out []entry) {
	t.Helper()
	for e, err := range r.entries(t.Context(), r.Store, state.InboxRoot, 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// takeAll takes everything in the inbox without a queue and gives what was asked for since.
func (r *rig) takeAll(t testing.TB) []string {
	t.Helper()
	before := len(r.asked)
	for _, e := range r.list(t) {
		if err := r.Take(t.Context(), taskOf(e), false); err != nil {
			t.Fatal(err)
		}
	}
	return r.asked[before:]
}

// refusals gives the records of all refused entries.
func (r *rig) refusals(t testing.TB) (out []Record) {
	t.Helper()
	for ref, err := range ListRefusals(t.Context(), r.Store, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		rec, err := ReadRefusal(t.Context(), r.Store, ref.Owner, ref.ID)
		if err != nil || rec.At == "" || rec.Drop != "" || rec.Hint == "" && !rec.Failed {
			t.Errorf("%+v, %v", rec, err)
		}
		out = append(out, rec)
	}
	return out
}

// reasons are those of all refusals.
func (r *rig) reasons(t testing.TB) (out []string) {
	t.Helper()
	for _, rec := range r.refusals(t) {
		out = append(out, rec.Reason)
	}
	return out
}

// dropOf is the digest of a drop of one file.
func dropOf(text string) string { return objects.Digest(text) }

func writeLocal(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// brokenAsker fails; without an error it panics.
type brokenAsker struct{ err error }

func (b brokenAsker) Ask(context.Context, job.Ref, job.Want) (job.Asked, error) {
	if b.err == nil {
		panic("broken")
	}
	return job.Asked{}, b.err
}
