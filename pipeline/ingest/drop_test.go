package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

var errGone = errors.New("the network is gone")

// breaking is a store whose first read of an archive from a byte on fails.
type breaking struct {
	blob.Store
	from int64
	hits atomic.Int64
}

func (b *breaking) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, o, err := b.Store.Get(ctx, key, r)
	if err == nil && strings.Contains(key, "/part-") && r.Offset < b.from && r.Offset+r.Length > b.from {
		return &breakingBody{rc, r.Offset, b}, o, nil
	}
	return rc, o, err
}

type breakingBody struct {
	io.ReadCloser
	at int64
	b  *breaking
}

func (r *breakingBody) Read(p []byte) (int, error) {
	if r.at >= r.b.from && r.b.hits.Add(1) == 1 {
		return 0, &blob.Error{Op: "get", Retry: true, Err: errGone}
	}
	n, err := r.ReadCloser.Read(p)
	r.at += int64(n)
	return n, err
}

func TestAnOutageWhileADropIsReadIsNoLoss(t *testing.T) {
	text := strings.ReplaceAll(stagetest.Talks(60), "hens.", "hens. "+strings.Repeat("So many hens. ", 6000))
	r := stagetest.New(t)
	drop := r.PutDrop(t, []byte(text))
	if _, err := r.On(objects.ClassedStore{Store: &breaking{Store: r.Data, from: 2 << 20}}).Read(t.Context(), drop); fault.Of(err) != fault.Outage || !errors.Is(err, errGone) {
		t.Fatalf("%s: %v", fault.Of(err), err)
	}
	if m := read(t, r, drop); m.Counts.Conversations != 60 || m.Counts.Quarantined != 0 {
		t.Errorf("after the outage: %+v", m.Counts)
	}
}

func TestAFailureOfAnyCallOfStorageIsAnOutage(t *testing.T) {
	for n := 0; ; n += statetest.Stride(5) {
		r := notesRig(t)
		r.Ingest.Limits.ShardItems, r.Ingest.ReuseFrom = 2, -1 // earlier imports need not be readable
		drop := r.PutDrop(t, notesExport(t))
		fail, reached := statetest.FailCall(n, &blob.Error{Op: "any", Retry: true, Err: errGone})
		broken := r.On(objects.ClassedStore{Store: r.Data.View(fail, nil)})
		_, err := broken.Read(t.Context(), drop)
		if !reached() {
			return
		}
		if fault.Of(err) != fault.Outage {
			t.Errorf("call %d: %s: %v", n, fault.Of(err), err)
		}
		read(t, r, drop)
	}
}

// putPlaces stores the same bytes at two places of a person, with the record of a drop that names
// both.
func putPlaces(t *testing.T, r *stagetest.Rig, text string) (drop string, keys []string) {
	t.Helper()
	keys = []string{"inbox/me/a.json", "inbox/me/b.json"}
	var parts []state.DropPart
	for _, key := range keys {
		o, err := r.Store().Put(t.Context(), key, strings.NewReader(text), blob.PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, state.DropPart{Name: key, Key: key, SHA256: objects.Digest(text), Size: o.Size, ETag: o.ETag})
	}
	parts[0].Also = parts[1:]
	rec := state.DropRecord{V: 1, Owner: owner, Drop: objects.Digest(text), Parts: parts[:1]}
	if err := objects.PutJSON(t.Context(), r.Store(), state.DropKey(owner, rec.Drop, "drop.json"), rec); err != nil {
		t.Fatal(err)
	}
	return rec.Drop, keys
}

// The same bytes are at two places. The first is lost, before or while it is read.
func TestADropIsReadAtAnotherPlaceOfItsBytes(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, r *stagetest.Rig, key string) *stagetest.Rig{
		"removed": func(t *testing.T, r *stagetest.Rig, key string) *stagetest.Rig {
			if err := r.Store().Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			return r
		},
		"replaced": func(t *testing.T, r *stagetest.Rig, key string) *stagetest.Rig {
			if _, err := r.Store().Put(t.Context(), key, strings.NewReader("[]"), blob.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			return r
		},
		"removed while it is read": func(t *testing.T, r *stagetest.Rig, key string) *stagetest.Rig {
			return r.On(r.Data.View(nil, func(c statetest.Call) error {
				if c.Op == "get" && c.Key == key {
					return r.Data.Delete(t.Context(), key)
				}
				return nil
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := stagetest.New(t)
			text := strings.ReplaceAll(stagetest.Talks(4), "hens.", "hens. "+strings.Repeat("So many hens. ", 45_000))
			drop, keys := putPlaces(t, r, text)
			if m := read(t, lose(t, r, keys[0]), drop); m.Counts.Conversations != 4 {
				t.Errorf("%+v", m.Counts)
			}
		})
	}
}

func TestADropThatIsNowhereAnyMoreIsPermanent(t *testing.T) {
	r := stagetest.New(t)
	drop, keys := putPlaces(t, r, stagetest.Talks(1))
	for _, key := range keys {
		if err := r.Store().Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Read(t.Context(), drop); fault.Of(err) != fault.Permanent || !strings.Contains(fault.HintOf(err), "inbox again") {
		t.Errorf("%v", err)
	}
}

func TestTheNameOfAGzippedFileIsInNoOutput(t *testing.T) {
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	if _, err := z.Write([]byte(stagetest.Talks(2))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r := stagetest.New(t)
	drop := r.PutDrop(t, body.Bytes())
	rec, err := state.ReadDrop(t.Context(), r.Store(), owner, drop)
	if err != nil {
		t.Fatal(err)
	}
	rec.Parts[0].Name = "anna-smith.json.gz"
	if err := objects.PutJSON(t.Context(), r.Store(), state.DropKey(owner, drop, "drop.json"), rec); err != nil {
		t.Fatal(err)
	}
	m := read(t, r, drop)
	for _, s := range m.Sources {
		if strings.Contains(s.File, "anna") {
			t.Errorf("a source is called %s", s.File)
		}
	}
	if list, _ := r.Data.Body(state.PackListKey(owner, m.Import, 0)); strings.Contains(list, "anna") {
		t.Error("the name is in the list of a pack")
	}
}
