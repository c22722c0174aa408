package pipeline

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

func TestDropIsTakenWhereItLies(t *testing.T) {
	t.Parallel()
	d, s := inboxDeps(t)
	s.put(t, "inbox/ann/My talks.json", twoConversations)
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 1 || requests[0].Owner != "ann" || requests[0].Drop != state.Digest(twoConversations) {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	for o, err := range d.Store.List(t.Context(), "inbox/ann/"+requests[0].Drop) {
		if err != nil || !strings.HasSuffix(o.Key, "/drop.json") {
			t.Errorf("%s was made (%v): the archive must not be copied", o.Key, err)
		}
	}
	r, files, err := importsAs(t, d, requests[0])
	if err != nil || r.State != state.StateDone || len(files) != 2 {
		t.Errorf("%v, %s, %d conversations", err, r.State, len(files))
	}
	reads := s.reads.Load()
	if again, bad := takeAll(t, d); len(again) > 0 || len(bad) > 0 || s.reads.Load() != reads {
		t.Errorf("the second time: %d requests, refused %v, %d reads", len(again), bad, s.reads.Load()-reads)
	}
}

func TestSameContentUnderAnyNameIsOneDrop(t *testing.T) {
	d, s := inboxDeps(t)
	for _, name := range []string{"a.json", "b.json", "folder of one/c.zip", "folder of one/_COMPLETE"} {
		text := twoConversations
		if strings.Contains(name, "/") {
			continue
		}
		s.put(t, "inbox/ann/"+name, text)
	}
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 2 || requests[0].Drop != requests[1].Drop {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	rec, err := state.ReadDrop(t.Context(), d.Store, "ann", requests[0].Drop)
	if err != nil || len(rec.Parts) != 1 || rec.Parts[0].Key != "inbox/ann/a.json" {
		t.Errorf("the record is %+v (%v), want the place it was found first", rec, err)
	}
}

func TestRecordOfADropFollowsItsContent(t *testing.T) {
	t.Parallel()
	d, s := inboxDeps(t)
	s.put(t, "inbox/ann/a.json", twoConversations)
	requests, _ := takeAll(t, d)
	place := func() string {
		t.Helper()
		rec, err := state.ReadDrop(t.Context(), d.Store, "ann", requests[0].Drop)
		if err != nil {
			t.Fatal(err)
		}
		return rec.Parts[0].Key
	}

	// Replaced: the import of what it was is refused, and what it is now is a drop of its own.
	s.put(t, "inbox/ann/a.json", manyConversations(3))
	if now, bad := takeAll(t, d); len(bad) > 0 || len(now) != 1 || now[0].Drop == requests[0].Drop {
		t.Fatalf("%+v, refused %v", now, bad)
	}
	_, _, err := importsAs(t, d, requests[0])
	if moved := (*state.MovedError)(nil); !errors.As(err, &moved) || moved.Gone || fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), "again") {
		t.Errorf("import of a replaced drop: %v", err)
	}

	// Put elsewhere: it is found there.
	s.put(t, "inbox/ann/b.json", twoConversations)
	if now, bad := takeAll(t, d); len(bad) > 0 || len(now) != 1 || now[0].Drop != requests[0].Drop || place() != "inbox/ann/b.json" {
		t.Errorf("%+v, refused %v, in %s", now, bad, place())
	}
	if r, _, err := importsAs(t, d, requests[0]); err != nil || r.State != state.StateDone {
		t.Errorf("import of the drop that came back: %v", err)
	}

	// Removed, and given on the command line: the copy serves.
	if err := d.Store.Delete(t.Context(), "inbox/ann/b.json"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "given.json")
	writeFile(t, file, twoConversations)
	if _, err := TakeIn(t.Context(), d.Store, "ann", []string{file}, d.Scratch); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(place(), "/part-000") {
		t.Errorf("the record names %s", place())
	}
}

func TestReplacedWhileItIsReadIsNoLoss(t *testing.T) {
	d, s := inboxDeps(t)
	s.put(t, "inbox/ann/a.json", manyConversations(300))
	requests, _ := takeAll(t, d)
	replaced := d
	replaced.Store = state.ClassedStore{Store: &replacing{shelf: s, key: "inbox/ann/a.json", text: "[]"}}
	_, _, err := importsAs(t, replaced, requests[0])
	if moved := (*state.MovedError)(nil); !errors.As(err, &moved) || moved.Gone || fault.Of(err) != fault.Permanent {
		t.Fatalf("class %s, which would stop the stage for others: %v", fault.Of(err), err)
	}
	if _, _, err = importsAs(t, d, requests[0]); fault.Of(err) != fault.Permanent {
		t.Errorf("the next try: class %s, %v", fault.Of(err), err)
	}
}

// replacing replaces an object the moment it is opened, so that what is read of it is another's.
type replacing struct {
	*shelf
	key, text string
	done      bool
}

func (r *replacing) OpenAt(ctx context.Context, key string) (blob.RandomReader, blob.Object, error) {
	return nil, blob.Object{}, errors.ErrUnsupported
}

func (r *replacing) Get(ctx context.Context, key string, rg blob.Range) (io.ReadCloser, blob.Object, error) {
	if key == r.key && !r.done {
		r.done = true
		if _, err := r.shelf.Put(ctx, key, strings.NewReader(r.text), blob.PutOptions{}); err != nil {
			return nil, blob.Object{}, err
		}
	}
	return r.shelf.Get(ctx, key, rg)
}

// unpacked is an export as a folder of files, two of them equal.
var unpacked = map[string]string{
	"conversations.json":         twoConversations,
	"user.json":                  `{"id":"user-1","email":"a@b.c","chatgpt_plus_user":false}`,
	"message_feedback.json":      "[]",
	"shared_conversations.json":  "[]",
	"deep/er/conversations.json": manyConversations(4),
}

func TestSettingsOfADrop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, marker       string
		metadata           map[string]string
		importer, extract  string
		refused            string
		unknownToOthersToo bool
	}{
		{name: "none"},
		{name: "lines", marker: "\ufeff# mine\r\nImporter: chatgpt\nextractors: harvest, rules\n", importer: "chatgpt", extract: "harvest,rules"},
		{name: "metadata", metadata: map[string]string{"pamline-importer": "chatgpt", "else": "x"}, importer: "chatgpt"},
		{name: "metadata over lines", marker: "importer: claude\nextractors: rules", metadata: map[string]string{"pamline-importer": "chatgpt"}, importer: "chatgpt", extract: "rules"},
		{name: "unknown importer", marker: "importer: nobody's", refused: "select importer"},
		{name: "unknown extractor", metadata: map[string]string{"pamline-extractors": "magic"}, refused: "magic"},
		{name: "unknown name", metadata: map[string]string{"pamline-owner": "bob"}, refused: "owner"},
		{name: "no settings", marker: "hello", refused: "line 1"},
		{name: "twice", marker: "importer: chatgpt\nimporter: chatgpt", refused: "line 2"},
		{name: "too long", marker: strings.Repeat("#\n", maxMarker), refused: "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, s := inboxDeps(t)
			s.put(t, "inbox/ann/f/conversations.json", twoConversations)
			s.put(t, "inbox/ann/f/_COMPLETE", c.marker)
			s.metadata["inbox/ann/f/_COMPLETE"] = c.metadata
			requests, bad := takeAll(t, d)
			if c.refused != "" {
				if len(bad) != 1 || fault.Of(bad[0]) != fault.Permanent || !strings.Contains(bad[0].Error(), c.refused) {
					t.Errorf("refused %v", bad)
				}
				return
			}
			if len(bad) > 0 || len(requests) != 1 || requests[0].Importer != c.importer || strings.Join(requests[0].Extractors, ",") != c.extract {
				t.Errorf("%+v, refused %v", requests, bad)
			}
		})
	}
	d, s := inboxDeps(t)
	s.put(t, "inbox/ann/a.json", twoConversations)
	s.metadata["inbox/ann/a.json"] = map[string]string{"pamline-importer": "chatgpt"}
	if requests, bad := takeAll(t, d); len(bad) > 0 || len(requests) != 1 || requests[0].Importer != "chatgpt" {
		t.Errorf("%+v, refused %v", requests, bad)
	}
}

func TestWhatCannotBeTakenIsRefusedOnceAndSaysWhy(t *testing.T) {
	d, s := inboxDeps(t)
	d.Inbox.Owner, d.Inbox.Parts = "", 3
	s.put(t, "inbox/root.zip", "x")
	s.put(t, "inbox/Not An Owner/a.zip", "x")
	s.put(t, "inbox/Not An Owner/b.zip", "x")
	s.put(t, "inbox/ann/only/_COMPLETE", "")
	for _, name := range []string{"1", "2", "3", "4", "_COMPLETE"} {
		s.put(t, "inbox/ann/many/"+name, "x")
	}
	s.putStrange("inbox/ann/line\nbreak.zip")
	s.putStrange(`inbox/ann/folder/back\slash`)
	s.put(t, "inbox/ann/folder/_COMPLETE", "")
	requests, bad := takeAll(t, d)
	if len(requests) != 0 || len(bad) != 6 {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	for _, err := range bad {
		if text := fault.Loggable(err); strings.Contains(text, "Not An") || strings.Contains(text, "zip") || strings.Contains(text, "slash.") {
			t.Errorf("a log would say %q", text)
		}
	}
	n := 0
	for u, err := range inboxUnits(t.Context(), d.Store, d.Inbox, state.InboxRoot, 0) {
		if err != nil {
			t.Fatal(err)
		}
		r, ok, err := readTaken(t.Context(), d.Store, u.Record())
		if err != nil || !ok || r.State != TakenRefused || r.Reason == "" || r.Hint == "" || r.At == "" {
			t.Errorf("%s: %+v, %v, %v", u, r, ok, err)
		}
		n++
	}
	if n != 6 {
		t.Errorf("%d units", n)
	}
}

func TestWhatHasGoneNeedsNothing(t *testing.T) {
	d, _ := inboxDeps(t)
	for _, key := range []string{"inbox/ann/gone.zip", "inbox/ann/gone/"} {
		if r, err := takeOne(t, d, importTask(key)); err != nil || len(r) != 0 {
			t.Errorf("%s: %v, %v", key, r, err)
		}
	}
}

func TestTasksOfOtherInboxesAreNotBelieved(t *testing.T) {
	for _, task := range []TakeTask{
		{V: 1, Owner: "ann", Key: "inbox/bob/a.zip", Lane: state.LaneSmall},
		{V: 1, Owner: "ann", Key: "inbox/ann/", Lane: state.LaneSmall},
		{V: 1, Owner: "ann", Key: "owners/ann/head.json", Lane: state.LaneSmall},
		{V: 1, Owner: "ann", Key: "inbox/", Lane: state.LaneSmall},
		{V: 1, Owner: "Ann", Key: "inbox/Ann/x", Lane: state.LaneSmall},
		{V: 1, Owner: "ann", Key: "inbox/ann/x", Lane: state.LaneSmall, Refuse: "../x"},
		{V: 1, Owner: "", Key: "drops/x", Lane: state.LaneSmall},
	} {
		if task.Check() == nil {
			t.Errorf("%+v is believed", task)
		}
	}
	d, s := inboxDeps(t)
	s.put(t, "inbox/root.zip", "x")
	if _, err := takeOne(t, d, TakeTask{V: 1, Owner: "eve", Key: "inbox/root.zip", Lane: state.LaneSmall}); fault.Of(err) != fault.Permanent {
		t.Errorf("the root of another owner: %v", err)
	}
}

func TestTakeBrokenOffAnywhereIsDoneByTheNext(t *testing.T) {
	t.Parallel()
	prepare := func() (Deps, *shelf) {
		d, s := inboxDeps(t)
		for name, text := range unpacked {
			s.put(t, "inbox/ann/export/"+name, text)
		}
		s.put(t, "inbox/ann/export/_COMPLETE", "extractors: rules\n")
		return d, s
	}
	task := importTask("inbox/ann/export/")
	d, _ := prepare()
	want, err := takeOne(t, d, task)
	if err != nil || len(want) != 1 {
		t.Fatal(err)
	}
	for cut := int64(0); ; cut++ {
		d, s := prepare()
		var left atomic.Int64
		left.Store(cut)
		broken := d
		broken.Store = cutStore{s, &left}
		_, err := takeOne(t, broken, task)
		if err != nil && !errors.Is(err, errCut) {
			t.Fatalf("cut after %d writes: %v", cut, err)
		}
		if _, bad := takeOne(t, d, task); bad != nil {
			t.Fatalf("after a cut at write %d: %v", cut, bad)
		}
		rec, bad := state.ReadDrop(t.Context(), d.Store, "ann", want[0].Drop)
		if bad != nil || len(rec.Parts) != 1 || len(rec.Parts[0].Files) != len(unpacked) {
			t.Errorf("after a cut at write %d: %+v, %v", cut, rec, bad)
		}
		if r, ok, bad := requestOf(t.Context(), d.Store, "ann", want[0].Drop); bad != nil || !ok || r.Words() != want[0].Words() {
			t.Errorf("after a cut at write %d: %+v, %v, %v", cut, r, ok, bad)
		}
		u, _, bad := lookUp(t.Context(), d.Store, d.Inbox, task.Key)
		if bad != nil {
			t.Fatal(bad)
		}
		if r, ok, bad := readTaken(t.Context(), d.Store, u.Record()); bad != nil || !ok || r.State != TakenAs || r.Drop != want[0].Drop {
			t.Errorf("after a cut at write %d: %+v, %v, %v", cut, r, ok, bad)
		}
		if err == nil {
			if cut != 3 {
				t.Errorf("taking a drop needs %d writes, want 3", cut)
			}
			return
		}
	}
}
