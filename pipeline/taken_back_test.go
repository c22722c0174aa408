package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// actor does something up to a number of writes to its store, and stands still before the next until it may go on.
type actor struct {
	blob.Store
	do                func()
	begun             bool
	arrived, on, done chan struct{}
	held              bool // it stands before a write
}

func newActor(s blob.Store) *actor {
	return &actor{Store: s, arrived: make(chan struct{}), on: make(chan struct{})}
}

// run tells whether it has ended.
func (a *actor) run(writes int) bool {
	if !a.begun {
		a.begun, a.done = true, make(chan struct{})
		go func() {
			defer close(a.done)
			a.do()
		}()
	}
	for {
		if a.held {
			if writes == 0 {
				return false
			}
			writes--
			a.held = false
			a.on <- struct{}{}
		}
		select {
		case <-a.arrived:
			a.held = true
		case <-a.done:
			a.begun = false
			return true
		}
	}
}

func (a *actor) write() {
	if a.begun {
		a.arrived <- struct{}{}
		<-a.on
	}
}

func (a *actor) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	a.write()
	return a.Store.Put(ctx, key, body, o)
}

func (a *actor) Delete(ctx context.Context, key string) error {
	a.write()
	return a.Store.Delete(ctx, key)
}

func (a *actor) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	return blob.PutEach(ctx, a, items, 1)
}

func (a *actor) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return a.Store.List(ctx, prefix)
}

// lossy is an import of two shards, which has ended without some of them.
type lossy struct {
	Deps
	store   *memory
	drop    string
	id      string
	shards  []string
	letters []Letter
	queue   []*nats.Msg
}

func newLossy(t *testing.T, h *byHand, store *memory, failed int, open bool) *lossy {
	t.Helper()
	l := &lossy{Deps: h.Deps, store: store, drop: dropOfText(t, h.Deps, manyConversations(2))}
	h.submit(t, asking(h.Deps, l.drop, "harvest"))
	h.one(t)
	for i, m := range h.queue {
		if i >= failed {
			break
		}
		st := stage{telemetry.StageExtract, h.extract, h.giveUpExtract, h.endExtract}
		if err := h.bury(t.Context(), st, heldMessage{subject: m.Subject, body: m.Data}, errCut, 3); err != nil {
			t.Fatal(err)
		}
		l.shards = append(l.shards, telemetry.UnitOf(m.Data).Shard)
		l.id = telemetry.UnitOf(m.Data).Import
	}
	h.queue = h.queue[failed:]
	if l.queue = h.queue; !open {
		h.work(t)
		l.queue = nil
		if wrong := l.Check(t, state.StateLosses); len(wrong) > 0 {
			t.Fatal(wrong)
		}
	}
	for one, err := range NewLetters(h.Deps, h.js).List(t.Context(), LetterFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		l.letters = append(l.letters, one)
	}
	if len(l.letters) != failed {
		t.Fatalf("%d letters", len(l.letters))
	}
	return l
}

// check tells what is wrong with the end.
func (l *lossy) Check(t *testing.T, phase string) (wrong []string) {
	t.Helper()
	r, ended, err := state.ReadReceipt(t.Context(), l.store, "me", l.id)
	if err != nil || !ended || r.State != phase {
		wrong = append(wrong, fmt.Sprintf("the receipt says %q, there %t (%v)", r.State, ended, err))
	}
	if phase != state.StateDone {
		return wrong
	}
	if bytes.Contains(l.store.objects[state.ReceiptKey("me", l.id)].body, []byte(`"reopened"`)) {
		wrong = append(wrong, "the receipt is reopened")
	}
	head, _, err := state.ReadHead(t.Context(), l.store, "me")
	if err != nil || head.MemoryCount != 2 {
		wrong = append(wrong, fmt.Sprintf("the store has %d memories (%v)", head.MemoryCount, err))
	}
	for o := range l.store.List(t.Context(), "work/") {
		wrong = append(wrong, o.Key+" is left")
	}
	return wrong
}

// again is the import as it was at its end, in a store of its own, and with its letters.
func (l *lossy) again(t *testing.T, h *byHand) (*lossy, []Letter) {
	t.Helper()
	purge(t, h.js, StreamDLQ)
	c := *l
	c.store = newMemory()
	c.store.at, c.store.objects = l.store.at, maps.Clone(l.store.objects)
	c.Store = c.store
	var letters []Letter
	for _, one := range l.letters {
		body, err := json.Marshal(one.DeadLetter)
		if err != nil {
			t.Fatal(err)
		}
		if err := send(t.Context(), h.js, one.subject, body); err != nil {
			t.Fatal(err)
		}
	}
	for one, err := range NewLetters(h.Deps, h.js).List(t.Context(), LetterFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		letters = append(letters, one)
	}
	return &c, letters
}

// leg is a stretch of somebody's way: so many writes.
type leg struct {
	who    byte // a and b ask, w works on the messages
	writes int
	step   byte // n or m: the number of writes is tried from 0 up to all that there are
}

// ways are families of interleavings of two askers and a worker: two of them stand still before each of their writes, while the
// others go on.
var ways = []func(n, m int) []leg{
	func(n, m int) []leg {
		return []leg{{'a', n, 'n'}, {'b', m, 'm'}, {'w', all, 0}, {'a', all, 0}, {'w', all, 0}, {'b', all, 0}}
	},
	func(n, m int) []leg {
		return []leg{{'a', n, 'n'}, {'b', m, 'm'}, {'w', all, 0}, {'b', all, 0}, {'w', all, 0}, {'a', all, 0}}
	},
	func(n, m int) []leg {
		return []leg{{'a', all, 0}, {'w', n, 'n'}, {'b', m, 'm'}, {'w', all, 0}, {'b', all, 0}}
	},
	func(n, m int) []leg { return []leg{{'b', m, 'm'}, {'a', all, 0}, {'w', n, 'n'}, {'b', all, 0}} },
}

// waysOfOpen are those of an import that the worker has not ended yet.
var waysOfOpen = []func(n, m int) []leg{
	func(n, m int) []leg {
		return []leg{{'w', n, 'n'}, {'a', all, 0}, {'b', m, 'm'}, {'w', all, 0}, {'b', all, 0}}
	},
	func(n, m int) []leg {
		return []leg{{'w', n, 'n'}, {'a', m, 'm'}, {'b', all, 0}, {'w', all, 0}, {'a', all, 0}}
	},
	func(n, m int) []leg {
		return []leg{{'a', n, 'n'}, {'w', m, 'm'}, {'a', all, 0}, {'w', all, 0}, {'b', all, 0}}
	},
	func(n, m int) []leg {
		return []leg{{'b', all, 0}, {'a', n, 'n'}, {'w', m, 'm'}, {'a', all, 0}, {'w', all, 0}}
	},
}

// all is to the end.
const all = 1 << 30

// walk lets askers and a worker go a way, then to their ends. It tells of each leg whether it came to an end.
func walk(t *testing.T, w *byHand, store *actor, askers map[byte]*actor, way []leg) (ended map[byte]bool) {
	t.Helper()
	ended = map[byte]bool{}
	store.do = func() { w.work(t) }
	for _, l := range append(way, leg{who: 'a', writes: all}, leg{who: 'b', writes: all}, leg{who: 'w', writes: all}) {
		who := askers[l.who]
		if l.who == 'w' {
			who = store
		}
		switch {
		case who == nil || who.do == nil, l.who == 'w' && !who.begun && len(w.queue) == 0:
			ended[l.step] = true
		case who.run(l.writes):
			ended[l.step] = true
			if l.who != 'w' {
				who.do = nil
			}
		}
	}
	return ended
}

// Two people ask for what has failed in one import, at every moment of each other and of the worker: nobody takes away what another
// has written since, and the import is healed, all requests have ended and no letter is left, without a later pass.
func TestWhatFailedIsHealedWhoeverAsksForItMeanwhile(t *testing.T) {
	js := broker(t)
	for name, c := range map[string]struct {
		failed int
		open   bool
		b      func(l *lossy, h *byHand, letters []Letter)
	}{
		"the same shard":                {1, false, func(l *lossy, h *byHand, letters []Letter) { h.redrive(t, letters[0]) }},
		"another shard":                 {2, false, func(l *lossy, h *byHand, letters []Letter) { h.redrive(t, letters[1]) }},
		"another shard, before the end": {2, true, func(l *lossy, h *byHand, letters []Letter) { h.redrive(t, letters[1]) }},
		"the same drop": {2, false, func(l *lossy, h *byHand, _ []Letter) {
			h.submit(t, asking(h.Deps, l.drop, "harvest"))
			to := h.js.(kept).to
			m := to.queue[len(to.queue)-1]
			to.queue = to.queue[:len(to.queue)-1]
			h.deliver(t, m)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := testDeps(t)
			d.Limits.ShardItems = 1
			store := newMemory()
			d.Store = store
			before := newLossy(t, newByHand(t, d, js), store, c.failed, c.open)
			tried, families := 0, ways
			if c.open {
				families = waysOfOpen
			}
			for i, family := range families {
				for n, last := 0, false; !last; n++ {
					for m, end := 0, false; !end; m++ {
						l, letters := before.again(t, newByHand(t, d, js))
						w, at := newStepped(t, l.Deps, js, nil)
						w.queue = slices.Clone(before.queue)
						a, one := newStepped(t, l.Deps, js, w)
						b, two := newStepped(t, l.Deps, js, w)
						one.do = func() { a.redrive(t, letters[0]) }
						two.do = func() { c.b(l, b, letters) }
						ended := walk(t, w, at, map[byte]*actor{'a': one, 'b': two}, family(n, m))
						end, last = ended['m'], last || m == 0 && ended['n']
						tried++
						if wrong := append(l.Check(t, state.StateDone), lettersLeft(t, w)...); len(wrong) > 0 {
							t.Fatalf("family %d, n=%d, m=%d: %s", i, n, m, strings.Join(wrong, "\n"))
						}
					}
				}
			}
			t.Logf("%d interleavings", tried)
			if tried < 100 {
				t.Errorf("only %d interleavings were tried: does anybody stand still?", tried)
			}
		})
	}
}

// newStepped is a worker whose writes are held back; its messages are those of another one, or, with nil, its own.
func newStepped(t *testing.T, d Deps, js jetstream.JetStream, to *byHand) (*byHand, *actor) {
	t.Helper()
	a := newActor(d.Store)
	d.Store, d.Log = a, zap.NewNop()
	h := newByHand(t, d, js)
	if to != nil {
		h.js = kept{js, to}
	}
	return h, a
}

func (h *byHand) redrive(t *testing.T, one Letter) {
	t.Helper()
	if _, err := NewLetters(h.Deps, h.js).Redrive(t.Context(), one); err != nil {
		t.Error(err)
	}
}

func lettersLeft(t *testing.T, h *byHand) (left []string) {
	t.Helper()
	for one, err := range NewLetters(h.Deps, h.js).List(t.Context(), LetterFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, "the letter of shard "+one.Shard+" is left")
	}
	return left
}
