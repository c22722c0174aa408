package pipeline

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
)

// aged is a store some of whose objects are older than they are.
type aged struct {
	blob.Store
	by map[string]time.Duration
}

func (a aged) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range a.Store.List(ctx, prefix) {
			o.ModTime = o.ModTime.Add(-a.by[o.Key])
			if !yield(o, err) {
				return
			}
		}
	}
}

func TestWhatEndedImportsLeftBehindIsSweptAndNothingElse(t *testing.T) {
	d := testDeps(t)
	d.AckWait = time.Minute
	const old, older, fresh = time.Hour, 2 * time.Hour, time.Minute
	import1 := digest("import")[:32]
	lies := map[string]struct {
		age  time.Duration
		goes bool
	}{
		"work/_attempts/extract/0011.json":           {older, true},  // before the oldest open request
		"work/_attempts/ingest/0022.begun.json":      {fresh, false}, // somebody may have it in hand
		"work/_attempts/ingest/0033.json":            {old / 2, false},
		"work/ann/" + import1 + "/change.json":       {old, true},
		"work/ann/" + import1 + "/open.json":         {fresh, false},
		"work/ann/" + import1 + "/markers/0044.json": {older, false}, // an import with losses is healed with them
		"work/ann/edits/publish-0055.json":           {older, true},
		"work/ben/" + import1 + "/change.json":       {older, false}, // his request is open
		"work/ben/requests/" + digest("x") + ".json": {old, false},
		"work/ben/requests/" + digest("y") + ".json": {fresh, false},
		"owners/ann/imports/" + import1 + "/x.json":  {older, false},
	}
	s := aged{d.Store, map[string]time.Duration{}}
	want := 0
	for key, l := range lies {
		if _, err := d.Store.Put(t.Context(), key, strings.NewReader("{}"), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		s.by[key] = l.age
		if l.goes {
			want++
		}
	}
	d.Store = s
	if n, err := Sweep(t.Context(), d); err != nil || n != want {
		t.Errorf("swept %d of %d, %v", n, want, err)
	}
	for _, key := range slices.Sorted(maps.Keys(lies)) {
		_, err := d.Store.Head(t.Context(), key)
		if there := err == nil; there == lies[key].goes {
			t.Errorf("%s: there %t, %v", key, there, err)
		}
	}
	if n, err := Sweep(t.Context(), d); err != nil || n != 0 {
		t.Errorf("a second time it swept %d, %v", n, err)
	}
}
