package pipeline

import (
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// replayed asks for a drop to be read by a version of an importer.
func replayed(t *testing.T, d Deps, js jetstream.JetStream, drop, importer string) state.Request {
	t.Helper()
	a, err := Prepare(t.Context(), d, ReplayAsk{Owner: "ann", Drop: drop, Importer: importer}, nil)
	if err != nil || a.State != ReplayQueued {
		t.Fatal(a, err)
	}
	if err := Submit(t.Context(), d.Store, js, a.Request); err != nil {
		t.Fatal(err)
	}
	return a.Request
}

// The message that brings a replaced import back is lost; the next pass brings the import back all the same.
func TestReconcileGoesOnWithTheReturnOfAnOlderImport(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	first := submitted(t, d, js, "ann", 3)
	work := []string{telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble}
	ends, stop := stages(t, d, js, work...)
	old := (<-ends).Import
	stop()
	other := d
	other.Limits.MaxDepth = 100 // another import of the same drop
	replayed(t, other, js, first.Drop, "chatgpt")
	ends, stop = stages(t, other, js, work...)
	for now := old; now == old; now = (<-ends).Import { // a second message of the first import may end once more
	}
	stop()

	replayed(t, d, js, first.Drop, "")
	_, stop = stages(t, d, js, telemetry.StageIngest)
	eventually(t, func() bool { return queuedIn(t, js, StreamIngest) == 0 })
	stop()
	purge(t, js, StreamAssemble)
	if n, err := Reconcile(t.Context(), d, js); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	ends, stop = stages(t, d, js, work...)
	for now := ""; now != old; now = (<-ends).Import {
	}
	eventually(t, func() bool { return queuedIn(t, js, StreamAssemble) == 0 })
	stop()
	if id, err := acceptedImport(t.Context(), d.Store, "ann", first.Drop); err != nil || id != old {
		t.Errorf("the store has import %s (%v), want %s", id, err, old)
	}
	for o, err := range d.Store.List(t.Context(), "work/") {
		t.Errorf("work is left behind: %s (%v)", o.Key, err)
	}
}

// An import that was given up is asked for again, and a message of that is lost: at each stage the next pass goes on with it.
func TestReconcileGoesOnWithAFailedImportThatWasAskedForAgain(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{StreamIngest, StreamAssemble} {
		t.Run(lost, func(t *testing.T) {
			js := broker(t)
			d := testDeps(t)
			r := submitted(t, d, js, "ann", 3)
			_, stop := stages(t, d, js, telemetry.StageIngest, telemetry.StageExtract)
			eventually(t, func() bool { return queuedIn(t, js, StreamAssemble) > 0 && queuedIn(t, js, StreamExtract) == 0 })
			stop()
			purge(t, js, StreamAssemble)
			imports, err := importsOf(t.Context(), d.Store, "ann")
			if err != nil || len(imports[r.Drop]) != 1 {
				t.Fatal(imports, err)
			}
			w := &Worker{Deps: d, js: js}
			body := `{"v":1,"owner":"ann","drop":"` + r.Drop + `","import":"` + imports[r.Drop][0].id + `","ask":"` + r.Name() + `"}`
			if err := w.giveUpAssemble(t.Context(), []byte(body), errCut); err != nil {
				t.Fatal(err)
			}

			again := replayed(t, d, js, r.Drop, "")
			if lost == StreamAssemble {
				_, stop := stages(t, d, js, telemetry.StageIngest)
				eventually(t, func() bool { return queuedIn(t, js, StreamIngest) == 0 })
				stop()
			}
			purge(t, js, lost)
			if n, err := Reconcile(t.Context(), d, js); err != nil || n != 1 {
				t.Fatal(n, err)
			}
			ends, stop := stages(t, d, js, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble)
			e := <-ends
			stop()
			if got, ok, err := state.ReadReceipt(t.Context(), d.Store, "ann", e.Import); err != nil || !ok || got.State != state.StateDone {
				t.Errorf("%s, %v, %v", got.State, ok, err)
			}
			if _, open, err := requestOf(t.Context(), d.Store, "ann", again.Drop); err != nil || open {
				t.Errorf("the request is open: %v, %v", open, err)
			}
		})
	}
}

// An owner whose many imports all have messages costs a pass hardly anything, and one that lost its own is found all the same.
func TestReconcileReadsNothingOfManyImportsThatAreAtWork(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	const many = fewWaiting + 3
	for i := range many {
		submitted(t, d, js, "ann", 1+i)
	}
	_, stop := stages(t, d, js, telemetry.StageIngest)
	eventually(t, func() bool { return queuedIn(t, js, StreamIngest) == 0 })
	stop()
	var puts, gets atomic.Int64
	counted := d
	counted.Store = tallied{d.Store, &puts, &gets}
	if n, err := Reconcile(t.Context(), counted, js); err != nil || n != many {
		t.Fatal(n, err)
	}
	if n := puts.Load() + gets.Load(); n != 0 {
		t.Errorf("%d objects were read or written", n)
	}
	s, err := js.Stream(t.Context(), StreamExtract)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), s.CachedInfo().State.FirstSeq); err != nil {
		t.Fatal(err)
	}
	if n := queuedIn(t, js, StreamExtract); n != many-1 {
		t.Fatalf("%d shards are queued", n)
	}
	if _, err := Reconcile(t.Context(), counted, js); err != nil {
		t.Fatal(err)
	}
	if n := queuedIn(t, js, StreamExtract); n != many {
		t.Errorf("%d shards are queued, want %d", n, many)
	}
}
