package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// hooked does something once, before or behind an operation on a key.
type hooked struct {
	blob.Store
	mu    sync.Mutex
	hooks map[string]func() error // "before put KEY"
}

func (h *hooked) do(when, what, key string) error {
	h.mu.Lock()
	hook := h.hooks[when+" "+what+" "+key]
	delete(h.hooks, when+" "+what+" "+key)
	h.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook()
}

func (h *hooked) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if err := h.do("before", "get", key); err != nil {
		return nil, blob.Object{}, err
	}
	rc, o, err := h.Store.Get(ctx, key, r)
	if bad := h.do("after", "get", key); bad != nil {
		return nil, o, bad
	}
	return rc, o, err
}

func (h *hooked) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if err := h.do("before", "put", key); err != nil {
		return blob.Object{}, err
	}
	obj, err := h.Store.Put(ctx, key, body, o)
	if err != nil {
		return obj, err
	}
	return obj, h.do("after", "put", key)
}

// contested is an import of two shards, of which one is in two workers' hands.
type contested struct {
	*rig
	t        *testing.T
	owner    string
	m        state.Manifest
	shard    string
	msg      jetstream.Msg // of that shard
	assembly []byte
}

// contests gives as many as are asked for, each of an owner of its own: they share a broker.
func contests(t *testing.T) (next func(*testing.T) *contested) {
	t.Helper()
	d := testDeps(t)
	d.Limits.ShardItems = 3
	r := newRigOf(t, d)
	n := 0
	return func(t *testing.T) *contested {
		t.Helper()
		n++
		return newContested(t, &rig{Worker: r.Worker, js: r.js}, fmt.Sprintf("owner-%d", n))
	}
}

func newContested(t *testing.T, r *rig, owner string) *contested {
	t.Helper()
	d := r.Deps
	purge(t, r.js, StreamExtract)
	rec, err := TakeIn(t.Context(), r.Store, owner, []string{zipOf(t, map[string]string{"conversations.json": manyConversations(6)})}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	q := state.Request{V: state.MessageVersion, Owner: owner, Drop: rec.Drop, Lane: state.LaneSmall}
	if err := state.PutJSON(t.Context(), r.Store, state.RequestKey(owner, rec.Drop), q); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ingest(t.Context(), body); err != nil {
		t.Fatal(err)
	}
	begun, err := importsOf(t.Context(), r.Store, owner)
	if err != nil || len(begun[rec.Drop]) != 1 {
		t.Fatal(begun, err)
	}
	c := &contested{rig: r, t: t, owner: owner}
	if c.m, _, err = state.ReadManifest(t.Context(), r.Store, owner, begun[rec.Drop][0].id); err != nil || len(c.m.Shards) != 2 {
		t.Fatal(c.m, err)
	}
	c.shard = c.m.Shards[1].ID
	consumer, err := r.js.Consumer(t.Context(), StreamExtract, "extract-small")
	if err != nil {
		t.Fatal(err)
	}
	msgs, err := consumer.Fetch(2)
	if err != nil {
		t.Fatal(err)
	}
	for msg := range msgs.Messages() {
		if err := msg.Ack(); err != nil {
			t.Fatal(err)
		}
		if telemetry.UnitOf(msg.Data()).Shard == c.shard {
			c.msg = msg
		} else if err := r.extract(t.Context(), msg.Data()); err != nil {
			t.Fatal(err)
		}
	}
	c.assembly, err = json.Marshal(AssembleTask{V: state.MessageVersion, Owner: owner, Drop: c.m.Drop, Import: c.m.Import, Ask: q.Name()})
	if err != nil || c.msg == nil {
		t.Fatal(c.msg, err)
	}
	return c
}

// slow is a worker that something happens to.
func (c *contested) slow(hooks map[string]func() error) *Worker {
	w := *c.Worker
	w.Store = &hooked{Store: c.Store, hooks: hooks}
	return &w
}

func (c *contested) marker() string { return state.MarkerKey(c.owner, c.m.Import, c.shard) }

// begin has a slow worker come as far as the marker of the shard; goOn has it write that, and waits until it has ended.
func (c *contested) begin() (goOn func() error) {
	reached, released, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	slow := c.slow(map[string]func() error{"before put " + c.marker(): func() error {
		close(reached)
		<-released
		return nil
	}})
	go func() { ended <- slow.extract(c.t.Context(), c.msg.Data()) }()
	<-reached
	return func() error {
		close(released)
		return <-ended
	}
}

func (c *contested) stage() stage {
	return stage{name: telemetry.StageExtract, giveUp: c.giveUpExtract, end: c.endExtract}
}

// giveUp is another worker, who gives the shard up.
func (c *contested) giveUp() error {
	return c.bury(c.t.Context(), c.stage(), c.msg, errCut, 3)
}

// end assembles as long as somebody asks for it.
func (c *contested) end() error { return c.endBy(c.Worker) }

func (c *contested) endBy(w *Worker) error {
	for queuedIn(c.t, c.js, StreamAssemble) > 0 {
		purge(c.t, c.js, StreamAssemble)
		if err := w.assemble(c.t.Context(), c.assembly); err != nil {
			return err
		}
	}
	return nil
}

// agree checks that receipt, store and dead letters say the same.
func (c *contested) agree(phase string, memories int64, letters int) {
	c.t.Helper()
	r, ended, err := state.ReadReceipt(c.t.Context(), c.Store, c.owner, c.m.Import)
	if err != nil || !ended || r.State != phase || (len(r.Extraction.Failed) == 0) != (phase == state.StateDone) {
		c.t.Errorf("the receipt says %s, failed %+v (%v)", r.State, r.Extraction.Failed, err)
	}
	head, _, err := state.ReadHead(c.t.Context(), c.Store, c.owner)
	if err != nil || head.MemoryCount != memories {
		c.t.Errorf("the store has %d memories, want %d (%v)", head.MemoryCount, memories, err)
	}
	n := 0
	for _, l := range c.letters(c.t) {
		if l.Owner == c.owner {
			n++
		}
	}
	if n != letters {
		c.t.Errorf("%d letters, want %d", n, letters)
	}
	for o, err := range c.Store.List(c.t.Context(), state.WorkKey(c.owner, c.m.Import, "markers/")) {
		if phase == state.StateDone || err != nil {
			c.t.Errorf("%s is left behind (%v)", o.Key, err)
		}
	}
}

// A worker is slow with a shard; another gives the shard up, and the import ends without it, at any moment of the first.
func TestShardThatIsDoneAfterItWasGivenUpHealsItsImport(t *testing.T) {
	next := contests(t)
	for _, when := range []string{"after get marker", "before put candidates", "before put marker", "after put marker"} {
		for name, others := range map[string]func(c *contested) (now, then func() error){
			"given up": func(c *contested) (_, _ func() error) { return c.giveUp, c.end },
			"given up, and ended": func(c *contested) (_, _ func() error) {
				return func() error { return errors.Join(c.giveUp(), c.end()) }, c.end
			},
			"given up twice": func(c *contested) (_, _ func() error) {
				return func() error { return errors.Join(c.giveUp(), c.end()) }, func() error { return errors.Join(c.end(), c.giveUp()) }
			},
			"the letter was written": func(c *contested) (_, _ func() error) {
				return func() error { return c.writeLetter(t.Context(), c.stage(), c.msg, errCut, 3) },
					func() error { return errors.Join(c.endExtract(t.Context(), c.msg.Data(), errCut), c.end()) }
			},
			"the letter was written, the end is late": func(c *contested) (_, _ func() error) {
				return func() error { return c.writeLetter(t.Context(), c.stage(), c.msg, errCut, 3) },
					func() error { return errors.Join(c.end(), c.endExtract(t.Context(), c.msg.Data(), errCut)) }
			},
		} {
			t.Run(when+" "+name, func(t *testing.T) {
				c := next(t)
				now, then := others(c)
				keys := map[string]string{"marker": c.marker(), "candidates": state.CandidatesKey(c.owner, c.m.Import, c.shard)}
				at := when
				for word, key := range keys {
					if i := len(when) - len(word); when[i:] == word {
						at = when[:i] + key
					}
				}
				if err := c.slow(map[string]func() error{at: now}).extract(t.Context(), c.msg.Data()); err != nil {
					t.Fatal(err)
				}
				if err := then(); err != nil {
					t.Fatal(err)
				}
				c.agree(state.StateDone, 6, 0)
			})
		}
	}
}

// A shard was given up; it is done while an assembler is ending the import without it.
func TestShardThatIsDoneWhileItsImportEndsHealsIt(t *testing.T) {
	next := contests(t)
	for name, when := range map[string]func(c *contested) string{
		"its marker was read":                func(c *contested) string { return "after get " + c.marker() },
		"the store is about to be swapped":   func(c *contested) string { return "before put " + state.HeadKey(c.owner) },
		"the store was swapped":              func(c *contested) string { return "after put " + state.HeadKey(c.owner) },
		"the receipt is about to be written": func(c *contested) string { return "before put " + state.ReceiptKey(c.owner, c.m.Import) },
		"the receipt was written":            func(c *contested) string { return "after put " + state.ReceiptKey(c.owner, c.m.Import) },
	} {
		for _, faster := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				c := next(t)
				goOn := c.begin()
				if err := c.giveUp(); err != nil {
					t.Fatal(err)
				}
				assembler := c.slow(map[string]func() error{when(c): func() error {
					err := goOn()
					if faster { // another assembler is done before the first goes on
						err = errors.Join(err, c.end())
					}
					return err
				}})
				if err := c.endBy(assembler); err != nil {
					t.Fatal(err)
				}
				if err := c.end(); err != nil {
					t.Fatal(err)
				}
				c.agree(state.StateDone, 6, 0)
			})
		}
	}
}

// The slow worker is killed, before it has written its marker or behind that. What it has left does not count, whatever else is
// taken into the store, until the letter is redriven.
func TestWhatAKilledWorkerLeftOfAShardThatWasGivenUpDoesNotCount(t *testing.T) {
	next := contests(t)
	for name, hooks := range map[string]func(c *contested, lost func() error) map[string]func() error{
		"before its marker": func(c *contested, lost func() error) map[string]func() error {
			return map[string]func() error{"before put " + c.marker(): func() error { return errors.Join(lost(), errCut) }}
		},
		"behind its marker": func(c *contested, lost func() error) map[string]func() error {
			return map[string]func() error{"before put " + c.marker(): lost, "after put " + c.marker(): func() error { return errCut }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := next(t)
			lost := func() error { return errors.Join(c.giveUp(), c.end()) }
			if err := c.slow(hooks(c, lost)).extract(t.Context(), c.msg.Data()); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			if there, err := state.Exists(t.Context(), c.Store, state.CandidatesKey(c.owner, c.m.Import, c.shard)); err != nil || !there {
				t.Fatal(there, err)
			}
			c.agree(state.StateLosses, 3, 1)
			_, task := ingested(t, c.Deps, c.owner, zipOf(t, map[string]string{"conversations.json": twoConversations}))
			if _, err := Assemble(t.Context(), c.Deps, c.owner, []AssembleTask{task}); err != nil {
				t.Fatal(err)
			}
			c.agree(state.StateLosses, 3, 1)

			letters := NewLetters(c.Deps, c.js)
			for one, err := range letters.List(t.Context(), LetterFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				if out, err := letters.Redrive(t.Context(), one); err != nil || out.Outcome != RedriveQueued || out.Drop != c.m.Drop {
					t.Errorf("%+v, %v", out, err)
				}
			}
			if err := c.extract(t.Context(), c.msg.Data()); err != nil {
				t.Fatal(err)
			}
			if err := c.end(); err != nil {
				t.Fatal(err)
			}
			c.agree(state.StateDone, 6, 0)
		})
	}
}
