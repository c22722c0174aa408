package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

const torn = `{"v":1,"sta`

// tear writes an object that cannot be decoded.
func tear(t *testing.T, s blob.Store, key string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(torn), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

// cutBody is a store whose objects end before their end.
type cutBody struct{ blob.Store }

func (c cutBody) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, o, err := c.Store.Get(ctx, key, r)
	if err == nil {
		rc = io.NopCloser(io.MultiReader(io.LimitReader(rc, 3), severed{}))
	}
	return rc, o, err
}

type severed struct{}

func (severed) Read([]byte) (int, error) { return 0, errCut }

// What storage fails to give is no damaged object.
func TestAnObjectThatCannotBeFetchedIsNotTakenForADamagedOne(t *testing.T) {
	m := newMemory()
	if err := state.PutJSON(t.Context(), m, "x", map[string]int{"v": 1}); err != nil {
		t.Fatal(err)
	}
	var v map[string]int
	if _, err := state.ReadJSON(t.Context(), cutBody{m}, "x", &v); !errors.Is(err, errCut) || fault.Of(err) == fault.Permanent {
		t.Errorf("%s: %v", fault.Of(err), err)
	}
	if _, err := state.ReadJSON(t.Context(), state.ClassedStore{Store: cutBody{m}}, "x", &v); fault.Of(err) != fault.Outage {
		t.Errorf("%s: %v", fault.Of(err), err)
	}
}

// Whatever object it is, the message names it and says what to do.
func TestAnUnusableObjectSaysWhatToDo(t *testing.T) {
	m := newMemory()
	drop, id := state.Digest("drop"), idOf(1)
	for key, want := range map[string]string{
		state.RequestKey("ann", drop):                   "import or replay the drop again",
		state.RequestPrefix("ann") + "notes.txt":        "import or replay the drop again",
		state.MarkerKey("ann", id, "s"):                 "its shard is extracted again",
		state.WorkKey("ann", id, noteName):              "it is written anew",
		"work/_attempts/extract/00.json":                "it is written anew",
		state.TakenKey("ann", id):                       "what it is about is looked at again",
		state.DropKey("ann", drop, "drop.json"):         "drop the archive again",
		state.ReceiptKey("ann", id):                     "which writes it anew",
		state.ManifestKey("ann", id):                    "which reads it anew",
		state.ImportKey("ann", id, "spent.json"):        "counted from nothing",
		state.ImportKey("ann", id, "assets/00000.json"): "restore it from a backup",
		state.HeadKey("ann"):                            "restore it from a backup, with the objects that it names",
		state.InputsKey("ann", drop):                    "restore it from a backup",
	} {
		tear(t, m, key)
		var v state.Marker
		tag, err := state.ReadJSON(t.Context(), m, key, &v)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Class != fault.Permanent || tag == "" || !strings.Contains(f.Error(), key) || !strings.Contains(f.Hint, want) {
			t.Errorf("%s: %q %v", key, tag, err)
		}
	}
}

// One owner's objects that cannot be used keep nothing else of the owner, and nothing of anybody else, from being worked on.
func TestAPassGoesOnBehindObjectsThatItCannotUse(t *testing.T) {
	for name, key := range map[string]string{
		"a request":                 state.RequestKey("ann", state.Digest("x")),
		"a thing that is no record": state.RequestPrefix("ann") + "notes.txt",
		"a note":                    state.WorkKey("ann", idOf(1), noteName),
	} {
		t.Run(name, func(t *testing.T) {
			js := broker(t)
			d := testDeps(t)
			want := []string{submitted(t, d, js, "ann", 1).Subject(), submitted(t, d, js, "bob", 2).Subject()}
			purge(t, js, StreamIngest)
			tear(t, d.Store, key)
			_, err := Reconcile(t.Context(), d, js)
			if fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "remove it") {
				t.Errorf("error %v", err)
			}
			got, err := queuedSubjects(t.Context(), js, StreamIngest, ">")
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("queued are %v, %v", got, err)
			}
		})
	}
}

// Of a head that cannot be read, only the drops suffer that it is read for.
func TestABadHeadKeepsOnlyTheDropsBackThatNeedIt(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	one := submitted(t, d, js, "ann", 1)
	purge(t, js, StreamIngest)
	for range 2 {
		if err := (state.Request{V: 1, Owner: "ann", Ask: d.NewID(), Drop: state.Digest("x"), Lane: state.LaneSmall}).Record(t.Context(), d.Store); err != nil {
			t.Fatal(err)
		}
	}
	tear(t, d.Store, state.HeadKey("ann"))
	if _, err := Reconcile(t.Context(), d, js); fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), state.HeadKey("ann")) {
		t.Errorf("error %v", err)
	}
	got, err := queuedSubjects(t.Context(), js, StreamIngest, ">")
	if err != nil || !slices.Equal(got, []string{one.Subject()}) {
		t.Errorf("queued are %v, %v", got, err)
	}
}

// A count of attempts that cannot be read must not keep a unit in the queue for ever.
func TestAttemptsThatCannotBeReadAreCountedAnew(t *testing.T) {
	r := newRig(t)
	body, err := json.Marshal(oneTask)
	if err != nil {
		t.Fatal(err)
	}
	msg := heldMessage{subject: oneTask.Subject(), body: body}
	tear(t, r.Store, attemptsKey(telemetry.StageExtract, msg))
	for want := 1; want < 3; want++ {
		if n, err := r.countAttempt(t.Context(), telemetry.StageExtract, msg); err != nil || n != want {
			t.Errorf("attempt %d is told as %d, %v", want, n, err)
		}
	}
}

// A marker that cannot be read is none: whoever has the shard in hand writes it anew, done or failed.
func TestAMarkerThatCannotBeReadIsWrittenAnew(t *testing.T) {
	next := contests(t)
	t.Run("by who does the shard", func(t *testing.T) {
		c := next(t)
		tear(t, c.Store, c.marker())
		if err := c.extract(t.Context(), c.msg.Data()); err != nil {
			t.Fatal(err)
		}
		if err := c.assemble(t.Context(), c.assembly); err != nil {
			t.Fatal(err)
		}
		if r, ok, err := state.ReadReceipt(t.Context(), c.Store, c.owner, c.m.Import); err != nil || !ok || r.State != state.StateDone {
			t.Errorf("receipt %+v, %v", r, err)
		}
	})
	t.Run("by who is faster", func(t *testing.T) {
		c := next(t)
		w := c.slow(map[string]func() error{"before put " + c.marker(): func() error { tear(t, c.Store, c.marker()); return nil }})
		if err := w.extract(t.Context(), c.msg.Data()); err != nil {
			t.Fatal(err)
		}
		if got := textOf(t, c.Store, c.marker()); !strings.Contains(got, `"ok"`) {
			t.Errorf("the marker says %s", got)
		}
	})
	t.Run("by who gives it up", func(t *testing.T) {
		c := next(t)
		tear(t, c.Store, c.marker())
		if err := c.giveUp(); err != nil {
			t.Fatal(err)
		}
		if err := c.end(); err != nil {
			t.Fatal(err)
		}
		if got := textOf(t, c.Store, c.marker()); !strings.Contains(got, `"failed"`) {
			t.Errorf("the marker says %s", got)
		}
	})
}

// Nobody else takes one for a marker, either: the pass has its shard done, and so has whoever redrives it.
func TestAShardWhoseMarkerCannotBeReadIsDoneAgain(t *testing.T) {
	js := broker(t)
	d := testDeps(t)
	d.Limits.ShardItems = 1
	store := newMemory()
	d.Store = store
	for name, again := range map[string]func(*byHand, *lossy){
		"by a pass": func(h *byHand, l *lossy) {
			if err := submit(t.Context(), h.Store, h.js, asking(h.Deps, l.drop, "harvest"), 0); err != nil {
				t.Fatal(err)
			}
			h.queue = nil // it is lost
			if _, err := Reconcile(t.Context(), h.Deps, h.js); err != nil {
				t.Fatal(err)
			}
		},
		"by a redrive": func(h *byHand, l *lossy) { h.redrive(t, l.letters[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			purge(t, js, StreamDLQ)
			h := newByHand(t, d, js)
			l := newLossy(t, h, store, 1, false)
			tear(t, store, state.MarkerKey("me", l.id, l.shards[0]))
			again(h, l)
			h.work(t)
			if wrong := l.Check(t, state.StateDone); len(wrong) > 0 {
				t.Error(wrong)
			}
		})
		store = newMemory()
		d.Store = store
	}
}

// A unit that cannot be given up as it should, because an object for that cannot be used either, has its letter and ends.
func TestAUnitIsGivenUpWhateverElseCannotBeUsed(t *testing.T) {
	for name, st := range map[string]stage{
		"giving up": {name: telemetry.StageExtract, giveUp: func(context.Context, []byte, error) error { return fault.Permanentf("", "damaged") }},
		"ending": {name: telemetry.StageExtract, giveUp: func(context.Context, []byte, error) error { return nil },
			end: func(context.Context, []byte, error) error { return fault.Permanentf("", "damaged") }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			body, err := json.Marshal(oneTask)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.bury(t.Context(), st, heldMessage{subject: oneTask.Subject(), body: body}, errCut, 3); err != nil {
				t.Fatal(err)
			}
			if l := r.letters(t); len(l) != 1 || !strings.Contains(l[0].Reason, errCut.Error()) {
				t.Errorf("letters %+v", l)
			}
		})
	}
}

// Whoever brings the archive again gets it imported, as the message about its record says.
func TestARecordOfADropThatCannotBeReadIsReplacedWhenItComesAgain(t *testing.T) {
	d := testDeps(t)
	drop := dropOfText(t, d, twoConversations)
	tear(t, d.Store, state.DropKey("me", drop, "drop.json"))
	if _, err := state.ReadDrop(t.Context(), d.Store, "me", drop); fault.Of(err) != fault.Permanent {
		t.Fatal(err)
	}
	if again := dropOfText(t, d, twoConversations); again != drop {
		t.Fatalf("it is drop %s now", again)
	}
	if _, err := state.ReadDrop(t.Context(), d.Store, "me", drop); err != nil {
		t.Error(err)
	}
}

// A receipt that cannot be read says nothing of whether a drop was refused.
func TestADropWhoseRefusalCannotBeReadIsReadAgain(t *testing.T) {
	d := testDeps(t)
	req := dropOf("me", 1)
	tear(t, d.Store, state.ReceiptKey("me", refusal(d, req, state.DropRecord{}, errCut).Import))
	if _, same, err := RefusedBefore(t.Context(), d, req); err != nil || same {
		t.Errorf("refused before: %v, %v", same, err)
	}
}
