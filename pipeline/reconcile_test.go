package pipeline

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// stages runs a worker with the named stages until stop is called, and tells of the imports that end.
func stages(t *testing.T, d Deps, js jetstream.JetStream, names ...string) (ended <-chan telemetry.Event, stop func()) {
	t.Helper()
	ends := make(chan telemetry.Event, 1024)
	d.Observe = func(e telemetry.Event) {
		if e.Stage == telemetry.StageDone {
			ends <- e
		}
	}
	w, err := newImpatient(d, js)
	if err != nil {
		t.Fatal(err)
	}
	w.embedded = true // stops at once
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.Run(ctx, names...); err != nil {
			t.Error(err)
		}
	})
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); running.Wait() }) }
	t.Cleanup(stop)
	return ends, stop
}

func purge(t *testing.T, js jetstream.JetStream, stream string) {
	t.Helper()
	s, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// submitted gives a drop of a number of conversations to the queue.
func submitted(t *testing.T, d Deps, js jetstream.JetStream, owner string, n int) state.Request {
	t.Helper()
	rec, err := TakeIn(t.Context(), d.Store, owner, []string{zipOf(t, map[string]string{"conversations.json": manyConversations(n)})}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	r := state.Request{V: state.MessageVersion, Owner: owner, Drop: rec.Drop, Lane: state.LaneSmall}
	if err := Submit(t.Context(), d.Store, js, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func messages(t *testing.T, js jetstream.JetStream) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, s := range []string{StreamIngest, StreamExtract, StreamAssemble} {
		out[s] = queuedIn(t, js, s)
	}
	return out
}

func TestReconcileLeavesAloneWhatIsQueued(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	d.Limits.ShardItems = 2
	submitted(t, d, js, "ann", 6)
	submitted(t, d, js, "bob", 6)
	for range 3 {
		if n, err := Reconcile(t.Context(), d, js); err != nil || n != 2 {
			t.Fatal(n, err)
		}
	}
	if got := messages(t, js); got[StreamIngest] != 2 {
		t.Errorf("%v: every pass queued again what waits", got)
	}
	_, stop := stages(t, d, js, telemetry.StageIngest)
	eventually(t, func() bool { return queuedIn(t, js, StreamIngest) == 0 })
	stop()
	before := messages(t, js)
	for range 3 {
		if _, err := Reconcile(t.Context(), d, js); err != nil {
			t.Fatal(err)
		}
	}
	if got := messages(t, js); got[StreamIngest] != 0 || got[StreamExtract] != before[StreamExtract] || before[StreamExtract] != 6 {
		t.Errorf("with 6 shards in the queue: %v became %v", before, got)
	}
	_, stop = stages(t, d, js, telemetry.StageExtract)
	eventually(t, func() bool { return queuedIn(t, js, StreamExtract) == 0 })
	stop()
	before = messages(t, js)
	for range 3 {
		if _, err := Reconcile(t.Context(), d, js); err != nil {
			t.Fatal(err)
		}
	}
	if got := messages(t, js); fmt.Sprint(got) != fmt.Sprint(before) || got[StreamAssemble] < 2 {
		t.Errorf("with two imports to assemble: %v became %v", before, got)
	}
}

// A queue is lost after each stage in turn, with all that it held; one pass brings it back.
func TestReconcileMakesLostMessagesAgain(t *testing.T) {
	t.Parallel()
	for _, lost := range []struct {
		run    []string
		stream string
	}{
		{nil, StreamIngest},
		{[]string{telemetry.StageIngest}, StreamExtract},
		{[]string{telemetry.StageIngest, telemetry.StageExtract}, StreamAssemble},
	} {
		t.Run(lost.stream, func(t *testing.T) {
			js := broker(t)
			d := testDeps(t)
			d.Limits.ShardItems = 1
			submitted(t, d, js, "ann", 70) // more shards than are queued at once
			if lost.run != nil {
				_, stop := stages(t, d, js, lost.run...)
				eventually(t, func() bool {
					m := messages(t, js)
					return m[StreamIngest] == 0 && m[lost.stream] > 0 && (lost.stream == StreamExtract || m[StreamExtract] == 0)
				})
				stop()
			}
			if err := js.DeleteStream(t.Context(), lost.stream); err != nil {
				t.Fatal(err)
			}
			if err := EnsureTopology(t.Context(), js, Topology{}); err != nil {
				t.Fatal(err)
			}
			if n, err := Reconcile(t.Context(), d, js); err != nil || n != 1 {
				t.Fatal(n, err)
			}
			ends, _ := stages(t, d, js, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble)
			e := <-ends
			r, ok, err := state.ReadReceipt(t.Context(), d.Store, "ann", e.Import)
			if err != nil || !ok || r.State != state.StateDone || r.Counts.Conversations != 70 || r.Extraction.Shards != 70 {
				t.Errorf("%+v, %v, %v", r.State, ok, err)
			}
			for o, err := range d.Store.List(t.Context(), "work/") {
				t.Errorf("work is left behind: %s (%v)", o.Key, err)
			}
			if n, err := Reconcile(t.Context(), d, js); err != nil || n != 0 {
				t.Errorf("%d requests are open, %v", n, err)
			}
		})
	}
}

// Streams that are removed while workers run come back with the next turn, and what they held with them.
func TestRunningWorkersGetOverTheLossOfAllStreams(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	s.put(t, "inbox/ann/a.json", manyConversations(3))
	submitted(t, d, js, "bob", 5)
	for _, stream := range []string{StreamTake, StreamIngest, StreamExtract, StreamAssemble, StreamEvents, StreamDLQ, StreamDrops, "KV_" + BucketTurns} {
		if err := js.DeleteStream(t.Context(), stream); err != nil {
			t.Fatal(err)
		}
	}
	ends := make(chan telemetry.Event, 16)
	d.Observe = func(e telemetry.Event) {
		if e.Stage == telemetry.StageDone {
			ends <- e
		}
	}
	w, err := newImpatient(d, js)
	if err != nil {
		t.Fatal(err)
	}
	w.Mend(Topology{})
	w.tendInTurn(t.Context(), time.Second) // there is no turn to take; it makes the streams
	w.tendInTurn(t.Context(), time.Second)
	if m := messages(t, js); m[StreamIngest] != 1 || queuedIn(t, js, StreamTake) != 1 {
		t.Errorf("queued again: %v", m)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.Run(ctx, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble); err != nil {
			t.Error(err)
		}
	})
	for owners := map[string]bool{}; len(owners) < 2; {
		owners[(<-ends).Owner] = true
	}
	// Once more, under the running loops.
	for _, stream := range []string{StreamTake, StreamIngest} {
		if err := js.DeleteStream(t.Context(), stream); err != nil {
			t.Fatal(err)
		}
	}
	s.put(t, "inbox/cid/a.json", manyConversations(2))
	for e := (telemetry.Event{}); e.Owner != "cid"; {
		eventually(t, func() bool { w.tendInTurn(t.Context(), time.Second); return len(ends) > 0 })
		e = <-ends
	}
	cancel()
	running.Wait()
}

func TestReconcileMakesSingleLostShardsAgain(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	d.Limits.ShardItems = 2
	submitted(t, d, js, "ann", 20)
	_, stop := stages(t, d, js, telemetry.StageIngest)
	eventually(t, func() bool { return queuedIn(t, js, StreamIngest) == 0 })
	stop()
	s, err := js.Stream(t.Context(), StreamExtract)
	if err != nil {
		t.Fatal(err)
	}
	first := s.CachedInfo().State.FirstSeq
	for _, seq := range []uint64{first, first + 4} {
		if err := s.DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Reconcile(t.Context(), d, js); err != nil {
		t.Fatal(err)
	}
	if n := queuedIn(t, js, StreamExtract); n != 10 {
		t.Errorf("%d shards are queued, want 10", n)
	}
}

func TestReconcileLeavesAFailedImportToItsDeadLetter(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	submitted(t, d, js, "ann", 3)
	_, stop := stages(t, d, js, telemetry.StageIngest, telemetry.StageExtract)
	eventually(t, func() bool {
		m := messages(t, js)
		return m[StreamIngest] == 0 && m[StreamExtract] == 0 && m[StreamAssemble] > 0
	})
	stop()
	imports, err := importsOf(t.Context(), d.Store, "ann")
	if err != nil || len(imports) != 1 {
		t.Fatal(imports, err)
	}
	for drop, ids := range imports {
		id := ids[0].id
		failed := state.Receipt{V: 1, Import: id, Owner: "ann", Drop: drop, State: state.StateFailed, Reason: "it was given up"}
		if err := state.PutJSON(t.Context(), d.Store, state.ReceiptKey("ann", id), failed); err != nil {
			t.Fatal(err)
		}
	}
	purge(t, js, StreamAssemble)
	if _, err := Reconcile(t.Context(), d, js); err != nil {
		t.Fatal(err)
	}
	if got := messages(t, js); got[StreamAssemble] != 0 || got[StreamIngest] != 0 {
		t.Errorf("%v", got)
	}
}

func TestReconcileReportsRecordsItCannotUse(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	submitted(t, d, js, "bob", 1)
	purge(t, js, StreamIngest)
	foreign := state.Request{V: state.MessageVersion, Owner: "eve", Drop: state.Digest("x"), Lane: state.LaneSmall}
	if err := state.PutJSON(t.Context(), d.Store, state.RequestKey("ann", state.Digest("x")), foreign); err != nil {
		t.Fatal(err)
	}
	if _, err := Reconcile(t.Context(), d, js); err == nil || !strings.Contains(err.Error(), "another owner") {
		t.Errorf("error %v", err)
	}
	if n := queuedIn(t, js, StreamIngest); n != 1 {
		t.Errorf("%d are queued: one bad record must not keep the others back", n)
	}
}

func TestFiveHundredDropsAtOnceOfOneOwnerBecomeOneStore(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d, s := inboxDeps(t)
	d.Inbox.Scan = 1 << 40 // one pass, at the start
	const drops, contents = 500, 25
	for i := range drops {
		text := strings.ReplaceAll(manyConversations(1), "c-0", fmt.Sprintf("c-%d", i%contents))
		s.put(t, fmt.Sprintf("inbox/ann/export (%d).json", i), text)
	}
	_, stop := stages(t, d, js, telemetry.StageTend, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble)
	eventually(t, func() bool {
		if queuedIn(t, js, StreamTake) > 0 { // the queues are looked at in the order in which work goes through them
			return false
		}
		m := messages(t, js)
		return m[StreamIngest]+m[StreamExtract]+m[StreamAssemble] == 0 && len(listing(t, d, "drops/ann/")) == drops
	})
	stop()
	head, _, err := state.ReadHead(t.Context(), d.Store, "ann")
	if err != nil || head.ConversationCount != contents {
		t.Errorf("%d conversations (%v)", head.ConversationCount, err)
	}
	for o, err := range d.Store.List(t.Context(), "work/") {
		t.Errorf("work is left behind: %s (%v)", o.Key, err)
	}
	if p := scan(t, d, js); p.Known != drops || p.Asked != 0 {
		t.Errorf("%+v", p)
	}
}
