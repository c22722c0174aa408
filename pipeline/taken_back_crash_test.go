package pipeline

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Who asks for what has failed is killed before any of their writes, or the worker is, and the messages are lost with them. The next
// pass goes on, or the letter is there to be redriven. All the time there is a receipt.
func TestWhatFailedIsHealedWhoeverIsKilledMeanwhile(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	d.Limits.ShardItems = 1
	store := newMemory()
	d.Store = store
	before := newLossy(t, newByHand(t, d, js), store, 2, false)
	for name, ask := range map[string]func(h *byHand, letters []Letter) error{
		"letters": func(h *byHand, letters []Letter) error {
			for _, one := range letters {
				if _, err := NewLetters(h.Deps, h.js).Redrive(t.Context(), one); err != nil {
					return err
				}
			}
			return nil
		},
		"the drop": func(h *byHand, _ []Letter) error {
			return submit(t.Context(), h.Store, h.js, asking(d, before.drop, "harvest"), 0)
		},
	} {
		for _, killed := range []string{"asker", "worker"} {
			t.Run(name+", the "+killed+" is killed", func(t *testing.T) {
				for n, ended := 0, false; !ended; n++ {
					l, letters := before.again(t, newByHand(t, d, js))
					var left atomic.Int64
					left.Store(int64(n))
					cut := l.Deps
					cut.Store = cutStore{l.store, &left}
					well := newByHand(t, l.Deps, js)
					asker, worker := well, well
					if killed == "asker" {
						asker = newByHand(t, cut, js)
						asker.js = kept{js, well}
					} else {
						worker = newByHand(t, cut, js)
						worker.queue, asker.js = nil, kept{js, worker}
					}
					err := ask(asker, letters)
					if err == nil {
						err = worker.workUntil(t.Context())
					}
					if ended = err == nil; !ended && !errors.Is(err, errCut) {
						t.Fatal(err)
					}
					if !ended {
						if r, there, err := state.ReadReceipt(t.Context(), l.store, "me", l.id); err != nil || !there || r.State != state.StateDone && r.State != state.StateLosses {
							t.Fatalf("n=%d: there is a receipt: %t, %s (%v)", n, there, r.State, err)
						}
						l.recover(t, newByHand(t, l.Deps, js))
					}
					if wrong := append(l.Check(t, state.StateDone), lettersLeft(t, well)...); len(wrong) > 0 {
						t.Fatalf("n=%d: %s", n, strings.Join(wrong, "\n"))
					}
				}
			})
		}
	}
}

// An import that was given up while it was assembled names no shard: who asks for its drop again has all tried that failed.
func TestWhatFailedBeforeAnAssemblyThatFailedIsTriedAgainWithIt(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	d.Limits.ShardItems = 1
	store := newMemory()
	d.Store = store
	h := newByHand(t, d, js)
	l := newLossy(t, h, store, 2, false)
	h.redrive(t, l.letters[0])
	for !strings.HasPrefix(h.queue[0].Subject, "pam.assemble.") {
		h.one(t)
	}
	st := stage{telemetry.StageAssemble, h.assemble, h.giveUpAssemble, h.endAssemble}
	m := h.queue[0]
	h.queue = nil
	if err := h.bury(t.Context(), st, heldMessage{subject: m.Subject, body: m.Data}, errCut, 3); err != nil {
		t.Fatal(err)
	}
	if wrong := l.Check(t, state.StateFailed); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	h.submit(t, asking(d, l.drop, "harvest"))
	h.work(t)
	if wrong := l.Check(t, state.StateDone); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

// recover does what a pass and a person do who find things half done, and no message.
func (l *lossy) recover(t *testing.T, h *byHand) {
	t.Helper()
	for range 2 {
		if _, err := Reconcile(t.Context(), l.Deps, h.js); err != nil {
			t.Fatal(err)
		}
		h.work(t)
	}
	for one, err := range NewLetters(h.Deps, h.js).List(t.Context(), LetterFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		h.redrive(t, one)
	}
	h.work(t)
}

// workUntil works on all messages, up to the first error.
func (h *byHand) workUntil(ctx context.Context) error {
	work := map[string]func(context.Context, []byte) error{telemetry.StageIngest: h.ingest, telemetry.StageExtract: h.extract, telemetry.StageAssemble: h.assemble}
	for len(h.queue) > 0 {
		m := h.queue[0]
		h.queue = h.queue[1:]
		if err := work[strings.Split(m.Subject, ".")[1]](ctx, m.Data); err != nil {
			return err
		}
	}
	return nil
}

// A request for another reading of the drop comes while what failed is asked for again, and is done: its result stays.
func TestWhatIsTriedAgainDoesNotComeBackBeforeANewerRequest(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	d.Limits.ShardItems = 1
	store := newMemory()
	d.Store = store
	before := newLossy(t, newByHand(t, d, js), store, 1, false)
	for name, done := range map[string]bool{"it waits": false, "it is done meanwhile": true} {
		for what, again := range map[string]func(l *lossy, h *byHand, letters []Letter){
			"a letter": func(_ *lossy, h *byHand, letters []Letter) { h.redrive(t, letters[0]) },
			"the drop": func(l *lossy, h *byHand, _ []Letter) { h.submit(t, asking(h.Deps, l.drop, "harvest")) },
		} {
			t.Run(what+", "+name, func(t *testing.T) {
				for n, came, newer := int64(0), true, false; came; n++ {
					l, letters := before.again(t, newByHand(t, d, js))
					other := newByHand(t, l.Deps, js)
					var left atomic.Int64
					left.Store(n)
					came, newer = false, false
					cut := l.Deps
					cut.Store = interrupted{l.store, &left, func() {
						_, newer, _ = requestOf(t.Context(), l.store, "me", l.drop)
						came = true
						other.submit(t, asking(d, l.drop, "rules"))
						if done {
							other.work(t)
						}
					}}
					h := newByHand(t, cut, js)
					again(l, h, letters)
					h.work(t)
					other.work(t)
					got, open := accepted(t, l.Deps, l.drop)
					if came && (newer || done && what == "a letter") && got != "rules" || len(open) > 0 {
						t.Fatalf("n=%d: the store has what %q gives; requests left: %v", n, got, open)
					}
				}
			})
		}
	}
}

// An assembly is given up that began before somebody asked for the import again: for them it is tried once more, and given up for
// them, too, so that no request stays open.
func TestAnAssemblyThatIsGivenUpIsTriedForWhoHasAskedSince(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	d.Limits.ShardItems = 1
	store := newMemory()
	d.Store = store
	h := newByHand(t, d, js)
	l := newLossy(t, h, store, 2, false)
	var tasks [][]byte
	for _, one := range l.letters {
		h.redrive(t, one)
	}
	for len(h.queue) > 0 && len(tasks) == 0 {
		if tasks = h.of(telemetry.StageAssemble); len(tasks) == 0 {
			h.one(t)
		}
	}
	late, err := decodeTask[AssembleTask](tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	late.Ask = d.NewID() // one that has ended
	h.queue = nil
	if err := h.publish(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	st := stage{telemetry.StageAssemble, h.assemble, h.giveUpAssemble, h.endAssemble}
	for n := 0; len(h.queue) > 0; n++ {
		m := h.queue[0]
		h.queue = h.queue[1:]
		if err := h.bury(t.Context(), st, heldMessage{subject: m.Subject, body: m.Data}, errCut, 3); err != nil || n > 1 {
			t.Fatal(n, err)
		}
	}
	r, ended, err := state.ReadReceipt(t.Context(), store, "me", l.id)
	if _, open, bad := requestOf(t.Context(), store, "me", l.drop); err != nil || bad != nil || open || !ended || r.State != state.StateFailed || !r.Ended() {
		t.Errorf("open %t (%v); the receipt says %s, reopened %q (%v)", open, bad, r.State, r.Reopened, err)
	}
	letters := NewLetters(d, h.js)
	one, err := letters.One(t.Context(), LetterFilter{Stage: telemetry.StageAssemble})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := letters.Redrive(t.Context(), one); err != nil || out.Outcome != RedriveQueued {
		t.Fatalf("%+v, %v", out, err)
	}
	h.work(t)
	if wrong := append(l.Check(t, state.StateDone), lettersLeft(t, h)...); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

func TestAListingTellsTheMarkersThatMayHaveBeenTakenBack(t *testing.T) {
	shard := strings.Repeat("0", 32)
	for _, c := range []struct {
		marker state.Marker
		small  bool
	}{
		{state.Marker{V: 1, State: state.MarkerAgain}, true},
		{state.Marker{V: 1, State: state.MarkerOK, Shard: shard}, false},
		{state.Marker{V: 1, State: state.MarkerFailed, Shard: shard}, false},
	} {
		if body, err := state.EncodeJSON(c.marker); err != nil || len(body) < state.TakenBackSize != c.small {
			t.Errorf("%s: %d bytes (%v)", c.marker.State, len(body), err)
		}
	}
}
