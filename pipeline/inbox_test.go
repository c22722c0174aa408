package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

// shelf is a store that others put things in under any name, with times and metadata as a bucket has them.
type shelf struct {
	blob.Store
	strange  map[string]blob.Object // names that are no keys
	metadata map[string]map[string]string
	times    map[string]time.Time
	reads    atomic.Int64 // of objects in the inbox
}

func newShelf(s blob.Store) *shelf {
	return &shelf{Store: s, strange: map[string]blob.Object{}, metadata: map[string]map[string]string{}, times: map[string]time.Time{}}
}

func (s *shelf) change(o blob.Object) blob.Object {
	if t, ok := s.times[o.Key]; ok {
		o.ModTime = t
	}
	return o
}

func (s *shelf) Head(ctx context.Context, key string) (blob.Object, error) {
	o, err := s.Store.Head(ctx, key)
	o.Metadata = s.metadata[key]
	return s.change(o), err
}

func (s *shelf) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if strings.HasPrefix(key, state.InboxRoot) {
		s.reads.Add(1)
	}
	rc, o, err := s.Store.Get(ctx, key, r)
	o.Metadata = s.metadata[key]
	return rc, s.change(o), err
}

func (s *shelf) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range s.Store.List(ctx, prefix) {
			if !yield(s.change(o), err) {
				return
			}
		}
	}
}

func (s *shelf) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	all := map[string]blob.Object{}
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return func(yield func(blob.Object, error) bool) { yield(o, err) }
		}
		all[o.Key] = o
	}
	for key, o := range s.strange {
		if strings.HasPrefix(key, prefix) {
			all[key] = o
		}
	}
	return func(yield func(blob.Object, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if !yield(all[key], nil) {
				return
			}
		}
	}
}

func (s *shelf) put(t *testing.T, key, text string) blob.Object {
	t.Helper()
	o, err := s.Put(t.Context(), key, strings.NewReader(text), blob.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (s *shelf) putStrange(key string) {
	s.strange[key] = blob.Object{Key: key, Size: 3, ETag: `"strange"`, ModTime: time.Unix(1_700_000_000, 0)}
}

// inboxDeps are dependencies over a shelf, as of a bucket.
func inboxDeps(t *testing.T) (Deps, *shelf) {
	t.Helper()
	d := testDeps(t)
	s := newShelf(d.Store)
	d.Store = s
	d.Inbox = Inbox{Owner: "me", Quiet: 2 * time.Minute, Parts: 100, Bucket: "drops"}
	return d, s
}

// units lists the inbox in a form to compare.
func units(t *testing.T, d Deps) []string {
	t.Helper()
	var out []string
	for u, err := range inboxUnits(t.Context(), d.Store, d.Inbox, state.InboxRoot, 0) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %s %d", u.owner, strings.TrimPrefix(u.unit, state.InboxRoot), u.files)
		if u.marked {
			line += " marked"
		}
		if u.bad != nil {
			line += " bad"
		}
		out = append(out, line)
	}
	return out
}

func TestInboxIsReadAsDrops(t *testing.T) {
	t.Parallel()
	d, s := inboxDeps(t)
	own := state.Digest("own")
	for _, key := range []string{
		"inbox/export.zip", "inbox/.hidden", "inbox/ann/a.zip", "inbox/ann/b.zip.part", "inbox/ann/.DS_Store", "inbox/ann/folder/x.json",
		"inbox/ann/folder/deep/y.json", "inbox/ann/folder/.z", "inbox/ann/folder.zip", "inbox/ann/marked/_COMPLETE", "inbox/ann/marked/x",
		"inbox/ann/" + own + "/drop.json", "inbox/ann/" + own + "/part-000", "inbox/ann/" + state.Digest("hers") + "/notes.json",
		"inbox/ann/" + state.Digest("file"), "inbox/ann-b/c.zip", "inbox/Ann Smith/d.zip", "inbox/Ann Smith/e.zip", "inbox/ann/up.tmp/x",
	} {
		s.put(t, key, "x")
	}
	for _, key := range []string{"inbox/ann/", "inbox/ann/folder/"} {
		s.strange[key] = blob.Object{Key: key}
	}
	for _, key := range []string{`inbox/ann/back\slash.zip`, "inbox/ann/bell\x07", "inbox/ann//empty", "inbox/bob/f/../../ann/x", "inbox/bob/gone\uFFFD"} {
		s.putStrange(key)
	}
	got := units(t, d)
	want := []string{
		" Ann Smith/ 2", "ann-b ann-b/c.zip 1", "ann ann// 1 bad", "ann ann/" + state.Digest("hers") + "/ 1",
		"ann ann/" + state.Digest("file") + " 1", "ann ann/a.zip 1", `ann ann/back\slash.zip 1 bad`, "ann ann/bell\x07 1 bad",
		"ann ann/folder.zip 1", "ann ann/folder/ 2", "ann ann/marked/ 1 marked", "bob bob/f/ 1 bad", "bob bob/gone\uFFFD 1 bad", "me export.zip 1",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestIdOfAUnitChangesWithEverythingThatMayMakeItAnother(t *testing.T) {
	d, s := inboxDeps(t)
	seen := map[string]string{}
	note := func(what, unit string) {
		t.Helper()
		u, ok, err := lookUp(t.Context(), d.Store, d.Inbox, unit)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if before, twice := seen[u.id]; twice {
			t.Errorf("%s has the id of %s", what, before)
		}
		seen[u.id] = what
	}
	s.put(t, "inbox/ann/a.zip", "1")
	note("a file", "inbox/ann/a.zip")
	s.put(t, "inbox/ann/a.zip", "2")
	note("other bytes", "inbox/ann/a.zip")
	s.times["inbox/ann/a.zip"] = time.Unix(1_900_000_000, 0)
	note("put again", "inbox/ann/a.zip")
	s.put(t, "inbox/bob/a.zip", "1")
	note("another owner", "inbox/bob/a.zip")
	s.put(t, "inbox/ann/f/x", "1")
	note("a folder", "inbox/ann/f/")
	s.put(t, "inbox/ann/f/y", "1")
	note("one file more", "inbox/ann/f/")
	s.put(t, "inbox/ann/f/_COMPLETE", "")
	note("marked", "inbox/ann/f/")
	s.put(t, "inbox/root.zip", "1")
	note("root", "inbox/root.zip")
	d.Inbox.Owner = "you"
	note("root of somebody else", "inbox/root.zip")

	before := len(seen)
	s.put(t, "inbox/ann/f/.DS_Store", "1")
	u, _, err := lookUp(t.Context(), d.Store, d.Inbox, "inbox/ann/f/")
	if err != nil {
		t.Fatal(err)
	}
	if seen[u.id] != "marked" || len(seen) != before {
		t.Error("what is passed over changes the id")
	}
}

// takeAll takes everything in the inbox, without a queue, and gives what was asked for.
func takeAll(t *testing.T, d Deps) (requests []state.Request, refused []error) {
	t.Helper()
	for u, err := range inboxUnits(t.Context(), d.Store, d.Inbox, state.InboxRoot, 0) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := takeOne(t, d, u.task())
		if err != nil {
			refused = append(refused, err)
		} else {
			requests = append(requests, r...)
		}
	}
	return requests, refused
}

func takeOne(t *testing.T, d Deps, task TakeTask) (out []state.Request, err error) {
	t.Helper()
	d.Store = state.ClassedStore{Store: d.Store}
	if err := task.Check(); err != nil {
		t.Fatal(err)
	}
	err = Take(t.Context(), d, task, func(ctx context.Context, r state.Request) error {
		out = append(out, r)
		return r.Record(ctx, d.Store)
	})
	if err != nil && fault.Of(err) == fault.Permanent {
		if err := GiveUpTake(t.Context(), d, err); err != nil {
			t.Fatal(err)
		}
	}
	return out, err
}

func importTask(key string) TakeTask {
	owner, _, _ := strings.Cut(strings.TrimPrefix(key, state.InboxRoot), "/")
	return TakeTask{V: state.MessageVersion, Owner: owner, Key: key, Lane: state.LaneSmall}
}

// importsAs takes a request through the stages and gives the conversations and the receipt.
func importsAs(t *testing.T, d Deps, r state.Request) (state.Receipt, map[string]string, error) {
	t.Helper()
	m, err := ingest.Ingest(t.Context(), d.ingest(), r, func(state.Manifest, state.Shard) error { return nil })
	if err != nil {
		return state.Receipt{}, nil, err
	}
	for _, s := range m.Shards {
		task := state.ExtractTask{V: state.MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Lane: m.Lane}
		if _, err := extraction.Extract(t.Context(), d.extraction(), task); err != nil {
			t.Fatal(err)
		}
	}
	out, err := Assemble(t.Context(), d, m.Owner, []AssembleTask{{V: state.MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Ask: r.Ask}})
	if err != nil || len(out) != 1 {
		t.Fatal(len(out), err)
	}
	files := map[string]string{}
	for o, err := range d.Store.List(t.Context(), state.OwnerKey(m.Owner, "conversations/")) {
		if err != nil {
			t.Fatal(err)
		}
		files[path.Base(o.Key)] = textOf(t, d.Store, o.Key)
	}
	return out[0], files, nil
}

func textOf(t *testing.T, s blob.Store, key string) string {
	t.Helper()
	rc, _, err := s.Get(t.Context(), key, blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(rc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
