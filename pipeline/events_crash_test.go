package pipeline

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestStoppedWorkerGivesBackNotificationsThatWait(t *testing.T) {
	in, store := damned(t)
	var slips []*slip
	for i := range turnHints + 5 {
		key := fmt.Sprintf("inbox/ann/%d.zip", i)
		store.put(t, key, "x")
		slips = append(slips, slipOf(key))
		in.Accept(slips[i])
	}
	// The first turn has what was there when it began: that many are not given back.
	eventually(t, func() bool { return store.heads.Load() > 0 })
	in.mu.Lock()
	begun := in.hints - len(in.inboxes[ownerInbox{owner: "ann"}].waiting)
	in.mu.Unlock()
	in.cancel()
	eventually(t, func() bool { return in.inHand() == begun })
	late := slipOf("inbox/bob/late.zip")
	in.Accept(late) // a pull may have had it already
	eventually(t, func() bool { return late.said() == "nak" })
	close(store.open)
	in.Close()
	allSaid(t, slips[:begun], "ack") // what had begun was ended
	allSaid(t, slips[begun:], "nak")
}

func TestNotificationsOfAProcessThatStoodStillAreLeftToOthers(t *testing.T) {
	in, store := damned(t)
	var slips []*slip
	for i := range 2 * inboxMost {
		slips = append(slips, slipOf(fmt.Sprintf("inbox/ann/%d.zip", i)), slipOf(fmt.Sprintf("inbox/ann%d/a.zip", i)))
	}
	in.w.gates[telemetry.StageEvents].left(true, Backoff{First: 1 << 40, Max: 1 << 40}) // nobody gets a turn
	covered := 0
	for _, s := range slips {
		in.Accept(s)
	}
	for _, s := range slips {
		if s.said() == "ack" {
			covered++
		}
	}
	in.held.cancel(errTaken)
	in.Close()
	close(store.open)
	silent := 0
	for _, s := range slips {
		if s.said() == "" {
			silent++
		}
	}
	if silent+covered != len(slips) || covered == 0 || silent == 0 {
		said := map[string]int{}
		for _, s := range slips {
			said[s.said()]++
		}
		t.Errorf("%d were left alone and %d covered before, of %d: %v", silent, covered, len(slips), said)
	}
}

// What comes again may stand for others that were acknowledged for its sake by a process that died.
func TestNotificationThatComesAgainHasItsOwnerLookedThrough(t *testing.T) {
	in, store := damned(t)
	for _, name := range []string{"told", "forgotten1", "forgotten2"} {
		store.put(t, "inbox/ann/"+name, "x")
	}
	again := slipOf("inbox/ann/told")
	again.delivered = 2
	in.Accept(again)
	marked := markedKey(attemptsKey(telemetry.StageEvents, again))
	eventually(t, func() bool {
		_, err := store.shelf.Store.Head(t.Context(), marked)
		return err == nil
	})
	close(store.open)
	in.settled(t)
	if _, err := store.shelf.Store.Head(t.Context(), marked); !state.IsMissing(err) {
		t.Errorf("the mark of a delivery that ended well stays: %v", err)
	}
	if got := queuedOf(t, in.w.js, "ann"); again.said() != "ack" || len(got) != 3 {
		t.Errorf("answered with %q, queued %v", again.said(), got)
	}
}

func TestNotificationWhoseWorkersWereNeverHeardOfAgainIsGivenUp(t *testing.T) {
	in, store := damned(t)
	close(store.open)
	s := slipOf("inbox/ann/deadly")
	s.delivered = 9
	if err := state.PutJSON(t.Context(), in.w.Store, markedKey(attemptsKey(telemetry.StageEvents, s)), silentFactor*in.w.Attempts); err != nil {
		t.Fatal(err)
	}
	in.Accept(s)
	in.settled(t)
	if s.said() != "term" || queuedIn(t, in.w.js, StreamDLQ) != 1 {
		t.Errorf("answered with %q", s.said())
	}
}

// processOf is a connection of its own to the broker of a test, as another process would have one.
func processOf(t *testing.T, b *Broker) jetstream.JetStream {
	t.Helper()
	nc, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return natstest.JetStream(t, nc)
}

// A worker has read everything and acknowledged most of it for a look's sake when it dies. Another one ends what it began.
func TestNothingIsLostWhenAWorkerDiesWithAllNotificationsInMemory(t *testing.T) {
	b, err := StartBroker(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	d, s := inboxDeps(t)
	d.Log, d.AckWait = zap.NewNop(), 2*time.Second
	js := processOf(t, b)
	if err := EnsureTopology(t.Context(), js, Topology{AckWait: d.AckWait}); err != nil {
		t.Fatal(err)
	}
	const drops = 3 * inboxMost
	for i := range drops {
		key := fmt.Sprintf("inbox/ann/%d.zip", i)
		s.put(t, key, "x")
		if _, err := js.PublishAsync(DefaultEvents, []byte(notificationOf(key))); err != nil {
			t.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()

	run := func(d Deps, js jetstream.JetStream) (stop func()) {
		w, err := newImpatient(d, js)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() {
			if err := w.Run(ctx, telemetry.StageEvents); err != nil {
				t.Error(err)
			}
		})
		return func() { cancel(); running.Wait() }
	}
	dying := &dam{shelf: s, owner: "ann", open: make(chan struct{})}
	first := d
	first.Store = dying
	hers := processOf(t, b)
	stop := run(first, hers)
	eventually(t, func() bool { return dying.looks.Load() > 0 && queuedIn(t, js, StreamEvents) < inboxMost })
	hers.Conn().Close() // nothing of it is heard any more
	stop()
	if n := queuedIn(t, js, StreamTake); n != 0 {
		t.Fatalf("it has queued %d tasks", n)
	}
	defer run(d, js)()
	eventually(t, func() bool { return queuedIn(t, js, StreamEvents) == 0 && len(queuedOf(t, js, "ann")) == drops })
}
