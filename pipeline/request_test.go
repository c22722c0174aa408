package pipeline

import (
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// onMemory are dependencies on a store in memory, with a drop in it.
func onMemory(t *testing.T) (Deps, *memory, string) {
	t.Helper()
	d, m := testDeps(t), newMemory()
	d.Store = m
	return d, m, dropped(t, d)
}

func TestOfTwoRequestsTheNewerWinsWhoeverIsFaster(t *testing.T) {
	js := broker(t)
	for name, c := range map[string]struct {
		tick    time.Duration // of the store's clock
		greater bool          // the first has the greater name
		want    string
	}{
		"by time":                {time.Millisecond, false, "rules"},
		"by time, not by name":   {time.Millisecond, true, "rules"},
		"by name, second":        {0, false, "rules"},
		"by name, first greater": {0, true, "harvest"},
	} {
		t.Run(name, func(t *testing.T) {
			for order := range 4 {
				d, m, drop := onMemory(t)
				m.tick = c.tick
				first, second := asking(d, drop, "harvest"), asking(d, drop, "rules")
				if c.greater {
					first.Ask, second.Ask = second.Ask, first.Ask
				}
				workers := []*byHand{newByHand(t, d, js), newByHand(t, d, js)}
				workers[0].submit(t, first)
				workers[1].submit(t, second)
				switch order {
				case 0, 1: // one to its end, then the other
					workers[order].work(t)
					workers[1-order].work(t)
				default: // in turns, a message each
					for i := order; len(workers[0].queue)+len(workers[1].queue) > 0; i++ {
						if w := workers[i%2]; len(w.queue) > 0 {
							rest := w.queue[1:]
							w.queue = w.queue[:1:1]
							w.work(t)
							w.queue = append(rest, w.queue...)
						}
					}
				}
				if got, left := accepted(t, d, drop); got != c.want || len(left) > 0 {
					t.Errorf("in order %d the store has what %q gives, want %q; requests left: %v", order, got, c.want, left)
				}
			}
		})
	}
}

func TestEndingARequestTakesNoOtherAway(t *testing.T) {
	d, _, drop := onMemory(t)
	first, second := asking(d, drop, "rules"), asking(d, drop, "rules")
	old := first
	old.Ask = ""
	all := []state.Request{first, second, old}
	for _, r := range all {
		if err := r.Record(t.Context(), d.Store); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range all {
		for range 2 { // a second worker is late
			if err := endRequest(t.Context(), d.Store, "me", drop, r.Name()); err != nil {
				t.Fatal(err)
			}
		}
		for j, other := range all {
			if open, err := asked(t.Context(), d.Store, "me", drop, other.Name()); err != nil || open != (j > i) {
				t.Errorf("when request %d has ended, request %d is open: %v, %v", i, j, open, err)
			}
		}
	}
}

func TestRequestsOfAnOlderVersionAreSeenAndFinished(t *testing.T) {
	js := broker(t)
	old := func(d Deps, drop, extractor string) state.Request {
		r := asking(d, drop, extractor)
		r.Ask = ""
		return r
	}
	t.Run("its message is there", func(t *testing.T) {
		d, _, drop := onMemory(t)
		w := newByHand(t, d, js)
		w.submit(t, old(d, drop, "rules"))
		w.work(t)
		if got, left := accepted(t, d, drop); got != "rules" || len(left) > 0 {
			t.Errorf("%q, left %v", got, left)
		}
	})
	t.Run("its message is lost", func(t *testing.T) {
		d, _, drop := onMemory(t)
		w := newByHand(t, d, js)
		if err := state.PutJSON(t.Context(), d.Store, "work/me/requests/"+drop+".json", old(d, drop, "rules")); err != nil {
			t.Fatal(err)
		}
		if n, err := Reconcile(t.Context(), d, w.js); err != nil || n != 1 {
			t.Fatal(n, err)
		}
		w.work(t)
		if got, left := accepted(t, d, drop); got != "rules" || len(left) > 0 {
			t.Errorf("%q, left %v", got, left)
		}
	})
	t.Run("one with a name came since", func(t *testing.T) {
		d, _, drop := onMemory(t)
		w := newByHand(t, d, js)
		w.submit(t, old(d, drop, "harvest"))
		w.submit(t, asking(d, drop, "rules"))
		late := w.queue[0]
		w.queue = w.queue[1:]
		w.work(t)
		w.deliver(t, late)
		w.work(t)
		if got, left := accepted(t, d, drop); got != "rules" || len(left) > 0 {
			t.Errorf("%q, left %v", got, left)
		}
	})
	t.Run("another of its form came since", func(t *testing.T) {
		d, _, drop := onMemory(t)
		w := newByHand(t, d, js)
		w.submit(t, old(d, drop, "harvest"))
		w.submit(t, old(d, drop, "rules"))
		w.queue[0], w.queue[1] = w.queue[1], w.queue[0]
		w.work(t)
		if got, left := accepted(t, d, drop); got != "rules" || len(left) > 0 {
			t.Errorf("%q, left %v", got, left)
		}
	})
}

// A worker died after it had recorded a request, with another one half done and all messages lost.
func TestReconcileTakesTheNewestRequestAndItsOwnImport(t *testing.T) {
	js := broker(t)
	for done := range 3 { // messages of the first that were worked on: none, it is read, it waits to be assembled
		d, _, drop := onMemory(t)
		w := newByHand(t, d, js)
		w.submit(t, asking(d, drop, "harvest"))
		for range done {
			rest := w.queue[1:]
			w.queue = w.queue[:1:1]
			m := w.queue[0]
			w.queue = rest
			w.deliver(t, m)
		}
		w.queue = nil
		second := asking(d, drop, "rules")
		if err := second.Record(t.Context(), d.Store); err != nil {
			t.Fatal(err)
		}
		if n, err := Reconcile(t.Context(), d, w.js); err != nil || n != 1 {
			t.Fatal(n, err)
		}
		if _, left := accepted(t, d, drop); len(left) != 1 || left[0] != state.AskKey("me", drop, second.Ask) {
			t.Errorf("%d done: open are %v", done, left)
		}
		w.work(t)
		if got, left := accepted(t, d, drop); got != "rules" || len(left) > 0 {
			t.Errorf("%d done: the store has what %q gives; requests left: %v", done, got, left)
		}
	}
}

// A worker dies between the receipt of a unit that it gives up and its dead letter.
func TestALetterIsNotLostWithTheWorkerThatWroteTheReceipt(t *testing.T) {
	d, _, _ := onMemory(t)
	js := broker(t)
	w := newByHand(t, d, js)
	rec, err := TakeIn(t.Context(), d.Store, "me", []string{zipOf(t, map[string]string{"conversations.json": `{"no":"export"}`})}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	r := asking(d, rec.Drop, "rules")
	w.submit(t, r)
	body := w.queue[0].Data
	cause := w.ingest(t.Context(), body)
	if fault.Of(cause) != fault.Permanent {
		t.Fatal(cause)
	}
	if err := w.giveUpIngest(t.Context(), body, cause); err != nil {
		t.Fatal(err)
	}
	if err := w.ingest(t.Context(), body); fault.Of(err) != fault.Permanent {
		t.Errorf("the message that is delivered again is taken for an old one: %v", err)
	}
	if err := w.endIngest(t.Context(), body, cause); err != nil {
		t.Fatal(err)
	}
	if open, err := asked(t.Context(), d.Store, "me", rec.Drop, r.Ask); err != nil || open {
		t.Errorf("the request is open: %v, %v", open, err)
	}
}

// An import that was superseded says nothing about itself any more, and another request for its drop is told of once.
func TestAListTellsADropThatWasAskedForTwiceOnce(t *testing.T) {
	js := broker(t)
	d, _, drop := onMemory(t)
	w := newByHand(t, d, js)
	w.submit(t, asking(d, drop, "harvest"))
	w.submit(t, asking(d, drop, "rules"))
	late := w.queue[0]
	if got := listed(t, StorageCatalog(d.Store), Query{Owner: "me"}); len(got) != 1 || got[0] != "me waiting" {
		t.Errorf("%v", got)
	}
	if r, _, err := requestOf(t.Context(), d.Store, "me", drop); err != nil || r.Extractors[0] != "rules" {
		t.Errorf("the newest is %+v, %v", r, err)
	}
	if busy, err := busyWith(t.Context(), d.Store, asking(d, drop, "harvest")); err != nil || !busy {
		t.Errorf("busy %v, %v", busy, err)
	}
	if busy, err := busyWith(t.Context(), d.Store, asking(d, drop, "rules")); err != nil || busy {
		t.Errorf("busy %v, %v with what it asks for itself", busy, err)
	}
	w.queue = w.queue[1:]
	w.work(t)
	w.deliver(t, late)
	if got := listed(t, StorageCatalog(d.Store), Query{Owner: "me"}); len(got) != 1 || got[0] != "me done" {
		t.Errorf("%v", got)
	}

	// One that was read and not assembled, and that nobody asks for any more.
	other := dropOfText(t, d, manyConversations(2))
	w.submit(t, asking(d, other, "harvest"))
	m := w.queue[0]
	w.queue = nil
	w.deliver(t, m)
	w.queue = nil
	w.submit(t, asking(d, other, "rules"))
	w.work(t)
	if got := listed(t, StorageCatalog(d.Store), Query{Owner: "me", State: "open"}); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func dropOfText(t *testing.T, d Deps, text string) string {
	t.Helper()
	rec, err := TakeIn(t.Context(), d.Store, "me", []string{zipOf(t, map[string]string{"conversations.json": text})}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Drop
}

func TestWhoWaitsForASupersededRequestSeesTheEndOfTheNewer(t *testing.T) {
	js := broker(t)
	d, _, drop := onMemory(t)
	w := newByHand(t, d, js)
	first, second := asking(d, drop, "harvest"), asking(d, drop, "rules")
	h, err := HandOver(t.Context(), d, first)
	if err != nil {
		t.Fatal(err)
	}
	w.submit(t, first)
	w.submit(t, second)
	for _, m := range w.queue[:1] {
		w.deliver(t, m) // it is dropped: a newer one is there
	}
	w.queue = w.queue[1:]
	if _, ended, err := h.Ended(t.Context(), d); err != nil || ended {
		t.Errorf("ended %v, %v", ended, err)
	}
	w.work(t)
	if r, ended, err := h.Ended(t.Context(), d); err != nil || !ended || r.State != state.StateDone || r.Extractors[0] == "" {
		t.Errorf("%+v, %v, %v", r, ended, err)
	}
}

// Redriving shards of an import does nothing while its drop is asked for otherwise, and ends nothing of that. Redriven one after
// the other, each with a request that takes the place of the one before, they heal the import with no help of a later pass.
func TestARedriveLeavesAnotherRequestAloneAndIsNotLostBesideOthers(t *testing.T) {
	sulky := sulking{`"title"`, new(atomic.Bool), new(atomic.Int64)}
	p := newPipelined(t, func(d *Deps) { d.Extractors = extract.NewRegistry(sulky) })
	sulky.on.Store(true)
	r := p.imported(t, "me", manyConversations(12))
	p.idle(t)
	letters := p.letters(t, LetterFilter{})
	if len(letters) != 4 {
		t.Fatalf("%d letters, %s", len(letters), r.State)
	}
	other := state.Request{V: 1, Owner: "me", Ask: p.d.NewID(), Drop: r.Drop, Importer: "claude", Lane: state.LaneSmall}
	if err := other.Record(t.Context(), p.d.Store); err != nil {
		t.Fatal(err)
	}
	before := listing(t, p.d, "")
	if out, err := p.Letters().Redrive(t.Context(), letters[0]); err != nil || out.Outcome != RedriveReplaced {
		t.Errorf("%s, %v", out.Outcome, err)
	}
	if after := listing(t, p.d, ""); !maps.Equal(before, after) {
		t.Error("something has changed")
	}
	if err := endRequest(t.Context(), p.d.Store, "me", r.Drop, other.Ask); err != nil {
		t.Fatal(err)
	}
	sulky.on.Store(false)
	for _, l := range letters {
		if out, err := p.Letters().Redrive(t.Context(), l); err != nil || out.Outcome != RedriveQueued {
			t.Errorf("%s, %v", out.Outcome, err)
		}
	}
	p.idle(t)
	if now := p.receipt(t, r); now.State != state.StateDone {
		t.Errorf("the import is %s: %s", now.State, now.Reason)
	}
	for o := range p.d.Store.List(t.Context(), "work/me/") {
		t.Errorf("work is left behind: %s", o.Key)
	}
}
