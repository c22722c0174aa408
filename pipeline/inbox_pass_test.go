package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

func queuedIn(t *testing.T, js jetstream.JetStream, stream string) int {
	t.Helper()
	s, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	return int(s.CachedInfo().State.Msgs)
}

func scan(t *testing.T, d Deps, js jetstream.JetStream) InboxPass {
	t.Helper()
	p, err := ScanInbox(t.Context(), d, js)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// drain takes everything that is queued, as the take stage does.
func drain(t *testing.T, d Deps, js jetstream.JetStream) {
	t.Helper()
	s, err := js.Stream(t.Context(), StreamTake)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for seq := info.State.FirstSeq; info.State.Msgs > 0 && seq <= info.State.LastSeq; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		task, err := decodeTask[TakeTask](m.Data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := takeOne(t, d, task); err != nil && fault.Of(err) != fault.Permanent {
			t.Fatal(err)
		}
		if err := s.DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPassAsksOnceForWhateverHasNoRecord(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	// Owners whose order with and without the slash differs, and one between the records of nobody's.
	for _, owner := range []string{"a", "a-b", "a0", "ann", "ann-b", "ann_b", "0", "zoe"} {
		for i := range 3 {
			s.put(t, fmt.Sprintf("inbox/%s/%d.json", owner, i), fmt.Sprint(owner, i))
		}
	}
	s.put(t, "inbox/root.json", "root")
	s.put(t, "inbox/No Owner/x", "x")
	s.putStrange("inbox/ann/tab\t.zip")
	const all = 8*3 + 3
	if p := scan(t, d, js); p.Asked != all || p.Drops != all {
		t.Fatalf("first pass: %+v", p)
	}
	if p := scan(t, d, js); p.Asked != 0 || p.Queued != all {
		t.Errorf("while all wait: %+v", p)
	}
	drain(t, d, js)
	if p := scan(t, d, js); p.Asked != 0 || p.Known != all || p.Removed != 0 {
		t.Errorf("when all are taken: %+v", p)
	}
	if n := queuedIn(t, js, StreamTake); n != 0 {
		t.Errorf("%d tasks are queued", n)
	}
	// What goes takes its record along; what comes is found.
	for _, key := range []string{"inbox/0/0.json", "inbox/a/1.json", "inbox/zoe/0.json", "inbox/zoe/1.json", "inbox/zoe/2.json", "inbox/root.json"} {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	s.put(t, "inbox/ann/new.json", "new")
	if p := scan(t, d, js); p.Asked != 1 || p.Removed != 6 || p.Known != all-6 {
		t.Errorf("after changes: %+v", p)
	}
	if p := scan(t, d, js); p.Removed != 0 {
		t.Errorf("records are removed twice: %+v", p)
	}
}

func TestPassWaitsForWhatIsNotComplete(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s.times[clockKey] = now
	s.put(t, "inbox/ann/f/x.json", "x")
	s.times["inbox/ann/f/x.json"] = now.Add(-time.Minute)
	if p := scan(t, d, js); p.Growing != 1 || p.Asked != 0 {
		t.Errorf("before: %+v", p)
	}
	s.times[clockKey] = now.Add(time.Minute)
	if p := scan(t, d, js); p.Growing != 0 || p.Asked != 1 {
		t.Errorf("after: %+v", p)
	}
}

func TestManyNewDropsOfOneOwnerDoNotFillTheSmallLane(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	d.Limits.OwnerSmall = 5
	for i := range 40 {
		s.put(t, fmt.Sprintf("inbox/ann/%d", i), "x")
	}
	s.put(t, "inbox/bob/1", "x")
	scan(t, d, js)
	small, err := queuedSubjects(t.Context(), js, StreamTake, "pam.take.small.>")
	if err != nil || len(small) != 6 {
		t.Errorf("%d in the small lane (%v), want 5 of one owner and 1 of the other", len(small), err)
	}
}

// requestCounter counts requests of a store.
type requestCounter struct {
	*shelf
	calls map[string]int
}

func (c requestCounter) Head(ctx context.Context, key string) (blob.Object, error) {
	c.calls["head"]++
	return c.shelf.Head(ctx, key)
}

func (c requestCounter) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	c.calls["get"]++
	return c.shelf.Get(ctx, key, r)
}

func (c requestCounter) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	c.calls["put"]++
	return c.shelf.Put(ctx, key, body, o)
}

func (c requestCounter) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	c.calls["list"]++
	return c.shelf.List(ctx, prefix)
}

func (c requestCounter) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	c.calls["list"]++
	return c.shelf.ListAll(ctx, prefix)
}

func TestPassOverKnownDropsIsListingsAlone(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	for i := range 50 {
		s.put(t, fmt.Sprintf("inbox/owner%d/export.zip", i), fmt.Sprint(i))
	}
	scan(t, d, js)
	drain(t, d, js)
	c := requestCounter{s, map[string]int{}}
	d.Store = c
	if p := scan(t, d, js); p.Known != 50 {
		t.Fatalf("%+v", p)
	}
	if c.calls["list"] != 3 || c.calls["get"] != 0 || c.calls["head"] != 1 || c.calls["put"] != 1 {
		t.Errorf("requests %v: want two listings, that of what is in nobody's inbox, and the clock", c.calls)
	}
}

func TestTwoPassesAtTheSameTimeAndAThousandTasksMakeOneDropEach(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	for i := range 100 {
		s.put(t, fmt.Sprintf("inbox/ann/%d.json", i), fmt.Sprint(i%10))
	}
	var g sync.WaitGroup
	for range 2 {
		g.Go(func() {
			if _, err := ScanInbox(t.Context(), d, js); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	drain(t, d, js)
	drops := map[string]bool{}
	for o, err := range d.Store.List(t.Context(), state.RequestPrefix("ann")) {
		if err != nil {
			t.Fatal(err)
		}
		r, ok := openRequestAt(o)
		drops[r.drop] = ok
	}
	if len(drops) != 10 {
		t.Errorf("requests for %d drops, want those of 10 contents", len(drops))
	}
	if p := scan(t, d, js); p.Known != 100 || p.Asked != 0 {
		t.Errorf("%+v", p)
	}
}

func TestDamagedRecordOfADropDoesNotStopThePass(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	s.put(t, "inbox/ann/a.json", "x")
	for _, key := range []string{"drops/ann/short.json", "drops/x", "drops/Not/" + state.Digest("x")[:32] + ".json", "drops/_/other"} {
		s.put(t, key, "{")
	}
	if p := scan(t, d, js); p.Asked != 1 || p.Removed != 0 {
		t.Errorf("%+v", p)
	}
}

func TestOneProcessAtATimeHasTheTurn(t *testing.T) {
	t.Parallel()
	js := broker(t)
	ctx := t.Context()
	first, ok, err := takeTurn(ctx, js, "x", "first", time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, ok, err := takeTurn(ctx, js, "x", "second", time.Minute); ok || err != nil {
		t.Errorf("the second has it, too (%v)", err)
	}
	if _, ok, err := takeTurn(ctx, js, "y", "second", time.Minute); !ok || err != nil {
		t.Errorf("another turn is not free (%v)", err)
	}
	// Kept for a second from the end on, it is free after that, whatever clocks say.
	ran := false
	if err := first.holding(ctx, "first", time.Minute, time.Second, func(context.Context) error { ran = true; return nil }); err != nil || !ran {
		t.Fatal(ran, err)
	}
	eventually(t, func() bool {
		_, ok, err := takeTurn(ctx, js, "x", "second", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	})
	// The first has lost it, and hears so when it tries to hold it.
	if err := first.hold(ctx, "first", time.Minute); err == nil || !strings.Contains(err.Error(), "hold turn") {
		t.Errorf("a turn that is lost was held: %v", err)
	}
}
