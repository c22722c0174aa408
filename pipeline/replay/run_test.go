package replay

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
)

const threeNotes = "Hello.\nBye.\n* User likes tea.\n"

func TestAReplayOfUnchangedDropsWritesNothingAndOpensNoArchive(t *testing.T) {
	r := newRig(t, old)
	r.imports("ann", "a.notes", threeNotes)
	r.imports("ann", "b.notes", "More.\n")
	gets := 0
	replayer, err := New(Options{Ingest: r.stages().Ingest, Store: stagetest.Seal(r.store.View(func(c statetest.Call) error {
		if c.IsWrite() || strings.HasPrefix(c.Key, "inbox/") {
			t.Errorf("%v", c)
		}
		if !strings.HasPrefix(c.Key, "keys/") {
			gets++
		}
		return nil
	}, nil))})
	if err != nil {
		t.Fatal(err)
	}
	r.writes.Store(0)
	n := 0
	err = replayer.Run(t.Context(), r, Select(t.Context(), replayer.Store, Selection{}), func(o Outcome, _ Progress) error {
		if n++; o.Result != Unchanged || o.Changed || o.Now == "" {
			t.Errorf("%+v", o)
		}
		return nil
	})
	if err != nil || n != 2 || r.writes.Load() > 0 || len(r.asks) > 0 || gets > 9 {
		t.Errorf("%d outcomes, %d writes, asks %v, %d reads, %v", n, r.writes.Load(), r.asks, gets, err)
	}
}

func TestANewerImporterReplacesTheImportAndTheOlderOneComesBackWhenPinned(t *testing.T) {
	r := newRig(t, old)
	ref, first := r.imports("ann", "a.notes", threeNotes)
	r.importers = []providers.Importer{old, newer}
	second := r.replayOne(ref, Options{})
	if second.Result != state.StateDone || !second.Changed || second.Now == first.Import || second.Import != first.Import || !second.Store.Published ||
		second.Importers[0] != "notes-importer/2026.01" || !strings.Contains(strings.Join(r.memories("ann"), " "), "coffee") {
		t.Fatalf("%+v, %q", second, r.memories("ann"))
	}
	if again := r.replayOne(ref, Options{}); again.Result != Unchanged || r.writes.Load() > 0 {
		t.Errorf("%+v, %d writes", again, r.writes.Load())
	}
	third := r.replayOne(ref, Options{Want: job.Want{Importer: "notes-importer/2026.01"}})
	if third.Result != state.StateDone || third.Now != first.Import || !third.Changed || !strings.Contains(strings.Join(r.memories("ann"), " "), "tea") {
		t.Errorf("%+v, %q", third, r.memories("ann"))
	}
}

func TestOtherExtractorsAreAReasonToReadAgain(t *testing.T) {
	r := newRig(t, old)
	ref, first := r.imports("ann", "a.notes", threeNotes)
	o := r.replayOne(ref, Options{Want: job.Want{Extractors: []string{"rules"}}})
	if o.Result != state.StateDone || !o.Changed || o.Now == first.Import {
		t.Errorf("%+v", o)
	}
}

func TestSeveralDropsTakeTheLaneOfLargeOnes(t *testing.T) {
	r := newRig(t, old)
	ref, _ := r.imports("ann", "a.notes", threeNotes)
	r.imports("ann", "b.notes", "More.\n")
	r.importers = []providers.Importer{newer}
	if _, err := r.replay(Selection{}, Options{}); err != nil || len(r.asks) != 2 || r.asks[0].Lane != state.LaneBulk || r.asks[1].Lane != state.LaneBulk {
		t.Errorf("%+v, %v", r.asks, err)
	}
	if r.replayOne(ref, Options{Want: job.Want{Importer: "notes", Incomplete: true, Extractors: []string{"rules"}}}); len(r.asks) != 1 || r.asks[0].Lane != state.LaneSmall || !r.asks[0].Incomplete || r.asks[0].Importer != "notes" {
		t.Errorf("%+v", r.asks)
	}
}

func TestARefusedDropIsAcceptedByANewerImporterAndStaysAfterAnotherRefusal(t *testing.T) {
	elsewhere := notes("2026.03", "elsewhere/", unchanged)
	r := newRig(t, elsewhere)
	ref, _ := r.imports("ann", "a.notes", threeNotes)
	r.importers = []providers.Importer{old}
	good := r.replayOne(ref, Options{})
	if good.State != state.StateRefused || good.Files[0] != "export-0.zip" || good.Result != state.StateDone || !good.Changed || good.Import != "" {
		t.Fatalf("%+v", good)
	}
	r.importers = []providers.Importer{old, elsewhere}
	bad := r.replayOne(ref, Options{Want: job.Want{Importer: "notes-importer/2026.03"}})
	if bad.State != state.StateDone || bad.Result != state.StateRefused || bad.Reason == "" || bad.Now != good.Now || bad.Changed || bad.Store != nil {
		t.Errorf("%+v", bad)
	}
	if o := r.replayOne(ref, Options{Want: job.Want{Importer: "notes-importer/2026.01"}}); o.Result != Unchanged || o.Now != good.Now {
		t.Errorf("%+v", o)
	}
}

func TestDropsThatCannotBeReadAgainDoNotStopTheOthers(t *testing.T) {
	r := newRig(t, old)
	gone, _ := r.imports("ann", "a.notes", threeNotes)
	noRecord, _ := r.imports("ann", "b.notes", threeNotes)
	damaged, first := r.imports("ann", "c.notes", threeNotes)
	good, _ := r.imports("ann", "d.notes", threeNotes)
	other, _ := r.imports("bob", "a.notes", threeNotes)
	r.check(r.store.Delete(t.Context(), state.DropKey("ann", gone.Drop, "part-000")))
	r.check(r.store.Delete(t.Context(), state.DropKey("ann", noRecord.Drop, "drop.json")))
	r.check(objects.PutEmpty(t.Context(), r.store, state.ManifestKey("ann", first.Import)))
	r.check(objects.PutEmpty(t.Context(), r.store, state.HeadKey("bob")))
	r.check(objects.PutEmpty(t.Context(), r.store, state.HeadLogKey("bob", 1)))
	r.importers = []providers.Importer{newer}
	out, err := r.replay(Selection{}, Options{Parallel: 3})
	if err != nil || len(out) != 5 {
		t.Fatalf("%+v, %v", out, err)
	}
	for drop, want := range map[string]string{gone.Drop: Gone, noRecord.Drop: Gone, damaged.Drop: Trouble, good.Drop: state.StateFailed, "": Trouble} {
		if out[drop].Result != want || out[drop].Reason == "" {
			t.Errorf("%s: %+v", want, out[drop])
		}
	}
	if out[""].Owner != other.Owner || !strings.Contains(out[gone.Drop].Reason, "export-0.zip is not in the inbox any more") {
		t.Errorf("%+v, %+v", out[""], out[gone.Drop])
	}
}

func TestAnOutageStopsAReplayWhichCanBeRunAgain(t *testing.T) {
	r := newRig(t, old)
	for _, name := range []string{"a.notes", "b.notes", "c.notes"} {
		r.imports("ann", name, threeNotes+name+"\n")
	}
	r.importers = []providers.Importer{newer}
	o := Options{Store: r.view(), Ingest: r.stages().Ingest, Parallel: 1}
	replayer, err := New(o)
	r.check(err)
	out := &fault.Fault{Class: fault.Outage, Err: errors.New("no answer")}
	ended := 0
	err = replayer.Run(t.Context(), &failingWorker{rig: r, after: 1, err: out}, Select(t.Context(), r.view(), Selection{}), func(Outcome, Progress) error { ended++; return nil })
	if !errors.Is(err, out) || ended != 1 {
		t.Fatalf("%d ended, %v", ended, err)
	}
	again, err := r.replay(Selection{}, Options{})
	results := map[string]int{}
	for _, o := range again {
		results[o.Result]++
	}
	if err != nil || results[Unchanged] != 1 || results[state.StateDone] != 2 {
		t.Errorf("%v, %v", results, err)
	}
}

// failingWorker fails after some waits.
type failingWorker struct {
	*rig
	after int
	err   error
}

func (w *failingWorker) Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error) {
	if w.after--; w.after < 0 {
		return job.Record{}, w.err
	}
	return w.rig.Wait(ctx, ref, gen)
}

func TestAReplayThatDoesNotWaitAsksOnly(t *testing.T) {
	r := newRig(t, old)
	ref, _ := r.imports("ann", "a.notes", threeNotes)
	r.importers = []providers.Importer{newer}
	if o := r.replayOne(ref, Options{NoWait: true}); o.Result != Queued || len(r.asks) != 1 || o.Now != o.Import {
		t.Errorf("%+v", o)
	}
}

func TestWorkersElsewhereNoticeByThemselvesWhatWouldNotChange(t *testing.T) {
	r := newRig(t, old)
	ref, first := r.imports("ann", "a.notes", threeNotes)
	o := r.replayOne(ref, Options{Elsewhere: true})
	if o.Result != state.StateDone || o.Changed || o.Now != first.Import || o.Store.Published {
		t.Errorf("%+v, %+v", o, o.Store)
	}
}

func TestAReplayByUnknownNamesIsPermanent(t *testing.T) {
	r := newRig(t, old)
	for _, w := range []job.Want{{Importer: "diary"}, {Extractors: []string{"magic"}}} {
		if _, err := New(Options{Store: r.store, Ingest: r.stages().Ingest, Want: w}); err == nil {
			t.Errorf("%+v", w)
		}
	}
}

func TestTheErrorOfAReportStopsAReplay(t *testing.T) {
	r := newRig(t, old)
	r.imports("ann", "a.notes", threeNotes)
	r.imports("ann", "b.notes", threeNotes)
	replayer, err := New(Options{Store: r.view(), Ingest: r.stages().Ingest, Parallel: 1})
	r.check(err)
	full := errors.New("disk full")
	if err := replayer.Run(t.Context(), r, Select(t.Context(), r.view(), Selection{}), func(Outcome, Progress) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestAReplayWithFailedPartsReplacesAWholeImportOnRequestOnly(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a")
	w.Import(ref, byChatGPT, job.Want{})
	whole := jobtest.ImportID(ref, byChatGPT.Importers...)
	partial := jobtest.Plan{Shards: 2, Failed: []int{1}, Importers: []string{"chatgpt-importer/2026.08"}}
	w.Plans[ref] = partial
	r := newRig(t, old)
	for _, incomplete := range []bool{false, true} {
		replayer, err := New(Options{Store: w.Store, Ingest: r.stages().Ingest, Elsewhere: true, Want: job.Want{Incomplete: incomplete}})
		r.check(err)
		err = replayer.Run(t.Context(), w, Select(t.Context(), w.Store, Selection{}), func(o Outcome, _ Progress) error {
			if !incomplete && (o.Result != state.StateFailed || o.Now != whole || !strings.Contains(o.Reason, "1 of 2 shards failed") || o.Hint == "") {
				t.Errorf("%+v", o)
			}
			if incomplete && (o.Result != state.StateLosses || !o.Changed || o.Now != jobtest.ImportID(ref, partial.Importers...)) {
				t.Errorf("on request: %+v", o)
			}
			return nil
		})
		r.check(err)
	}
}

func TestADropThatWouldBeRefusedAgainIsNotAskedFor(t *testing.T) {
	r := newRig(t, old)
	ref := r.drop("ann", "photo.jpg", "?")
	asked, err := r.Ask(t.Context(), ref, job.Want{})
	r.check(err)
	reading, err := r.stages().Ingest.RefusalReading("")
	r.check(err)
	f := job.Failure{Class: fault.Permanent, Reason: "no known format", Detail: "photo.jpg is a picture", Hint: "drop an export", Reading: reading}
	r.check(r.inline(ref).jobs.Fail(t.Context(), asked.Tasks[0], f))
	o := r.replayOne(ref, Options{})
	if o.Result != state.StateRefused || o.Reason != "photo.jpg is a picture" || o.Hint != "drop an export" || len(r.asks) > 0 || r.writes.Load() > 0 {
		t.Errorf("%+v, asks %v, %d writes", o, r.asks, r.writes.Load())
	}
	// Another importer, or workers of another version, may read it.
	for what, o := range map[string]Options{"pinned": {Want: job.Want{Importer: "notes"}}, "elsewhere": {Elsewhere: true}} {
		if out := r.replayOne(ref, o); out.Result != state.StateRefused || len(r.asks) != 1 {
			t.Errorf("%s: %+v, asks %v", what, out, r.asks)
		}
		asked, err := r.Ask(t.Context(), ref, job.Want{})
		r.check(err)
		r.check(r.inline(ref).jobs.Fail(t.Context(), asked.Tasks[0], f))
	}
	r.importers = []providers.Importer{newer}
	if out := r.replayOne(ref, Options{}); len(r.asks) != 1 {
		t.Errorf("a new importer: %+v", out)
	}
	asked, err = r.Ask(t.Context(), ref, job.Want{})
	r.check(err)
	r.check(r.store.Delete(t.Context(), state.DropKey("ann", ref.Drop, "part-000")))
	f.Reading = ""
	r.check(r.inline(ref).jobs.Fail(t.Context(), asked.Tasks[0], f))
	if out := r.replayOne(ref, Options{}); out.Result != Gone {
		t.Errorf("refused for another reason: %+v", out)
	}
}
