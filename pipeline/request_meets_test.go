package pipeline

import (
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// of gives the messages of a stage that wait.
func (h *byHand) of(stage string) (out [][]byte) {
	for _, m := range h.queue {
		if strings.HasPrefix(m.Subject, "pam."+stage+".") {
			out = append(out, m.Data)
		}
	}
	return out
}

// one works on the first message.
func (h *byHand) one(t *testing.T) {
	t.Helper()
	m := h.queue[0]
	h.queue = h.queue[1:]
	h.deliver(t, m)
}

// Going back to an import that had ended well fails. Its markers had gone with its work, and asking once more makes them again.
func TestAnImportWhoseReturnFailedCanBeAskedForAgain(t *testing.T) {
	d, _, drop := onMemory(t)
	h := newByHand(t, d, broker(t))
	for _, extractor := range []string{"harvest", "rules"} {
		h.submit(t, asking(d, drop, extractor))
		h.work(t)
	}
	h.submit(t, asking(d, drop, "harvest"))
	h.one(t)
	tasks := h.of(telemetry.StageAssemble)
	if len(tasks) != 1 {
		t.Fatalf("%d messages", len(tasks))
	}
	h.queue = nil
	if err := h.giveUpAssemble(t.Context(), tasks[0], errCut); err != nil {
		t.Fatal(err)
	}
	if err := h.endAssemble(t.Context(), tasks[0], errCut); err != nil {
		t.Fatal(err)
	}
	h.submit(t, asking(d, drop, "harvest"))
	h.work(t)
	if got, left := accepted(t, d, drop); got != "harvest" || len(left) > 0 {
		t.Errorf("the store has what %q gives; requests left: %v", got, left)
	}
}

// While a redrive undoes what says that its unit failed, another request takes its place. It stays, and the redrive gives way.
func TestARedriveDoesNotComeBackBeforeARequestThatTookItsPlace(t *testing.T) {
	d, _, drop := onMemory(t)
	l := NewLetters(d, nil)
	first := asking(d, drop, "harvest")
	same := func(open state.Request) (bool, error) { return open.Words() == first.Words(), nil }
	var other state.Request
	asks := 0
	ask := func() (r state.Request, ok bool, err error) {
		r, ok, err = askLike(t.Context(), d, first, same)
		if asks++; asks > 1 || err != nil {
			return r, ok, err
		}
		other = asking(d, drop, "rules")
		if err := other.Record(t.Context(), d.Store); err != nil {
			t.Fatal(err)
		}
		open, err := openAsks(t.Context(), d.Store, "me", drop)
		if err != nil || len(open) != 2 {
			t.Fatal(open, err)
		}
		_, err = supersede(t.Context(), d.Store, open)
		return r, ok, err
	}
	if _, ok, err := l.askAnew(t.Context(), state.Manifest{Owner: "me", Drop: drop}, "", ask, func(state.Request) error { return nil }); err != nil || ok {
		t.Errorf("it goes on: %v, %v", ok, err)
	}
	if now, _, err := requestOf(t.Context(), d.Store, "me", drop); err != nil || now.Ask != other.Ask {
		t.Errorf("the request for %v is the newest one: %v", now.Extractors, err)
	}
}

// A record that nobody can read keeps no other request of its owner back.
func TestABadRecordDoesNotKeepTheOtherRequestsOfItsOwnerBack(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	r := submitted(t, d, js, "ann", 1)
	purge(t, js, StreamIngest)
	foreign := state.Request{V: state.MessageVersion, Owner: "eve", Drop: r.Drop, Lane: state.LaneSmall}
	before := strings.Repeat("0", 64)
	if err := state.PutJSON(t.Context(), d.Store, state.RequestKey("ann", before), foreign); err != nil {
		t.Fatal(err)
	}
	if _, err := Reconcile(t.Context(), d, js); err == nil || !strings.Contains(err.Error(), "another owner") {
		t.Errorf("error %v", err)
	}
	if n := queuedIn(t, js, StreamIngest); n != 1 {
		t.Errorf("%d are queued", n)
	}
}

// What is wrong with one owner's head keeps the requests of nobody else back.
func TestABadHeadDoesNotKeepTheRequestsOfOtherOwnersBack(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	submitted(t, d, js, "bob", 1)
	purge(t, js, StreamIngest)
	for range 2 {
		if err := (state.Request{V: 1, Owner: "ann", Ask: d.NewID(), Drop: state.Digest("x"), Lane: state.LaneSmall}).Record(t.Context(), d.Store); err != nil {
			t.Fatal(err)
		}
	}
	if err := state.PutJSON(t.Context(), d.Store, state.HeadKey("ann"), "damaged"); err != nil {
		t.Fatal(err)
	}
	if _, err := Reconcile(t.Context(), d, js); fault.Of(err) != fault.Permanent {
		t.Errorf("error %v", err)
	}
	if n := queuedIn(t, js, StreamIngest); n != 1 {
		t.Errorf("%d are queued", n)
	}
}

// While another request for a drop is open, of a store whose clock is ahead of this machine's, a dry run of one comes to its end.
func TestADryRunDoesNotLoseAgainstAnOpenRequest(t *testing.T) {
	d, m, drop := onMemory(t)
	m.at = time.Date(2226, 3, 1, 12, 0, 0, 0, time.UTC)
	other := asking(d, drop, "rules")
	if err := other.Record(t.Context(), d.Store); err != nil {
		t.Fatal(err)
	}
	dry := d
	s, discard, err := Overlay(d.Store, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dry.Store = s
	if out, err := Rehearse(t.Context(), dry, asking(d, drop, "harvest")); err != nil || out.Receipt.State != state.StateDone {
		t.Errorf("%+v, %v", out.Receipt, err)
	}
	if err := discard(); err != nil {
		t.Error(err)
	}
	if now, ok, err := requestOf(t.Context(), d.Store, "me", drop); err != nil || !ok || now.Ask != other.Ask {
		t.Errorf("the open request is gone: %v", err)
	}
}
