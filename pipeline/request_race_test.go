package pipeline

import (
	"context"
	"io"
	"iter"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// byHand is a worker whose messages are kept here and worked on when a test says so, in the order in which they came.
type byHand struct {
	*Worker
	queue []*nats.Msg
	seen  []*nats.Msg // all that were worked on
}

type kept struct {
	jetstream.JetStream
	to *byHand
}

func (k kept) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	switch strings.Split(m.Subject, ".")[1] {
	case "dlq":
		return k.JetStream.PublishMsg(ctx, m, opts...)
	case "drop":
	default:
		k.to.queue = append(k.to.queue, m)
	}
	return &jetstream.PubAck{}, nil
}

func newByHand(t *testing.T, d Deps, js jetstream.JetStream) *byHand {
	t.Helper()
	h := &byHand{}
	w, err := NewWorker(d, kept{js, h})
	if err != nil {
		t.Fatal(err)
	}
	h.Worker = w
	return h
}

func (h *byHand) deliver(t *testing.T, m *nats.Msg) {
	t.Helper()
	work := map[string]func(context.Context, []byte) error{telemetry.StageIngest: h.ingest, telemetry.StageExtract: h.extract, telemetry.StageAssemble: h.assemble}
	var err error
	for range 3 { // one who loses a race with another worker finds the work done the next time
		if err = work[strings.Split(m.Subject, ".")[1]](t.Context(), m.Data); err == nil {
			return
		}
	}
	t.Errorf("%s: %v", m.Subject, err)
}

// work goes on until no message is left.
func (h *byHand) work(t *testing.T) {
	t.Helper()
	for len(h.queue) > 0 {
		m := h.queue[0]
		h.queue = h.queue[1:]
		h.seen = append(h.seen, m)
		h.deliver(t, m)
	}
}

func (h *byHand) submit(t *testing.T, r state.Request) {
	t.Helper()
	if err := submit(t.Context(), h.Store, h.js, r, 0); err != nil {
		t.Fatal(err)
	}
}

// interrupted calls then before the request of a number, whatever it is.
type interrupted struct {
	blob.Store
	left *atomic.Int64
	then func()
}

func (s interrupted) request() {
	if s.left.Add(-1) == -1 {
		s.then()
	}
}

func (s interrupted) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	s.request()
	return s.Store.Put(ctx, key, body, o)
}

func (s interrupted) Delete(ctx context.Context, key string) error {
	s.request()
	return s.Store.Delete(ctx, key)
}

func (s interrupted) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	s.request()
	return s.Store.Get(ctx, key, r)
}

func (s interrupted) Head(ctx context.Context, key string) (blob.Object, error) {
	s.request()
	return s.Store.Head(ctx, key)
}

func (s interrupted) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	s.request()
	return s.Store.List(ctx, prefix)
}

func (s interrupted) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	return blob.PutEach(ctx, s, items, 1)
}

// dropped gives a drop of one conversation.
func dropped(t *testing.T, d Deps) string {
	t.Helper()
	rec, err := TakeIn(t.Context(), d.Store, "me", []string{zipOf(t, map[string]string{"conversations.json": manyConversations(1)})}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Drop
}

// asking asks for a drop by extractors of one name.
func asking(d Deps, drop, extractor string) state.Request {
	return state.Request{V: 1, Owner: "me", Ask: d.NewID(), Drop: drop, Extractors: []string{extractor}, Lane: state.LaneSmall}
}

// accepted tells the extractors of what the store has of a drop, and what is left of requests.
func accepted(t *testing.T, d Deps, drop string) (extractors string, requests []string) {
	t.Helper()
	id, err := acceptedImport(t.Context(), d.Store, "me", drop)
	if err != nil {
		t.Fatal(err)
	}
	if id != "" {
		m, _, err := state.ReadManifest(t.Context(), d.Store, "me", id)
		if err != nil {
			t.Fatal(err)
		}
		if r, ok, err := state.ReadReceipt(t.Context(), d.Store, "me", id); err != nil || !ok || r.State != state.StateDone {
			t.Errorf("what the store has of the drop has no receipt: %s, %v, %v", r.State, ok, err)
		}
		extractors, _, _ = strings.Cut(strings.TrimPrefix(strings.Join(m.Extractors, ","), "pamline-"), "/")
	}
	for o := range d.Store.List(t.Context(), state.RequestPrefix("me")) {
		requests = append(requests, o.Key)
	}
	return extractors, requests
}

// A request comes at every moment of the work for another one: it is done, and what is left to be done for the other changes
// nothing. The newer may be there only, or be done to its end meanwhile, as when a worker stands still; its message may be lost.
func TestARequestThatComesWhileAnotherIsWorkedOnIsDoneAndStays(t *testing.T) {
	js := broker(t)
	for name, c := range map[string]struct {
		first, second string
		done, lost    bool
		before        []string
	}{
		"it waits":                         {first: "harvest", second: "rules"},
		"it is done meanwhile":             {first: "harvest", second: "rules", done: true},
		"its message is lost":              {first: "harvest", second: "rules", lost: true},
		"it wants the same":                {first: "rules", second: "rules"},
		"the same, done meanwhile":         {first: "rules", second: "rules", done: true},
		"the same, its message lost":       {first: "rules", second: "rules", lost: true},
		"older results come back":          {first: "harvest", second: "rules", before: []string{"harvest", "rules"}},
		"older results, done meanwhile":    {first: "harvest", second: "rules", done: true, before: []string{"rules", "harvest", "rules"}},
		"older results, a message is lost": {first: "harvest", second: "rules", lost: true, before: []string{"harvest", "rules"}},
	} {
		t.Run(name, func(t *testing.T) {
			for n := int64(0); ; n++ {
				d := testDeps(t)
				d.Store = newMemory()
				drop := dropped(t, d)
				other := newByHand(t, d, js)
				first := asking(d, drop, c.first)
				for _, e := range c.before {
					other.submit(t, asking(d, drop, e))
					other.work(t)
				}
				var left atomic.Int64
				left.Store(n)
				came := false
				cut := d
				cut.Store = interrupted{d.Store, &left, func() {
					came = true
					other.submit(t, asking(d, drop, c.second))
					switch {
					case c.lost:
						other.queue = nil
					case c.done:
						other.work(t)
					}
				}}
				one := newByHand(t, cut, js)
				if err := submit(t.Context(), d.Store, one.js, first, 0); err != nil {
					t.Fatal(err)
				}
				one.work(t)
				if !came {
					if n < 30 {
						t.Fatalf("the work takes only %d requests: is it interrupted at all?", n)
					}
					break
				}
				other.work(t)
				if c.lost {
					if _, err := Reconcile(t.Context(), d, other.js); err != nil {
						t.Fatal(err)
					}
					other.work(t)
				}
				check := func(when string) {
					if got, left := accepted(t, d, drop); got != c.second || len(left) > 0 {
						t.Errorf("at request %d, %s: the store has what %q gives, want %q; requests left: %v", n, when, got, c.second, left)
					}
				}
				check("at the end")
				before := listing(t, d, "")
				for _, m := range append(other.seen, one.seen...) { // each of them once more
					other.deliver(t, m)
				}
				check("when all messages were delivered again")
				if after := listing(t, d, ""); !maps.Equal(before, after) {
					t.Errorf("at request %d: messages that were delivered again have written", n)
				}
				if t.Failed() {
					break
				}
			}
		})
	}
}
