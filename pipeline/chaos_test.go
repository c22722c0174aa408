package pipeline

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// repeating is a JetStream that publishes many messages again later, in another order.
type repeating struct {
	jetstream.JetStream
	mu    sync.Mutex
	r     *rand.Rand
	again []string
	body  map[string][]byte
	n     atomic.Int64
	count *sync.Map
}

func (c *repeating) Publish(ctx context.Context, subject string, data []byte, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	c.n.Add(1)
	if v, _ := c.count.LoadOrStore(strings.Split(subject, ".")[1], new(atomic.Int64)); v != nil {
		v.(*atomic.Int64).Add(1)
	}
	ack, err := c.JetStream.Publish(ctx, subject, data, o...)
	if strings.HasPrefix(subject, "pam.dlq") {
		return ack, err
	}
	c.mu.Lock()
	if c.body == nil {
		c.body = map[string][]byte{}
	}
	key := fmt.Sprintf("%s#%d", subject, len(c.again))
	c.again = append(c.again, key)
	c.body[key] = data
	var resend []string
	if c.r.IntN(3) == 0 {
		resend = append(resend, c.again[c.r.IntN(len(c.again))])
	}
	bodies := make([][]byte, len(resend))
	for i, k := range resend {
		bodies[i] = c.body[k]
	}
	c.mu.Unlock()
	for i, k := range resend {
		s, _, _ := strings.Cut(k, "#")
		if _, err := c.JetStream.Publish(ctx, s, bodies[i]); err != nil {
			return nil, err
		}
	}
	return ack, err
}

func TestThreeWorkersAndRepeatedMessages(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range 4 {
		text := manyConversations(20 + 5*i) // overlapping
		files = append(files, zipOf(t, map[string]string{
			"conversations.json": strings.ReplaceAll(text, "Talk 3\"", fmt.Sprintf("Talk 3 as of %d\"", i)),
			"notes.json":         fmt.Sprintf(`[{"id":"n","files":["files/a","files/b"],"inside":["in %d"]},{"record":{"kind":"memory","text":"User keeps %d bees."}}]`, i, i),
			"files/a":            "the same everywhere", "files/b": fmt.Sprintf("of drop %d", i),
		}))
	}
	small := func(d Deps) Deps {
		d.Limits.ShardItems = 3
		chats, err := providers.Default().ByName("chatgpt")
		if err != nil {
			t.Fatal(err)
		}
		d.Registry = providers.NewRegistry(chats, notes{name: "notes"})
		return d
	}
	d := small(testDeps(t))
	for _, f := range files {
		if _, err := runStages(t, d, f); err != nil {
			t.Fatal(err)
		}
	}
	want := outcome(t, d.Store)
	wantHead := checkHead(t, d, "me")

	for seed := range uint64(2) {
		d := small(testDeps(t))
		plain := broker(t)
		js := &repeating{JetStream: plain, r: rand.New(rand.NewPCG(seed, 9)), count: new(sync.Map)}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		var swaps atomic.Int64
		for range 3 {
			dd := d
			dd.Observe = func(e telemetry.Event) {
				if e.Stage == telemetry.StageAssemble {
					swaps.Add(1)
				}
			}
			w, err := newImpatient(dd, js)
			if err != nil {
				t.Fatal(err)
			}
			w.embedded = true
			w.window = 2
			wg.Go(func() {
				if err := w.Run(ctx, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble); err != nil {
					t.Error(err)
				}
			})
		}
		for _, f := range files {
			rec, err := TakeIn(ctx, d.Store, "me", []string{f}, d.Scratch)
			if err != nil {
				t.Fatal(err)
			}
			if err := Submit(ctx, d.Store, js, state.Request{V: 1, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall}); err != nil {
				t.Fatal(err)
			}
		}
		idle := func() bool {
			for _, name := range []string{StreamIngest, StreamExtract, StreamAssemble} {
				s, err := plain.Stream(ctx, name)
				if err != nil {
					t.Fatal(err)
				}
				if s.CachedInfo().State.Msgs > 0 {
					return false
				}
			}
			return true
		}
		deadline := time.Now().Add(5 * time.Minute)
		for !idle() {
			if time.Now().After(deadline) {
				t.Error("not idle")
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
		wg.Wait()
		js.count.Range(func(k, v any) bool {
			t.Logf("seed %d: %v messages of %v", seed, v.(*atomic.Int64).Load(), k)
			return true
		})
		t.Logf("seed %d: %d assemblies for %d imports", seed, swaps.Load(), len(files))
		h := checkHead(t, d, "me")
		if h.Memories != wantHead.Memories || h.Index != wantHead.Index || h.Inputs != wantHead.Inputs {
			t.Errorf("seed %d: another head: %+v, want %+v", seed, h, wantHead)
		}
		got := outcome(t, d.Store)
		keep := func(m map[string]string) map[string]string {
			out := map[string]string{}
			for k, v := range m {
				if !strings.Contains(k, "/exports/") && !strings.Contains(k, "/inputs/") && !strings.Contains(k, "/conversations/") {
					out[k] = v
				}
			}
			return out
		}
		g, w := keep(got), keep(want)
		if !maps.Equal(g, w) {
			for k := range g {
				if g[k] != w[k] {
					t.Errorf("seed %d: %s differs or is too much", seed, k)
				}
			}
			for k := range w {
				if _, ok := g[k]; !ok {
					t.Errorf("seed %d: %s is missing", seed, k)
				}
			}
		}
		dl, _ := plain.Stream(t.Context(), StreamDLQ)
		if n := dl.CachedInfo().State.Msgs; n > 0 {
			t.Errorf("seed %d: %d dead letters", seed, n)
		}
		if t.Failed() {
			break
		}
	}
}
