package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

var errCut = errors.New("the power is gone")

// cutStore stops all writing after a number of writes, as a crash does.
type cutStore struct {
	blob.Store
	left *atomic.Int64
}

func (c cutStore) spend() error {
	if c.left.Add(-1) < 0 {
		return errCut
	}
	return nil
}

func (c cutStore) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if err := c.spend(); err != nil {
		return blob.Object{}, err
	}
	return c.Store.Put(ctx, key, body, o)
}

func (c cutStore) Delete(ctx context.Context, key string) error {
	if err := c.spend(); err != nil {
		return err
	}
	return c.Store.Delete(ctx, key)
}

// PutAbsent writes one by one, so that a cut can fall between any two files.
func (c cutStore) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	return blob.PutEach(ctx, c, items, 1)
}

func (c cutStore) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return c.Store.List(ctx, prefix)
}

// runStages does what the workers do, without a broker.
func runStages(t *testing.T, d Deps, file string) (state.Receipt, error) {
	t.Helper()
	ctx := t.Context()
	rec, err := TakeIn(ctx, d.Store, "me", []string{file}, d.Scratch)
	if err != nil {
		return state.Receipt{}, err
	}
	req := state.Request{V: state.MessageVersion, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}
	if err := state.PutJSON(ctx, d.Store, state.RequestKey("me", rec.Drop), req); err != nil {
		return state.Receipt{}, err
	}
	m, err := ingest.Ingest(ctx, d.ingest(), req, func(state.Manifest, state.Shard) error { return nil })
	if err != nil {
		return state.Receipt{}, err
	}
	if r, final, err := state.ReadReceipt(ctx, d.Store, "me", m.Import); err != nil {
		return r, err
	} else if !final {
		for _, s := range m.Shards {
			task := state.ExtractTask{V: state.MessageVersion, Owner: "me", Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Lane: m.Lane}
			if _, err := extraction.Extract(ctx, d.extraction(), task); err != nil {
				return state.Receipt{}, err
			}
		}
	}
	out, err := Assemble(ctx, d, "me", []AssembleTask{{V: state.MessageVersion, Owner: "me", Drop: m.Drop, Import: m.Import}})
	if err != nil {
		return state.Receipt{}, err
	}
	if len(out) != 1 {
		return state.Receipt{}, fmt.Errorf("%d receipts", len(out))
	}
	return out[0], nil
}

// manyConversations is an export of n small conversations.
func manyConversations(n int) string {
	var b strings.Builder
	b.WriteString("[")
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"conversation_id":"c-%d","title":"Talk %d","create_time":%d,"update_time":%d,"mapping":{
"a":{"id":"a","message":{"id":"a","author":{"role":"assistant"},"recipient":"bio","create_time":%d,"content":{"content_type":"text","parts":["User keeps %d hens."]},"metadata":{}},"parent":null,"children":[]}},"current_node":"a"}`,
			i, i, 1700000000+i, 1700000100+i, 1700000001+i, i)
	}
	return b.String() + "]"
}

var moments = regexp.MustCompile(`"export_(id|date)":"[^"]*"`)

// outcome is everything that lasts: the bytes of every object, with what belongs to the moment of publishing left out.
func outcome(t *testing.T, s blob.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for o, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		rc, _, err := s.Get(t.Context(), o.Key, blob.Range{})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(rc)
		if err != nil {
			t.Fatal(err)
		}
		key := o.Key
		switch {
		case strings.Contains(key, "/exports/"):
			key = "owners/me/exports/*" + path.Ext(key)
		case strings.HasSuffix(key, "/head.json"), strings.HasSuffix(key, "/receipt.json"):
			continue // they name the export
		}
		out[key] = string(moments.ReplaceAll(body, nil))
	}
	return out
}

func TestCrashAtAnyWriteEndsInTheSameStore(t *testing.T) {
	t.Parallel()
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(9)})
	fresh := func() Deps {
		d := testDeps(t)
		d.Limits.ShardItems = 4
		return d
	}
	d := fresh()
	if _, err := runStages(t, d, file); err != nil {
		t.Fatal(err)
	}
	want := outcome(t, d.Store)

	for cut := int64(0); ; cut++ {
		d := fresh()
		var left atomic.Int64
		left.Store(cut)
		broken := d
		broken.Store = cutStore{d.Store, &left}
		_, err := runStages(t, broken, file)
		if err != nil && !errors.Is(err, errCut) {
			t.Fatalf("cut after %d writes: %v", cut, err)
		}
		r, again := runStages(t, d, file)
		if again != nil {
			t.Fatalf("run after a cut at write %d: %v", cut, again)
		}
		if r.State != state.StateDone || r.Counts.Conversations != 9 {
			t.Fatalf("run after a cut at write %d: %+v", cut, r)
		}
		if kept, _, bad := state.ReadReceipt(t.Context(), d.Store, "me", r.Import); bad != nil || !kept.Store.Published || kept.Store.Changes == nil || kept.Store.Changes.Added != 9 {
			t.Errorf("run after a cut at write %d: %v, the receipt does not tell what changed: %+v", cut, bad, kept.Store)
		}
		got := outcome(t, d.Store)
		for key, text := range want {
			if got[key] != text {
				t.Errorf("cut at write %d: %s differs", cut, key)
			}
		}
		for key := range got {
			if _, ok := want[key]; !ok && !strings.HasPrefix(key, "owners/me/exports/") {
				t.Errorf("cut at write %d: %s is left behind", cut, key)
			}
		}
		if err == nil {
			if cut < 15 {
				t.Fatalf("the import needs only %d writes: is it cut at all?", cut)
			}
			return
		}
	}
}

func TestOutputDependsOnNeitherNameNorTimeNorWorkers(t *testing.T) {
	t.Parallel()
	text := manyConversations(40)
	var want map[string]string
	for i, v := range []struct {
		name    string
		workers int
		day     time.Time
	}{
		{"conversations.json", 1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"My talks (3).json", 8, time.Date(2027, 6, 30, 9, 0, 0, 0, time.UTC)},
	} {
		d := testDeps(t)
		d.Workers, d.Now, d.Limits.ShardItems = v.workers, func() time.Time { return v.day }, 7
		file := path.Join(t.TempDir(), v.name)
		writeFile(t, file, text)
		if _, err := runStages(t, d, file); err != nil {
			t.Fatal(err)
		}
		got := outcome(t, d.Store)
		maps.DeleteFunc(got, func(key, _ string) bool {
			return strings.HasSuffix(key, "/drop.json") || strings.HasSuffix(key, "/manifest.json") // they keep the file's name for the receipt
		})
		if i == 0 {
			want = got
			continue
		}
		if !maps.Equal(got, want) {
			for key := range got {
				if got[key] != want[key] {
					t.Errorf("%s differs", key)
				}
			}
		}
	}
}

func TestStoreFolderCanBeOpenedTwice(t *testing.T) {
	root := t.TempDir()
	a, err := dir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	b, err := dir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Put(t.Context(), "k", bytes.NewReader([]byte("v")), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Head(t.Context(), "k"); err != nil {
		t.Error(err)
	}
}
