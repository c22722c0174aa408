package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// anyProgress is one that a worker might tell.
func anyProgress(r *rand.Rand) Progress {
	at := func() string {
		return stamp(time.Date(2026, 3, 1, 12, 0, r.IntN(5), 0, time.UTC))
	}
	states := []string{StateReading, StateExtracting, StateAssembling}
	p := Progress{
		V: 1, Owner: "me", Import: "i", Drop: "d", State: states[r.IntN(len(states))],
		BytesRead: r.Int64N(4), BytesTotal: r.Int64N(4), Conversations: r.Int64N(4), Records: r.Int64N(3), Shards: r.IntN(3), Extracted: r.IntN(4),
		StartedAt: at(), UpdatedAt: at(), Worker: fmt.Sprint("w", r.IntN(3)), Writes: r.IntN(3),
	}
	if r.IntN(2) == 0 {
		p.Trouble = &Trouble{Stage: telemetry.StageExtract, Class: fault.Unit, Delivery: uint64(r.IntN(3)), At: at()}
	}
	return p
}

func TestProgressIsTheSameInWhateverOrderItIsTold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		told := []Progress{anyProgress(r), anyProgress(r), anyProgress(r)}
		a := told[0].join(told[1]).join(told[2])
		b := told[2].join(told[0].join(told[1])).join(told[1])
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("told\n%+v\ngives\n%+v\nor\n%+v", told, a, b)
		}
	}
}

func TestAnEndedImportIsOpenAgainOnlyWhenItIsToldOfLater(t *testing.T) {
	ended := Progress{State: state.StateLosses, Extracted: 7, UpdatedAt: "2026-03-01T12:00:05.000Z", Writes: 9}
	late := Progress{State: StateReading, Extracted: 2, UpdatedAt: "2026-03-01T12:00:04.000Z"}
	for _, got := range []Progress{ended.join(late), late.join(ended)} {
		if got.State != state.StateLosses || got.Extracted != 7 {
			t.Errorf("an old message opened it: %+v", got)
		}
	}
	late.UpdatedAt = "2026-03-01T12:00:06.000Z"
	for _, got := range []Progress{ended.join(late), late.join(ended)} {
		if got.State != StateReading || got.Extracted != 2 || got.Writes != 9 {
			t.Errorf("a new run is not told: %+v", got)
		}
	}
}

func told(t *testing.T, js jetstream.JetStream, owner, id string) []Progress {
	t.Helper()
	var out []Progress
	for p, err := range (bucketBoard{js}).each(t.Context(), owner, id) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestManyWorkersTellOfOneImportAndNothingIsLost(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d.Now = func() time.Time { return clock }
	imp := state.Digest("i")[:32]
	for n := range 40 {
		if err := state.PutJSON(t.Context(), d.Store, state.MarkerKey("me", imp, state.Digest(fmt.Sprint(n))[:32]), state.Marker{V: 1}); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	trackers := make([]*tracker, 8)
	for w := range trackers {
		all.Go(func() {
			d := d
			d.Name = fmt.Sprint("w", w)
			tr := newTracker(d, js)
			trackers[w] = tr
			for n := range 5 {
				tr.observe(telemetry.Event{Stage: telemetry.StageIngest, Owner: "me", Drop: state.Digest("d"), Import: imp, Bytes: int64(100*n + w), Total: 1000, Units: int64(10*n + w)})
				tr.observe(telemetry.Event{Stage: telemetry.StageExtract, Owner: "me", Drop: state.Digest("d"), Import: imp})
				tr.flush(t.Context(), true)
			}
		})
	}
	all.Wait()
	for _, tr := range trackers { // what was crowded out by the others, or took too long beside them, is written later
		if tr.flush(t.Context(), true) {
			t.Error("crowded out by nobody")
		}
	}
	list := told(t, js, "me", imp)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	p := list[0]
	if p.BytesRead != 407 || p.Conversations != 47 || p.Extracted != 40 || p.State != StateReading || p.BytesTotal != 1000 || p.Drop != state.Digest("d") {
		t.Errorf("%+v", p)
	}
	if other := told(t, js, "you", ""); len(other) != 0 {
		t.Errorf("another owner is shown %+v", other)
	}
}

func TestProgressIsWrittenOnceASecondAndMoreSeldomWhenManyTell(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d.Now = func() time.Time { return clock }
	tr := newTracker(d, js)
	imp := state.Digest("i")[:32]
	e := telemetry.Event{Stage: telemetry.StageIngest, Owner: "me", Drop: state.Digest("d"), Import: imp, Total: 1 << 20}
	writes := func() int { return told(t, js, "me", imp)[0].Writes }
	for range 40 { // ten seconds
		e.Bytes++
		tr.observe(e)
		tr.flush(t.Context(), false)
		clock = clock.Add(trackTick)
	}
	if n := writes(); n != 10 {
		t.Errorf("written %d times in ten seconds", n)
	}
	before := writes()
	tr.read(state.Manifest{Owner: "me", Drop: state.Digest("d"), Import: imp, Shards: make([]state.Shard, 3)})
	tr.flush(t.Context(), false)
	if n := writes(); n != before+1 {
		t.Errorf("a new stage waits: %d writes, then %d", before, n)
	}
	// Nine others write between two writes of this one: the next is due after ten seconds.
	kv, err := js.KeyValue(t.Context(), BucketImports)
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		if _, err := putProgress(t.Context(), kv, Progress{Owner: "me", Import: imp}); err != nil {
			t.Fatal(err)
		}
	}
	count := func(seconds int) int {
		before := writes()
		for range 4 * seconds {
			clock = clock.Add(trackTick)
			tr.observe(telemetry.Event{Stage: telemetry.StageExtract, Owner: "me", Drop: state.Digest("d"), Import: imp})
			tr.flush(t.Context(), false)
		}
		return writes() - before
	}
	if n := count(1); n != 1 {
		t.Errorf("%d writes in the first second", n)
	}
	if n := count(9); n != 0 {
		t.Errorf("%d writes while many others write", n)
	}
}

func TestAMissingBucketIsSaidOnceAndHarmsNothing(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	core, logs := observer.New(zapcore.WarnLevel)
	d.Log = zap.New(core)
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d.Now = func() time.Time { return clock }
	tr := newTracker(d, nil)
	out := true
	js := broker(t)
	open := newTracker(d, js).bucket
	tr.bucket = func(ctx context.Context) (jetstream.KeyValue, error) {
		if out {
			return nil, errors.New("no responders")
		}
		return open(ctx)
	}
	imp := state.Digest("i")[:32]
	for range 100 {
		tr.observe(telemetry.Event{Stage: telemetry.StageExtract, Owner: "me", Drop: state.Digest("d"), Import: imp})
		tr.flush(t.Context(), false)
		clock = clock.Add(trackTick)
	}
	if logs.Len() != 1 {
		t.Errorf("%d warnings", logs.Len())
	}
	out = false
	clock = clock.Add(trackSeldom)
	if err := state.PutJSON(t.Context(), d.Store, state.MarkerKey("me", imp, state.Digest("s")[:32]), state.Marker{V: 1}); err != nil {
		t.Fatal(err)
	}
	tr.flush(t.Context(), false)
	if list := told(t, js, "me", imp); len(list) != 1 || list[0].Extracted != 1 {
		t.Errorf("what was not heard is not told later: %+v", list)
	}
}

func TestTheEndIsTakenFromTheReceipt(t *testing.T) {
	t.Parallel()
	js := broker(t)
	d := testDeps(t)
	imp := state.Digest("i")[:32]
	r := state.Receipt{V: 1, Owner: "me", Import: imp, Drop: state.Digest("d"), State: state.StateLosses, Counts: state.Counts{Conversations: 12},
		Extraction: state.Extraction{Shards: 4}, Store: state.StoreChange{Memories: 5}}
	if err := state.PutJSON(t.Context(), d.Store, state.ReceiptKey("me", imp), r); err != nil {
		t.Fatal(err)
	}
	tr := newTracker(d, js)
	tr.observe(telemetry.Event{Stage: telemetry.StageDone, Owner: "me", Drop: state.Digest("d"), Import: imp})
	tr.flush(t.Context(), false)
	list := told(t, js, "", imp)
	if len(list) != 1 || list[0].State != state.StateLosses || list[0].Memories != 5 || list[0].Shards != 4 || list[0].Conversations != 12 {
		t.Errorf("%+v", list)
	}
	if len(tr.known) != 0 {
		t.Errorf("an ended import is kept: %+v", tr.known)
	}
}

func TestTroubleHoldsNoText(t *testing.T) {
	tr := newTracker(testDeps(t), nil)
	body, err := json.Marshal(map[string]string{"owner": "me", "drop": state.Digest("d"), "import": state.Digest("i")[:32], "shard": "Taxes 2024.zip", "lane": "anything"})
	if err != nil {
		t.Fatal(err)
	}
	u := telemetry.UnitOf(body)
	if u.Shard != "" || u.Lane != "" {
		t.Errorf("took a text for an id: %+v", u)
	}
	tr.trouble(u, telemetry.StageExtract, fault.Unit, 3)
	for p := range tr.each(t.Context(), "me", "") {
		if p.Trouble == nil || p.Trouble.Class != fault.Unit || p.Trouble.Delivery != 3 {
			t.Errorf("%+v", p)
		}
	}
	if n := len(tr.known); n != 1 {
		t.Errorf("%d imports", n)
	}
}
