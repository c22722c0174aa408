package inbox

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

func TestDropIsTakenWhereItLies(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.put(t, "inbox/ann/My talks.json", "talks")
	if asked := r.takeAll(t); len(asked) != 1 || asked[0] != "ann "+dropOf("talks") {
		t.Fatalf("asked for %v", asked)
	}
	if keys := r.memory.Keys("inbox/ann/" + dropOf("talks")); len(keys) != 1 || !strings.HasSuffix(keys[0], "/drop.json") {
		t.Errorf("made %v: the archive must not be copied", keys)
	}
	rec, err := state.ReadDrop(t.Context(), r.Store, "ann", dropOf("talks"))
	if err != nil || len(rec.Parts) != 1 || rec.Parts[0].Name != "My talks.json" || rec.Parts[0].Key != "inbox/ann/My talks.json" || rec.Parts[0].ETag == "" || rec.Bytes() != 5 {
		t.Errorf("%+v, %v", rec, err)
	}
	r.bucket.onGet = func(key string) { t.Errorf("the second time, %s is read", key) }
	if asked := r.takeAll(t); len(asked) != 0 {
		t.Errorf("the second time: %v", asked)
	}
}

func TestSameContentUnderAnyNameIsOneDrop(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.put(t, "inbox/ann/a.json", "talks")
	r.put(t, "inbox/ann/b.json", "talks")
	r.put(t, "inbox/bob/a.json", "talks")
	if asked := r.takeAll(t); len(asked) != 3 || asked[0] != asked[1] || asked[2] != "bob "+dropOf("talks") {
		t.Fatalf("asked for %v", asked)
	}
	rec, err := state.ReadDrop(t.Context(), r.Store, "ann", dropOf("talks"))
	if err != nil || len(rec.Parts) != 1 || rec.Parts[0].Key != "inbox/ann/a.json" {
		t.Errorf("the record is %+v (%v), want the place where it was found first", rec, err)
	}
}

func TestEntryThatIsReplacedWhileItIsReadWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.put(t, "inbox/ann/a.json", "old")
	task := taskOf(r.list(t)[0])
	r.bucket.onGet = func(key string) {
		r.bucket.onGet = nil
		r.put(t, "inbox/ann/a.json", "new")
	}
	later := (*fault.Later)(nil)
	if err := r.Take(t.Context(), task, true); !errors.As(err, &later) {
		t.Errorf("replaced while it was read: %v", err)
	}
	if err := r.Take(t.Context(), task, true); err != nil || len(r.asked) != 1 || r.asked[0] != "ann "+dropOf("new") {
		t.Errorf("asked for %v, %v", r.asked, err)
	}
}

func TestSettingsOfADrop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, marker string
		metadata     map[string]string
		want         string
		refused      string
	}{
		{name: "none"},
		{name: "lines", marker: "\ufeff# mine\r\nImporter: chatgpt\nextractors: harvest, rules\n", want: " chatgpt harvest,rules"},
		{name: "metadata", metadata: map[string]string{"pamline-importer": "chatgpt", "else": "x"}, want: " chatgpt"},
		{name: "metadata over lines", marker: "importer: claude\nextractors: rules", metadata: map[string]string{"pamline-importer": "chatgpt"}, want: " chatgpt rules"},
		{name: "unknown importer", marker: "importer: nobody's", refused: "select importer"},
		{name: "unknown extractor", metadata: map[string]string{"pamline-extractors": "magic"}, refused: "magic"},
		{name: "unknown name", metadata: map[string]string{"pamline-owner": "bob"}, refused: "owner"},
		{name: "no settings", marker: "hello", refused: "line 1"},
		{name: "twice", marker: "importer: chatgpt\nimporter: chatgpt", refused: "line 2"},
		{name: "too long", marker: strings.Repeat("#\n", maxMarker), refused: "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.put(t, "inbox/ann/f/conversations.json.gz", "\x1f\x8b")
			r.put(t, "inbox/ann/f/_COMPLETE", c.marker)
			r.bucket.metadata["inbox/ann/f/_COMPLETE"] = c.metadata
			asked, reasons := r.takeAll(t), r.reasons(t)
			switch {
			case c.refused != "":
				if len(asked) != 0 || len(reasons) != 1 || !strings.Contains(reasons[0], c.refused) {
					t.Errorf("asked for %v, refused %q", asked, reasons)
				}
			case len(asked) != 1 || asked[0] != "ann "+dropOf("\x1f\x8b")+c.want || len(reasons) != 0:
				t.Errorf("asked for %v, refused %q", asked, reasons)
			}
		})
	}
	r := newRig(t, nil)
	r.put(t, "inbox/ann/a.json", "talks")
	r.bucket.metadata["inbox/ann/a.json"] = map[string]string{"pamline-importer": "chatgpt"}
	if asked := r.takeAll(t); len(asked) != 1 || asked[0] != "ann "+dropOf("talks")+" chatgpt" {
		t.Errorf("asked for %v", asked)
	}
}

// Most servers give the same ETag to the same bytes, so the time tells one putting from the next.
func TestSameBytesWithOtherSettingsAreTakenAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.put(t, "inbox/ann/a.json", "talks")
	r.takeAll(t)
	r.memory.Advance(time.Second)
	r.put(t, "inbox/ann/a.json", "talks")
	r.bucket.metadata["inbox/ann/a.json"] = map[string]string{"pamline-extractors": "rules"}
	if asked := r.takeAll(t); len(asked) != 1 || asked[0] != "ann "+dropOf("talks")+"  rules" {
		t.Errorf("asked for %v", asked)
	}
	rec, err := job.New(r.Store, job.Options{NewID: func() string { return "id" }}).Read(t.Context(), job.Ref{Owner: "ann", Drop: dropOf("talks")})
	if err != nil || rec.Gen != 2 || fmt.Sprint(rec.Want.Extractors) != "[rules]" {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestWhatCannotBeTakenIsRefusedOnceAndSaysWhy(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Owner, o.Parts = "", 3 })
	r.put(t, "inbox/root.zip", "x")
	r.put(t, "inbox/Not An Owner/a.zip", "x")
	r.put(t, "inbox/Not An Owner/b.zip", "x")
	r.put(t, "inbox/ann/only/_COMPLETE", "")
	for _, name := range []string{"1", "2", "3", "4", "_COMPLETE"} {
		r.put(t, "inbox/ann/many/"+name, "x")
	}
	r.putStrange("inbox/ann/line\nbreak.zip")
	r.putStrange(`inbox/ann/folder/back\slash`)
	r.put(t, "inbox/ann/folder/_COMPLETE", "")
	asked, reasons := r.takeAll(t), r.reasons(t)
	if len(asked) != 0 || len(reasons) != 6 {
		t.Fatalf("asked for %v, refused %q", asked, reasons)
	}
	for _, e := range r.logs.All() {
		text := e.Message + fmt.Sprint(e.ContextMap())
		if e.Level > 0 || strings.Contains(text, "Not An") || strings.Contains(text, "zip") || strings.Contains(text, "slash") {
			t.Errorf("the log says %s: %s", e.Level, text)
		}
	}
	if r.logs.Len() != 6 {
		t.Errorf("%d lines in the log", r.logs.Len())
	}
	for _, e := range r.list(t) {
		if _, refused, err := r.hasRecord(t.Context(), e); err != nil || !refused {
			t.Errorf("%s has no record (%v)", e.key, err)
		}
	}
}

func TestRefusedEntryIsTakenAfterTheCauseIsRemoved(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Parts = 1 })
	r.put(t, "inbox/ann/f/1.gz", "\x1f\x8b 1")
	r.put(t, "inbox/ann/f/2.gz", "\x1f\x8b 2")
	r.put(t, "inbox/ann/f/_COMPLETE", "")
	r.takeAll(t)
	for _, rec := range r.refusals(t) {
		if rec.Owner != "ann" || rec.Key != "inbox/ann/f/" || rec.Name() != "f/" {
			t.Errorf("%+v", rec)
		}
		r.Parts = 2
		if err := Retry(t.Context(), r.Store, rec); err != nil {
			t.Fatal(err)
		}
	}
	if asked := r.takeAll(t); len(asked) != 1 || len(r.reasons(t)) != 0 {
		t.Errorf("asked for %v", asked)
	}
}

func TestFailureOfTheLastAttemptIsARefusal(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.put(t, "inbox/ann/a.json", "talks")
	task := taskOf(r.list(t)[0])
	r.asker = brokenAsker{errors.New("nobody knows why")}
	if err := r.Take(t.Context(), task, false); err == nil || len(r.reasons(t)) != 0 {
		t.Fatalf("the first attempt: %v", err)
	}
	if err := r.Take(t.Context(), task, true); err != nil {
		t.Fatal(err)
	}
	if got := r.refusals(t); len(got) != 1 || got[0].Reason != "nobody knows why" || !got[0].Failed {
		t.Errorf("%+v", got)
	}
	if errors := r.logs.FilterLevelExact(zap.ErrorLevel); errors.Len() != 1 {
		t.Errorf("said %v", r.logs.All())
	}
	r.asker = brokenAsker{&fault.Fault{Class: fault.Outage, Err: errors.New("no queue")}}
	if err := r.Take(t.Context(), task, true); fault.Of(err) != fault.Outage {
		t.Errorf("an outage: %v", err)
	}
}

func TestPanicOfTheLastAttemptIsARefusal(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	r.asker = brokenAsker{}
	r.put(t, "inbox/ann/a.json", "talks")
	r.scan(t)
	r.work(t, q)
	if got := r.refusals(t); len(got) != 1 || !got[0].Failed || !strings.Contains(got[0].Reason, "panic") {
		t.Errorf("%+v", got)
	}
	if s := r.scan(t); s.Sent != 0 {
		t.Errorf("%+v: what panics must not be taken again and again", s)
	}
}

func TestWhatHasGoneNeedsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, key := range []string{"inbox/ann/gone.zip", "inbox/ann/gone/"} {
		if err := r.Take(t.Context(), Task{V: 1, Owner: "ann", Key: key, Lane: state.LaneSmall}, true); err != nil || len(r.asked) != 0 {
			t.Errorf("%s: %v, %v", key, r.asked, err)
		}
	}
}

func TestTasksOfOtherInboxesAreNotBelieved(t *testing.T) {
	t.Parallel()
	for _, task := range []Task{
		{V: 1, Owner: "ann", Key: "inbox/bob/a.zip"},
		{V: 1, Owner: "ann", Key: "inbox/ann/"},
		{V: 1, Owner: "ann", Key: "owners/ann/head.json"},
		{V: 1, Owner: "ann", Key: "inbox/"},
		{V: 1, Owner: "Ann", Key: "inbox/Ann/x"},
		{V: 1, Owner: "ann", Key: "inbox/ann/x", Refuse: "../x"},
		{V: 1, Owner: "ann", Key: "inbox/bob/", Scan: true},
		{V: 1, Key: "inbox/", Scan: true},
		{V: 1, Key: "drops/x"},
		{V: 2, Owner: "ann", Key: "inbox/ann/x"},
	} {
		if _, err := decodeTask(task.message("")); err == nil {
			t.Errorf("%+v is believed", task)
		}
	}
	r := newRig(t, nil)
	r.put(t, "inbox/root.zip", "x")
	if err := r.Take(t.Context(), Task{V: 1, Owner: "eve", Key: "inbox/root.zip"}, false); err != nil || len(r.asked) != 0 || len(r.reasons(t)) != 1 {
		t.Errorf("the root of another owner: %v, %v", r.asked, err)
	}
}

// unpacked is an export as a folder of files, two of them equal.
var unpacked = map[string]string{
	"conversations.json": "[talks]", "user.json": "{}", "shared_conversations.json": "[]", "deep/er/other.json": "{}",
}

func putUnpacked(t testing.TB, r *rig) Task {
	t.Helper()
	for name, text := range unpacked {
		r.put(t, "inbox/ann/export/"+name, text)
	}
	r.put(t, "inbox/ann/export/_COMPLETE", "extractors: rules\n")
	return Task{V: 1, Owner: "ann", Key: "inbox/ann/export/", Lane: state.LaneSmall}
}

// checkTaken looks for all that taking an unpacked export leaves.
func checkTaken(t testing.TB, r *rig, drop string) {
	t.Helper()
	rec, err := state.ReadDrop(t.Context(), r.memory, "ann", drop)
	if err != nil || len(rec.Parts) != 1 || len(rec.Parts[0].Files) != len(unpacked) {
		t.Errorf("%+v, %v", rec, err)
	}
	j, err := job.New(r.memory, job.Options{NewID: func() string { return "id" }}).Read(t.Context(), job.Ref{Owner: "ann", Drop: drop})
	if err != nil || j.Gen != 1 || j.State != job.Open || fmt.Sprint(j.Want.Extractors) != "[rules]" {
		t.Errorf("%+v, %v", j, err)
	}
	e, _, err := r.findEntry(t.Context(), r.memory, "inbox/ann/export/")
	if err != nil {
		t.Fatal(err)
	}
	var small Record
	if _, err := objects.ReadJSON(t.Context(), r.memory, state.TakenKey("ann", e.id), &small); err != nil || small.Drop != drop || small.Key != e.key {
		t.Errorf("%+v, %v", small, err)
	}
}

func TestTakeThatCrashesAtAnyWriteIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	whole := newRig(t, nil)
	if err := whole.Take(t.Context(), putUnpacked(t, whole), false); err != nil || len(whole.asked) != 1 {
		t.Fatal(whole.asked, err)
	}
	drop := strings.Fields(whole.asked[0])[1]
	for n := 0; ; n++ {
		memory := statetest.New()
		hook, reached := statetest.CrashAtWrite(n)
		dying := newRigOver(t, memory, hook, nil)
		task := putUnpacked(t, dying)
		err := dying.Take(t.Context(), task, false)
		if (err != nil) != reached() {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		r := newRigOver(t, memory, nil, nil)
		if err := r.Take(t.Context(), task, false); err != nil {
			t.Fatalf("after a crash at write %d: %v", n, err)
		}
		checkTaken(t, r, drop)
		if !reached() {
			if n != 4 {
				t.Errorf("taking a drop needs %d writes, want 4: drop record, hint, job record, small record", n)
			}
			return
		}
	}
}

func TestTwoTakersOfOneEntryEndInTheSame(t *testing.T) {
	t.Parallel()
	whole := newRig(t, nil)
	task := putUnpacked(t, whole)
	start := whole.memory.Clone()
	if err := whole.Take(t.Context(), task, false); err != nil {
		t.Fatal(err)
	}
	drop := strings.Fields(whole.asked[0])[1]
	taker := func(p *statetest.Process) {
		r := newRigOver(t, p.Look(), nil, nil)
		r.bucket.Store, r.bucket.contents = p.Store(), p.Look() // files are read in other goroutines
		// The exploration stops a process by a panic, which Take makes an error.
		if err := r.Take(t.Context(), task, false); err != nil && !strings.Contains(err.Error(), "statetest.stopped") {
			t.Errorf("%s: %v", task.Key, err)
		}
	}
	small := state.TakenKey("ann", whole.list(t)[0].id)
	stats, err := statetest.Exploration{
		Start: start, Actors: map[string]statetest.Actor{"a": taker, "b": taker}, Switches: 2,
		Check: func(_, after *statetest.Store) error {
			if _, taken := after.Body(small); !taken {
				return nil
			}
			j, err := job.New(after, job.Options{NewID: func() string { return "id" }}).Read(t.Context(), job.Ref{Owner: "ann", Drop: drop})
			if err != nil || j.Gen != 1 {
				return fmt.Errorf("there is a small record of what was not asked for once: %+v, %w", j, err)
			}
			_, err = state.ReadDrop(t.Context(), after, "ann", drop)
			return err
		},
	}.Explore()
	if err != nil || stats.Runs < 20 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestNothingIsTakenOfAStoreThatAnswersNothing(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		memory := statetest.New()
		hook, reached := statetest.FailCall(n, &blob.Error{Op: "call", Err: errors.New("no answer")})
		r := newRigOver(t, memory, hook, nil)
		task := putUnpacked(t, r)
		err := r.Take(t.Context(), task, true)
		if !reached() {
			if err != nil || n < 10 {
				t.Errorf("%d calls, %v", n, err)
			}
			return
		}
		if fault.Of(err) != fault.Outage || len(memory.Keys("drops/")) != 0 {
			t.Errorf("call %d fails: %v, records %v", n, err, memory.Keys("drops/"))
		}
	}
}
