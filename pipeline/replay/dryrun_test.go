package replay

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
)

// dryRuns does dry runs of drops, one after the other over one overlay, and gives them with their
// diffs. The store must not change.
func (r *rig) dryRuns(w job.Want, refs ...job.Ref) (runs []DryRun, diffs []StoreDiff) {
	r.Helper()
	over, discard, err := Overlay(r.view(), r.TempDir())
	r.check(err)
	before := r.store.Sum()
	r.writes.Store(0)
	for _, ref := range refs {
		run, err := RunDry(r.Context(), over, r.stages(), ref, w)
		r.check(err)
		diff, err := Diff(r.Context(), over, ref.Owner, run.Before, run.After, 1)
		r.check(err)
		r.check(run.Forget(r.Context(), over))
		runs, diffs = append(runs, run), append(diffs, diff)
	}
	r.check(discard())
	if r.store.Sum() != before || r.writes.Load() > 0 {
		r.Errorf("a dry run has written %d times", r.writes.Load())
	}
	return runs, diffs
}

func TestADryRunChangesNothingAndShowsWhatTheReplayDoes(t *testing.T) {
	r := newRig(t, old)
	one, _ := r.imports("ann", "a.notes", threeNotes)
	two, _ := r.imports("ann", "b.notes", "Come for tea.\nI drink tea.\n")
	r.importers = []providers.Importer{old, newer}
	runs, diffs := r.dryRuns(job.Want{}, one, two)
	first, second := diffs[0], diffs[1]
	if first.Conversations.Renamed != 2 || first.Conversations.Changed.Count != 0 || first.Memories.Added.Count != 1 || first.Memories.Archived.Count != 1 ||
		!strings.Contains(first.Memories.Added.First[0].Content, "coffee") {
		t.Errorf("the first drop: %+v", first)
	}
	if second.Conversations.Changed.Count != 2 || len(second.Conversations.Changed.First) != 1 || second.Conversations.Changed.First[0].TitleBefore == nil || second.IsEmpty() {
		t.Errorf("the second drop: %+v", second)
	}
	for _, run := range runs {
		if run.Report.State != state.StateDone || reflect.DeepEqual(run.Before, run.After) || !run.Report.Store.Published || run.Report.Gen != 2 {
			t.Errorf("%+v", run)
		}
	}
	if !reflect.DeepEqual(runs[1].Before, runs[0].After) {
		t.Error("the second dry run does not begin where the first has ended")
	}
	real := r.replayOne(one, Options{})
	if real.Result != state.StateDone || real.Store.Memories != runs[0].Report.Store.Memories {
		t.Errorf("%+v, dry run %+v", real.Store, runs[0].Report.Store)
	}
}

func TestADryRunOfAnUnchangedDropPublishesNothing(t *testing.T) {
	r := newRig(t, old)
	ref, first := r.imports("ann", "a.notes", threeNotes)
	runs, diffs := r.dryRuns(job.Want{}, ref)
	if runs[0].Before.ExportID != runs[0].After.ExportID || runs[0].Report.Import != first.Import || !diffs[0].IsEmpty() {
		t.Errorf("%+v, %+v", runs[0], diffs[0])
	}
}

func TestADryRunOfAFirstImportShowsEverythingAsAdded(t *testing.T) {
	r := newRig(t, old)
	runs, diffs := r.dryRuns(job.Want{}, r.drop("ann", "a.notes", threeNotes))
	if runs[0].Before.ExportID != "" || runs[0].After.ExportID == "" || diffs[0].Conversations.Added.Count != 2 || diffs[0].Memories.Added.Count != 1 {
		t.Errorf("%+v, %+v", runs[0], diffs[0])
	}
}

func TestADryRunReportsARefusal(t *testing.T) {
	r := newRig(t, old)
	ref, _ := r.imports("ann", "a.notes", threeNotes)
	r.importers = []providers.Importer{old, notes("2026.03", "elsewhere/", unchanged)}
	runs, _ := r.dryRuns(job.Want{Importer: "notes-importer/2026.03"}, ref, r.drop("ann", "x.txt", "?"))
	for i, run := range runs {
		if run.Report.State != state.StateRefused || run.Report.Reason == "" || !reflect.DeepEqual(run.Before, run.After) {
			t.Errorf("%d: %+v", i, run)
		}
	}
}

func TestADryRunSupersedesAnImportThatIsGoingOnInItsOverlayOnly(t *testing.T) {
	r := newRig(t, old)
	ref := r.drop("ann", "a.notes", threeNotes)
	if _, err := r.Ask(t.Context(), ref, job.Want{Importer: "notes-importer/2026.01", Lane: state.LaneSmall}); err != nil {
		t.Fatal(err)
	}
	runs, _ := r.dryRuns(job.Want{}, ref)
	if runs[0].Report.State != state.StateDone || runs[0].Report.Gen != 2 {
		t.Errorf("%+v", runs[0])
	}
}

func TestAnOutageEndsADryRun(t *testing.T) {
	r := newRig(t, old)
	ref, _ := r.imports("ann", "a.notes", threeNotes)
	r.importers = []providers.Importer{newer}
	out := errors.New("connection refused")
	for n := 0; ; n += 11 {
		hook, reached := statetest.FailCall(n, out)
		over, discard, err := Overlay(objects.ClassedStore{Store: stagetest.Seal(r.store.View(hook, nil))}, t.TempDir())
		r.check(err)
		stages := r.stages()
		stages.Ingest.ReuseFrom = -1 // earlier imports need not be readable
		_, err = RunDry(t.Context(), over, stages, ref, job.Want{})
		r.check(discard())
		if !reached() {
			return
		}
		if !errors.Is(err, out) && fault.Of(err) != fault.Outage {
			t.Errorf("call %d: %v", n, err)
		}
	}
}

func TestAnOverlayShowsItsOwnWritesAndLeavesTheStoreBelow(t *testing.T) {
	ctx := context.Background()
	base := statetest.New()
	put := func(s blob.Store, key, body string, o blob.PutOptions) error {
		_, err := s.Put(ctx, key, strings.NewReader(body), o)
		return err
	}
	for _, key := range []string{"a", "b", "c"} {
		if err := put(base, key, "below", blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	before := base.Sum()
	over, discard, err := Overlay(base, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b, err := over.Head(ctx, "b")
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"absent of a key below":    put(over, "a", "x", blob.PutOptions{IfAbsent: true}),
		"match of another version": put(over, "a", "x", blob.PutOptions{IfMatch: "?"}),
		"match of no object":       put(over, "d", "x", blob.PutOptions{IfMatch: b.ETag}),
	} {
		if !errors.Is(err, blob.ErrPrecondition) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := errors.Join(put(over, "b", "above", blob.PutOptions{IfMatch: b.ETag}), put(over, "bb", "above", blob.PutOptions{IfAbsent: true}),
		over.Delete(ctx, "c"), over.Delete(ctx, "none")); err != nil {
		t.Fatal(err)
	}
	if err := put(over, "b", "x", blob.PutOptions{IfMatch: b.ETag}); !errors.Is(err, blob.ErrPrecondition) {
		t.Errorf("match of the version below: %v", err)
	}
	var got []string
	for o, err := range over.List(ctx, "") {
		if err != nil {
			t.Fatal(err)
		}
		body, _, err := blob.ReadAll(ctx, over, o.Key, 100)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s", o.Key, body))
	}
	if strings.Join(got, ", ") != "a below, b above, bb above" {
		t.Errorf("%q", got)
	}
	if _, err := over.Head(ctx, "c"); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("deleted: %v", err)
	}
	if err := put(over, "c", "again", blob.PutOptions{IfAbsent: true}); err != nil {
		t.Errorf("put after a deletion: %v", err)
	}
	if err := discard(); err != nil || base.Sum() != before {
		t.Errorf("%v", err)
	}
}
