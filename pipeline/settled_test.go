package pipeline

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// undeletable fails the first removal of a marker.
type undeletable struct {
	blob.Store
	hit *atomic.Bool
}

func (u undeletable) Delete(ctx context.Context, key string) error {
	if strings.Contains(key, "/markers/") && !u.hit.Swap(true) {
		return &blob.Error{Op: "delete", Key: key, Retry: true, Err: errFlaky}
	}
	return u.Store.Delete(ctx, key)
}

func TestImportEndsAlthoughTidyingUpFailedOnce(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Store = undeletable{d.Store, new(atomic.Bool)}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	l, err := OpenLocal(ctx, d, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	work, stopWork := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(work) }()
	rec, err := TakeIn(ctx, d.Store, "me", []string{zipOf(t, map[string]string{"conversations.json": twoConversations})}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	events, stop := l.Watch("me", rec.Drop)
	defer stop()
	req := state.Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}
	if err := l.Submit(ctx, req); err != nil {
		t.Fatal(err)
	}
	r, err := l.Wait(ctx, events, req, 3)
	if err != nil || r.State != state.StateDone || !r.Store.Published {
		t.Errorf("the import does not end: %v, %+v", err, r)
	}
	stopWork()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
