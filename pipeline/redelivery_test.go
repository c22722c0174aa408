package pipeline

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// tallied counts what is written to a store.
type tallied struct {
	blob.Store
	puts, gets *atomic.Int64
}

func (c tallied) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	c.puts.Add(1)
	return c.Store.Put(ctx, key, body, o)
}

func (c tallied) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	c.gets.Add(1)
	return c.Store.Get(ctx, key, r)
}

// published counts messages, and loses the answer to one of them.
type published struct {
	jetstream.JetStream
	n, lose *atomic.Int64
}

var errLost = errors.New("the answer is lost")

func (p published) PublishMsg(ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	n := p.n.Add(1)
	ack, err := p.JetStream.PublishMsg(ctx, m, o...)
	if err == nil && n == p.lose.Load() {
		return nil, errLost
	}
	return ack, err
}

// A message of an import of fifty shards is delivered again after the work on it broke off at any write, or after any
// message was stored whose answer was lost: what is done is not done again, but for one shard.
func TestRedeliveryDoesAtMostOneShardAgain(t *testing.T) {
	t.Parallel()
	const shards = 50
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(shards)})
	type figures struct{ puts, gets, published int64 }
	run := func(cut, lose int64) (first, second figures) {
		r := newRig(t)
		defer r.js.Conn().Close()
		r.Limits.ShardItems, r.Limits.OwnerSmall, r.window = 1, 1000, 1000
		rec, err := TakeIn(t.Context(), r.Store, "me", []string{file}, r.Scratch)
		if err != nil {
			t.Fatal(err)
		}
		q := state.Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}
		if err := state.PutJSON(t.Context(), r.Store, state.RequestKey("me", rec.Drop), q); err != nil {
			t.Fatal(err)
		}
		body, err := state.EncodeJSON(q)
		if err != nil {
			t.Fatal(err)
		}
		whole := r.Store
		deliver := func(cut, lose int64) (f figures, err error) {
			var left, puts, gets, n, lost atomic.Int64
			left.Store(cut)
			lost.Store(lose)
			r.Store = tallied{whole, &puts, &gets}
			if cut >= 0 {
				r.Store = cutStore{r.Store, &left}
			}
			plain := r.Worker.js
			r.Worker.js = published{plain, &n, &lost}
			err = r.ingest(t.Context(), body)
			r.Worker.js = plain
			return figures{puts.Load(), gets.Load(), n.Load()}, err
		}
		if first, err = deliver(cut, lose); err != nil && !errors.Is(err, errCut) && !errors.Is(err, errLost) {
			t.Fatal(err)
		}
		if second, err = deliver(-1, 0); err != nil {
			t.Fatal(err)
		}
		queued, err := queuedSubjects(t.Context(), r.js, StreamExtract, "pam.extract.>")
		if err != nil || len(queued) != shards {
			t.Errorf("cut %d, lost %d: %d shards are queued (%v)", cut, lose, len(queued), err)
		}
		return first, second
	}
	once, again := run(-1, 0)
	t.Logf("at one go: %d writes, %d reads, %d messages; delivered again after its end: %d, %d, %d", once.puts, once.gets, once.published, again.puts, again.gets, again.published)
	if once.published != shards || again.puts > 1 || again.published != 0 { // the note of what the import reads is written again
		t.Errorf("%+v, then %+v", once, again)
	}
	for _, p := range []struct{ cut, lose int64 }{{1, 0}, {2, 0}, {3, 0}, {50, 0}, {51, 0}, {99, 0}, {100, 0}, {-1, 1}, {-1, 25}, {-1, 50}} {
		first, second := run(p.cut, p.lose)
		t.Logf("broken off after write %d or message %d: %d writes, %d messages; then %d, %d reads, %d", p.cut, p.lose, first.puts, first.published, second.puts, second.gets, second.published)
		// A shard is a pack and its list.
		if second.puts > once.puts-first.puts+2 || first.published+second.published > shards+1 {
			t.Errorf("broken off after write %d or message %d: %d and %d writes for %d, %d and %d messages for %d", p.cut, p.lose,
				first.puts, second.puts, once.puts, first.published, second.published, shards)
		}
	}
}

func TestExtractMessageThatComesAgainQueuesNothingTwice(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.Limits.ShardItems, r.Limits.OwnerSmall = 1, 1000
	m, _ := ingested(t, r.Deps, "me", zipOf(t, map[string]string{"conversations.json": manyConversations(3)}))
	var puts, gets, n, lost atomic.Int64
	r.Store = tallied{r.Store, &puts, &gets}
	r.Worker.js = published{r.Worker.js, &n, &lost}
	for _, s := range m.Shards {
		body, err := state.EncodeJSON(state.ExtractTask{V: 1, Owner: "me", Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Lane: state.LaneSmall})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.extract(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	if puts.Load() != 0 || n.Load() > int64(len(m.Shards)) {
		t.Errorf("%d writes and %d messages", puts.Load(), n.Load())
	}
}
