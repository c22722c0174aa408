package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
)

// letters gives the dead letters of a filter as "owner/file stage", and the letters.
func letters(t *testing.T, w *jobtest.World, f Filter) (lines []string, list []DeadLetter) {
	t.Helper()
	for l, err := range NewLetters(w.Store).List(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		lines, list = append(lines, l.Owner+"/"+strings.Join(l.Files, "+")+" "+l.Stage), append(list, l)
	}
	slices.Sort(lines)
	return lines, list
}

// unread is an ingest that failed for a reason that an operator can repair.
var unread = jobtest.Plan{Refuse: &fault.Fault{Class: fault.Unit, Hint: "make room", Err: errors.New("write pack: no space left")}}

// fourFailures gives a world with a failed ingest, two failed shards, a failed assembly and a wrong
// upload.
func fourFailures(t *testing.T) *jobtest.World {
	w := jobtest.New(t)
	w.Import(w.Drop("ann", "full"), unread, job.Want{})
	w.Import(w.Drop("ann", "lost"), jobtest.Plan{Shards: 3, Failed: []int{0, 2}, Importers: []string{"claude-importer/2026.07"}}, job.Want{})
	w.Import(w.Drop("bob", "broken"), jobtest.Plan{Shards: 1, Broken: fault.Permanentf("report it", "the store cannot be computed")}, job.Want{})
	photo := w.Drop("bob", "photo")
	asked, err := w.Jobs.Ask(t.Context(), photo, job.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Jobs.Fail(t.Context(), asked.Tasks[0], job.Failure{Class: fault.Permanent, Reason: "it is a photo", Attempts: 1, Reading: "r1"}); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestDeadLettersAreSelected(t *testing.T) {
	w := fourFailures(t)
	for _, tt := range []struct {
		f    Filter
		want []string
	}{
		{Filter{}, []string{"ann/full ingest", "ann/lost extract", "ann/lost extract", "bob/broken assemble"}},
		{Filter{Owner: "ann"}, []string{"ann/full ingest", "ann/lost extract", "ann/lost extract"}},
		{Filter{Stage: "extract"}, []string{"ann/lost extract", "ann/lost extract"}},
		{Filter{Owner: "bob", WrongUploads: true}, []string{"bob/broken assemble", "bob/photo ingest"}},
		{Filter{Owner: "bob", Drop: w.Drop("bob", "broken").Drop}, []string{"bob/broken assemble"}},
		{Filter{Owner: "eve"}, nil},
	} {
		if lines, _ := letters(t, w, tt.f); !slices.Equal(lines, tt.want) {
			t.Errorf("%+v: %q", tt.f, lines)
		}
	}
	for _, f := range []Filter{{Owner: "Ann!"}, {Stage: "events"}, {ID: "abc"}, {ID: "wxyz"}, {Drop: "d"}, {Limit: -1}} {
		if _, err := NewLetters(w.Store).Page(t.Context(), f); !errors.Is(err, ErrFilter) {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestADeadLetterNamesWhatItIsAboutAndWhatToDo(t *testing.T) {
	w := fourFailures(t)
	_, list := letters(t, w, Filter{WrongUploads: true})
	advice := map[string]bool{}
	for _, l := range list {
		if _, there := w.Store.Body(l.Object); !there || l.ID == "" || l.Gen != 1 || l.FailedAt.IsZero() || l.Reason == "" || l.Advice == "" {
			t.Errorf("%+v", l)
		}
		advice[l.Advice] = true
		_, hasReceipt := w.Store.Body(l.Receipt)
		switch l.Stage {
		case "extract":
			if !hasReceipt || l.Shard == "" || l.Import == "" || !slices.Equal(l.Providers, []string{"claude"}) || l.Attempts != 3 {
				t.Errorf("%+v", l)
			}
		case "assemble":
			if l.Receipt != "" || l.Import == "" || l.Hint != "report it" {
				t.Errorf("%+v", l)
			}
		default:
			if l.Receipt != "" || l.Import != "" || l.WrongUpload != (l.Files[0] == "photo") {
				t.Errorf("%+v", l)
			}
		}
	}
	if len(list) != 5 || len(advice) != 4 {
		t.Errorf("%d letters, advice %v", len(list), advice)
	}
}

func TestADeadLetterIsFoundByThePrefixOfItsID(t *testing.T) {
	w := fourFailures(t)
	_, list := letters(t, w, Filter{WrongUploads: true})
	l := NewLetters(w.Store)
	for _, one := range list {
		got, err := l.Page(t.Context(), Filter{ID: one.ID[:6], WrongUploads: true})
		if err != nil || len(got.Letters) != 1 || got.Letters[0].Object != one.Object {
			t.Errorf("%s: %+v, %v", one.ID, got, err)
		}
	}
	if _, err := l.Page(t.Context(), Filter{ID: "abc"}); !errors.Is(err, ErrFilter) {
		t.Errorf("three digits: %v", err)
	}
	if got, err := l.Page(t.Context(), Filter{ID: "000000", WrongUploads: true}); err != nil || len(got.Letters) != 0 {
		t.Errorf("an id that is not there: %+v, %v", got, err)
	}
}

func TestPagesOfDeadLettersFollowEachOther(t *testing.T) {
	w := fourFailures(t)
	_, all := letters(t, w, Filter{WrongUploads: true})
	var got []string
	for f := (Filter{WrongUploads: true, Limit: 2}); ; {
		page, err := NewLetters(w.Store).Page(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range page.Letters {
			got = append(got, l.ID)
		}
		if f.After = page.Next; f.After == "" {
			break
		}
	}
	var want []string
	for _, l := range all {
		want = append(want, l.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAPageReadsNothingOfTheLettersBeforeIt(t *testing.T) {
	w := fourFailures(t)
	first, err := NewLetters(w.Store).Page(t.Context(), Filter{Limit: 3})
	if err != nil || first.Letters[2].Owner != "ann" {
		t.Fatal(first, err)
	}
	s := w.Store.View(func(c statetest.Call) error {
		if c.IsWrite() || c.Op == "get" && strings.Contains(c.Key, "/ann/") {
			t.Errorf("%v", c)
		}
		return nil
	}, nil)
	if page, err := NewLetters(s).Page(t.Context(), Filter{After: first.Next}); err != nil || len(page.Letters) != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestRedrivingManyLettersOfADropIsOneGeneration(t *testing.T) {
	w := fourFailures(t)
	for ref, p := range w.Plans { // the causes are fixed
		p.Failed, p.Broken, p.Refuse = nil, nil, nil
		w.Plans[ref] = p
	}
	w.Asks = nil
	var got []string
	for r, err := range NewLetters(w.Store).Redrive(t.Context(), w, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %d", r.Letters[0].Files[0], r.Result, len(r.Letters)))
		if rec, err := w.Wait(t.Context(), r.Ref(), r.Gen); err != nil || rec.Outcome != job.Done || r.Gen != 2 {
			t.Errorf("%+v: %+v, %v", r, rec, err)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"broken queued 1", "full queued 1", "lost queued 2"}) || len(w.Asks) != 3 {
		t.Errorf("%q, asks %v", got, w.Asks)
	}
	if lines, _ := letters(t, w, Filter{}); len(lines) > 0 {
		t.Errorf("left: %q", lines)
	}
}

func TestWorkThatFailsAgainHasOneDeadLetter(t *testing.T) {
	w := fourFailures(t)
	before, _ := letters(t, w, Filter{})
	for r, err := range NewLetters(w.Store).Redrive(t.Context(), w, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		w.Run(r.Ref())
	}
	after, list := letters(t, w, Filter{})
	if !slices.Equal(after, before) {
		t.Errorf("%q, before %q", after, before)
	}
	for _, l := range list {
		if l.Gen != 2 {
			t.Errorf("%+v", l)
		}
	}
}

func TestARedriveWithoutItsArchiveIsGoneUnlessTheImportIsKnown(t *testing.T) {
	w := fourFailures(t)
	for _, key := range w.Store.Keys("inbox/") {
		if !strings.HasSuffix(key, "drop.json") {
			if err := w.Store.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
	results := map[string]string{}
	for r, err := range NewLetters(w.Store).Redrive(t.Context(), w, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		results[r.Letters[0].Files[0]] = r.Result
		if (r.Reason != "") != (r.Result == Gone) {
			t.Errorf("%+v", r)
		}
	}
	if results["full"] != Gone || results["lost"] != Queued || results["broken"] != Queued {
		t.Errorf("%v", results)
	}
}

func TestDamagedObjectsOfOneDropDoNotKeepTheLettersOfOthers(t *testing.T) {
	w := fourFailures(t)
	full, broken := w.Drop("ann", "full"), w.Drop("bob", "broken")
	w.Put(state.FailedKey("ann", full.Drop, 1, "ingest"), "{")
	w.Put(state.JobKey("bob", broken.Drop), "{")
	_, list := letters(t, w, Filter{})
	unusable := 0
	for _, l := range list {
		if l.Unusable != "" && l.Hint != "" && l.ID != "" {
			unusable++
		}
	}
	if len(list) != 4 || unusable != 2 {
		t.Errorf("%d of %+v", unusable, list)
	}
	results := map[string]string{}
	for r, err := range NewLetters(w.Store).Redrive(t.Context(), w, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		results[r.Drop] = r.Result
	}
	if results[broken.Drop] != Trouble || results[full.Drop] != Queued || len(results) != 3 {
		t.Errorf("%v", results)
	}
}

func TestAnOutageEndsAListOfLettersAndARedrive(t *testing.T) {
	out := errors.New("connection refused")
	for _, redrive := range []bool{false, true} {
		for n := 0; ; n += statetest.Stride(5) {
			w := fourFailures(t)
			hook, reached := statetest.FailCall(n, out)
			l := NewLetters(w.Store.View(hook, nil))
			var last error
			if redrive {
				for _, err := range l.Redrive(t.Context(), w, Filter{}) {
					last = err
				}
			} else {
				for _, err := range l.List(t.Context(), Filter{}) {
					last = err
				}
			}
			if !reached() {
				break
			}
			if !errors.Is(last, out) {
				t.Errorf("call %d: %v", n, last)
			}
		}
	}
}

func TestFailedEditsOfAnOwnerHaveADeadLetter(t *testing.T) {
	w := jobtest.New(t)
	ref := job.Ref{Owner: "ann", Drop: state.OwnerJob}
	w.Import(ref, jobtest.Plan{Broken: fault.Permanentf("report it", "the store cannot be computed")}, job.Want{Edits: 1})
	_, list := letters(t, w, Filter{})
	if len(list) != 1 || list[0].Drop != state.OwnerJob || list[0].Stage != "assemble" || !strings.Contains(list[0].Advice, "edits") {
		t.Fatalf("%+v", list)
	}
	w.Plans[ref] = jobtest.Plan{}
	for r, err := range NewLetters(w.Store).Redrive(t.Context(), w, Filter{Owner: "ann"}) {
		if err != nil || r.Result != Queued {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// refused gives a world in whose inbox two entries were refused before they became drops.
func refused(t *testing.T) *jobtest.World {
	w := fourFailures(t)
	for key, cause := range map[string]error{
		"inbox/ann/talks.json": errors.New("nobody knows why"), "inbox/bob/talks.json": fault.Permanentf("remove the line", "read settings: there is no such importer"),
	} {
		in := inbox.New(inbox.Options{Store: w.Store, Registry: providers.Default(), Extractors: builtin.Registry(), Now: w.Store.Now}, nil, refusing{cause})
		w.Put(key, "talks")
		if err := in.Take(t.Context(), inbox.Task{V: 1, Owner: strings.Split(key, "/")[1], Key: key}, true); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// refusing refuses each import.
type refusing struct{ cause error }

func (r refusing) Ask(context.Context, job.Ref, job.Want) (job.Asked, error) {
	return job.Asked{}, r.cause
}

func TestRefusedEntriesOfTheInboxAreListedAndRetried(t *testing.T) {
	w := refused(t)
	for _, tt := range []struct {
		f    Filter
		want int
	}{{Filter{}, 5}, {Filter{WrongUploads: true}, 7}, {Filter{Stage: "inbox"}, 2}, {Filter{Stage: "inbox", Owner: "bob"}, 1}, {Filter{Owner: "bob"}, 1}, {Filter{Stage: "ingest", WrongUploads: true}, 2}} {
		if lines, _ := letters(t, w, tt.f); len(lines) != tt.want {
			t.Errorf("%+v: %q", tt.f, lines)
		}
	}
	first, err := NewLetters(w.Store).Page(t.Context(), Filter{WrongUploads: true, Limit: 6})
	if err != nil || first.Letters[5].Stage != "inbox" {
		t.Fatalf("%+v, %v", first, err)
	}
	last, err := NewLetters(w.Store).Page(t.Context(), Filter{WrongUploads: true, Limit: 6, After: first.Next})
	if err != nil || len(last.Letters) != 1 || last.Next != "" {
		t.Fatalf("%+v, %v", last, err)
	}
	one := last.Letters[0]
	if one.Owner != "bob" || one.Files[0] != "talks.json" || one.Reason == "" || one.Hint != "remove the line" || one.Advice == "" || one.Attempts != 0 {
		t.Errorf("%+v", one)
	}
	if got, err := NewLetters(w.Store).Page(t.Context(), Filter{ID: one.ID[:6], WrongUploads: true}); err != nil || len(got.Letters) != 1 || got.Letters[0].Object != one.Object {
		t.Errorf("%+v, %v", got, err)
	}
	if lines, _ := letters(t, w, Filter{Drop: one.Drop, WrongUploads: true}); len(lines) != 1 {
		t.Errorf("of the entry: %q", lines)
	}
	if _, list := letters(t, w, Filter{Stage: "inbox", Owner: "ann"}); list[0].WrongUpload || list[0].Class != fault.Unit || list[0].Advice == one.Advice {
		t.Errorf("a failure that nobody can explain: %+v", list[0])
	}
	w.Asks = nil
	n := 0
	for r, err := range NewLetters(w.Store).Redrive(t.Context(), w, Filter{Stage: "inbox", Owner: "bob"}) {
		if n++; err != nil || r.Result != Released || r.Reason == "" || r.Gen != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if lines, _ := letters(t, w, Filter{Stage: "inbox"}); n != 1 || len(lines) != 1 || len(w.Asks) > 0 {
		t.Errorf("%d redriven, left %q, asks %v", n, lines, w.Asks)
	}
	w.Put(w.Store.Keys("drops/ann/")[0], "{")
	if _, list := letters(t, w, Filter{Owner: "ann"}); list[len(list)-1].Unusable == "" {
		t.Errorf("damaged: %+v", list)
	}
}
