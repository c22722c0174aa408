package metered_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/blob/metered"
)

func folder(t *testing.T) *dir.Store {
	t.Helper()
	s, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// calls counts what a store tells, as "op outcome".
type calls struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *calls) tell(op, outcome string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	if took < 0 {
		outcome += " before it began"
	}
	c.n[op+" "+outcome]++
}

func (c *calls) want(t *testing.T, want map[string]int) {
	t.Helper()
	if !maps.Equal(c.n, want) {
		t.Errorf("told %v, want %v", c.n, want)
	}
}

func TestAMeteredStoreIsAStore(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store {
		return metered.New(folder(t), time.Now, new(calls).tell)
	})
}

func TestEveryCallIsToldWithItsOutcome(t *testing.T) {
	c := &calls{}
	s := metered.New(folder(t), time.Now, c.tell)
	ctx := t.Context()
	put := func(o blob.PutOptions) {
		_, _ = s.Put(ctx, "a", strings.NewReader("x"), o) //nolint:errcheck // told
	}
	put(blob.PutOptions{})
	put(blob.PutOptions{IfAbsent: true})
	if rc, _, err := s.Get(ctx, "a", blob.Range{}); err != nil || rc.Close() != nil {
		t.Fatal(err)
	}
	_, _, _ = s.Get(ctx, "none", blob.Range{}) //nolint:errcheck // told
	if _, err := s.Head(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutAbsent(ctx, []blob.Item{{Key: "b"}, {Key: "c"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, _ = s.Head(gone, "a") //nolint:errcheck // told
	for range s.List(ctx, "") {
		break
	}
	c.want(t, map[string]int{"put ok": 2, "put conflict": 1, "get ok": 1, "get absent": 1, "head ok": 1, "head canceled": 1, "delete ok": 1, "list ok": 1})
}

func TestFailuresThatPassAreToldApart(t *testing.T) {
	for want, err := range map[string]error{
		metered.Passing: &blob.Error{Op: "get", Err: errors.New("busy"), Retry: true},
		metered.Failed:  &blob.Error{Op: "get", Err: errors.New("denied")},
		metered.OK:      nil,
	} {
		if got := metered.Outcome(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

func TestALongListIsToldPageByPage(t *testing.T) {
	inner := folder(t)
	var items []blob.Item
	for i := range 2001 {
		items = append(items, blob.Item{Key: fmt.Sprintf("k/%05d", i)})
	}
	if _, err := inner.PutAbsent(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	c := &calls{}
	// A clock that only the caller's work moves: none of it may be counted as the store's.
	var clock time.Time
	var took time.Duration
	s := metered.New(inner, func() time.Time { return clock }, func(op, outcome string, d time.Duration) {
		c.tell(op, outcome, d)
		took += d
	})
	n := 0
	for _, err := range s.List(t.Context(), "k/") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		clock = clock.Add(time.Second)
	}
	if n != 2001 || took != 0 {
		t.Errorf("%d objects, %v counted as the store's", n, took)
	}
	c.want(t, map[string]int{"list ok": 3})
}

// one hides all but the methods of blob.Store.
type one struct{ blob.Store }

func TestABatchOfAStoreThatHasNoneIsToldObjectByObject(t *testing.T) {
	c := &calls{}
	inner := folder(t)
	s := metered.New(one{inner}, time.Now, c.tell)
	if n, err := s.PutAbsent(t.Context(), []blob.Item{{Key: "a"}, {Key: "b"}}); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if c.n["put ok"] != 2 {
		t.Errorf("told %v", slices.Sorted(maps.Keys(c.n)))
	}
	if _, _, err := s.OpenAt(t.Context(), "a"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("opened what cannot be opened: %v", err)
	}
}
