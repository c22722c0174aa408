package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// fetched gives one message of a queue.
func (r *rig) fetched(t *testing.T, stream, consumer string) jetstream.Msg {
	t.Helper()
	c, err := r.js.Consumer(t.Context(), stream, consumer)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := c.Next()
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

// delivered works on the next message of the extract stage once.
func (r *rig) delivered(t *testing.T, st stage) jetstream.Msg {
	t.Helper()
	msg := r.fetched(t, StreamExtract, "extract-small")
	r.one(t.Context(), msg, st)
	return msg
}

// killed is delivered, but the worker ends in the middle of the work, and the message comes back after a while.
func (r *rig) killed(t *testing.T, st stage) {
	t.Helper()
	msg := r.fetched(t, StreamExtract, "extract-small")
	st.handle = func(context.Context, []byte) error { runtime.Goexit(); return nil }
	over := make(chan struct{})
	go func() { defer close(over); r.one(context.Background(), msg, st) }()
	<-over
	if err := msg.Nak(); err != nil {
		t.Fatal(err)
	}
}

func TestUnitWhoseWorkersAreKilledIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var gone error
	st := stage{
		name:   telemetry.StageExtract,
		handle: func(context.Context, []byte) error { t.Error("it was tried once more"); return nil },
		giveUp: func(_ context.Context, _ []byte, cause error) error { gone = cause; return nil },
	}
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	limit := silentFactor * r.Attempts
	for range limit + 1 { // nobody looked at the first
		r.killed(t, st)
	}
	r.delivered(t, st)
	eventually(t, func() bool { return r.queued(t) == 0 })
	if l := r.letters(t); len(l) != 1 || l[0].Class != fault.Unit || l[0].Attempts != limit || l[0].Hint == "" || gone == nil {
		t.Errorf("letters %+v, given up with %v", l, gone)
	}
	if n := countKeys(t, r.Store, "work/_attempts/", ""); n != 0 {
		t.Errorf("%d objects are left: a redrive would not begin anew", n)
	}
}

func TestWhatIsHeardOfADeliveryDoesNotCountAsSilence(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tries := 0
	outage := stage{
		name: telemetry.StageExtract,
		handle: func(context.Context, []byte) error {
			tries++
			return &fault.Fault{Class: fault.Outage, Err: errors.New("no storage")}
		},
		giveUp: func(context.Context, []byte, error) error { t.Error("given up"); return nil },
	}
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	limit := silentFactor * r.Attempts
	r.killed(t, outage)
	for range limit - 1 {
		r.killed(t, outage)
		r.delivered(t, outage)
	}
	if tries != limit-1 {
		t.Errorf("%d tries, want %d", tries, limit-1)
	}
	fine := outage
	fine.handle = func(context.Context, []byte) error { return nil }
	r.delivered(t, fine)
	eventually(t, func() bool { return r.queued(t) == 0 })
	if n := countKeys(t, r.Store, "work/_attempts/", ""); n != 0 {
		t.Errorf("after its success %d objects are left", n)
	}
}

func TestUnitsOfWhichNothingWasHeardAreNotSideBySide(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	st := stage{
		name:   telemetry.StageExtract,
		handle: func(context.Context, []byte) error { t.Error("it was worked on beside the other"); return nil },
		giveUp: func(context.Context, []byte, error) error { t.Error("given up"); return nil },
	}
	r.killed(t, st)
	r.killed(t, st)
	r.suspect <- struct{}{} // the other
	r.delivered(t, st)
	<-r.suspect
	tried := false
	st.handle = func(context.Context, []byte) error { tried = true; return nil }
	msg := r.fetched(t, StreamExtract, "extract-wait")
	var silent int
	if _, err := state.ReadJSON(t.Context(), r.Store, markedKey(attemptsKey(telemetry.StageExtract, msg)), &silent); err != nil || silent != 1 {
		t.Errorf("it counts %d (%v), want 1: waiting is none", silent, err)
	}
	msg.Headers().Set(waitedHeader, "1") // it is back
	r.one(t.Context(), msg, st)
	if n := countKeys(t, r.Store, "work/_attempts/", ""); !tried || n != 0 {
		t.Errorf("tried: %v, marks: %d", tried, n)
	}
	select {
	case r.suspect <- struct{}{}:
	default:
		t.Error("it still has the turn of the suspects")
	}
}

func TestAFirstDeliveryIsNotMarked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	st := stage{name: telemetry.StageExtract, giveUp: func(context.Context, []byte, error) error { return nil }}
	st.handle = func(context.Context, []byte) error {
		if n := countKeys(t, r.Store, "work/_attempts/", ""); n != 0 {
			t.Errorf("%d marks", n)
		}
		return nil
	}
	r.delivered(t, st)
}

func TestImportThatKillsAssemblersDoesNotTakeItsNeighboursAlong(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tasks := extracted(t, r.Deps, "me", 3)
	for _, task := range tasks {
		if err := r.publish(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	var hand []jetstream.Msg
	for range tasks {
		hand = append(hand, r.fetched(t, StreamAssemble, fmt.Sprintf("assemble-%02d", Partition("me"))))
	}
	deadly := markedKey(attemptsKey(telemetry.StageAssemble, hand[1]))
	for key, times := range map[string]int{
		markedKey("work/_attempts/assemble/" + state.Digest("me")[:32] + ".json"): 1, // they were begun together
		deadly: silentFactor * r.Attempts,
	} {
		if err := state.PutJSON(t.Context(), r.Store, key, times); err != nil {
			t.Fatal(err)
		}
	}
	for _, msg := range hand {
		if err := msg.Nak(); err != nil {
			t.Fatal(err)
		}
	}
	r.assembler(t)
	if done, failed := r.ends(t, "me", tasks); done != 2 || failed != 1 {
		t.Errorf("%d done, %d failed", done, failed)
	}
	eventually(t, func() bool { return countKeys(t, r.Store, "work/_attempts/", "") == 0 })
}
