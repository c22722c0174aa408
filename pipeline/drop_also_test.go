package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// The same bytes lie under two names, and have records that say so; the first name goes. Nobody does anything.
func TestDropIsReadWhereElseItsBytesLie(t *testing.T) {
	const first = "inbox/ann/a.json"
	for name, lose := range map[string]func(t *testing.T, d *Deps, s *shelf){
		"removed": func(t *testing.T, _ *Deps, s *shelf) {
			if err := s.Delete(t.Context(), first); err != nil {
				t.Fatal(err)
			}
		},
		"replaced":              func(t *testing.T, _ *Deps, s *shelf) { s.put(t, first, "[]") },
		"replaced when opened":  func(_ *testing.T, d *Deps, s *shelf) { d.Store = &replacing{shelf: s, key: first, text: "[]"} },
		"removed while it read": func(_ *testing.T, d *Deps, s *shelf) { d.Store = &vanishing{shelf: s, key: first} },
	} {
		t.Run(name, func(t *testing.T) {
			d, s := inboxDeps(t)
			text := manyConversations(4)
			if strings.Contains(name, "while") { // it needs more than is read at once
				text = strings.ReplaceAll(text, "hens.", "hens. "+strings.Repeat("So many hens. ", 45_000))
			}
			s.put(t, first, text)
			s.put(t, "inbox/ann/b.json", text)
			requests, bad := takeAll(t, d)
			if len(bad) > 0 || len(requests) != 2 {
				t.Fatalf("%+v, refused %v", requests, bad)
			}
			read := d
			lose(t, &read, s)
			read.Store = state.ClassedStore{Store: read.Store}
			r, files, err := importsAs(t, read, requests[0])
			if err != nil || r.State != state.StateDone || len(files) != 4 {
				t.Fatalf("%v, %s, %d conversations", err, r.State, len(files))
			}
			rec, err := state.ReadDrop(t.Context(), d.Store, "ann", requests[0].Drop)
			if err != nil || rec.Parts[0].Key != "inbox/ann/b.json" || len(rec.Parts[0].Also) != 0 {
				t.Errorf("the record is %+v (%v)", rec, err)
			}
		})
	}
}

// vanishing removes an object behind the first reading of some of it.
type vanishing struct {
	*shelf
	key  string
	done bool
}

func (v *vanishing) OpenAt(context.Context, string) (blob.RandomReader, blob.Object, error) {
	return nil, blob.Object{}, errors.ErrUnsupported
}

func (v *vanishing) Get(ctx context.Context, key string, r blob.Range) (rc io.ReadCloser, o blob.Object, err error) {
	rc, o, err = v.shelf.Get(ctx, key, r)
	if err == nil && key == v.key && !v.done {
		v.done = true
		err = v.Delete(ctx, key)
	}
	return rc, o, err
}

// What is whole only when two places are taken together is whole.
func TestPartsAreReadWhereverTheyLie(t *testing.T) {
	var texts []string
	for i, name := range []string{"conversations.json", "deep/conversations.json"} {
		text, err := os.ReadFile(zipOf(t, map[string]string{name: strings.ReplaceAll(manyConversations(3), `"c-`, fmt.Sprintf(`"d%d-`, i))}))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	d, s := inboxDeps(t)
	for _, folder := range []string{"one", "two"} {
		for i, text := range texts {
			s.put(t, fmt.Sprintf("inbox/ann/%s/takeout-%d.zip", folder, i), text)
		}
		s.put(t, "inbox/ann/"+folder+"/_COMPLETE", "")
	}
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 2 || requests[0].Drop != requests[1].Drop {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	s.put(t, "inbox/ann/one/takeout-0.zip", "no archive")
	if err := d.Store.Delete(t.Context(), "inbox/ann/two/takeout-1.zip"); err != nil {
		t.Fatal(err)
	}
	if a, err := Prepare(t.Context(), d, ReplayAsk{Owner: "ann", Drop: requests[0].Drop}, nil); err != nil || a.State != ReplayQueued {
		t.Errorf("a replay would be %s: %s (%v)", a.State, a.Reason, err)
	}
	if r, files, err := importsAs(t, d, requests[0]); err != nil || r.State != state.StateDone || len(files) != 6 {
		t.Errorf("%v, %s, %d conversations", err, r.State, len(files))
	}
}

func TestUnpackedExportIsReadInTheOtherFolder(t *testing.T) {
	d, s := inboxDeps(t)
	for _, folder := range []string{"one", "two"} {
		for name, text := range unpacked {
			s.put(t, "inbox/ann/"+folder+"/"+name, text)
		}
		s.put(t, "inbox/ann/"+folder+"/_COMPLETE", "")
	}
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 2 || requests[0].Drop != requests[1].Drop {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	s.put(t, "inbox/ann/one/deep/er/conversations.json", "[]")
	if r, _, err := importsAs(t, d, requests[0]); err != nil || r.State != state.StateDone || r.Counts.Conversations != 6 {
		t.Errorf("%v, %s: %+v", err, r.State, r.Counts)
	}
}

// A copy that somebody removed from the store is no more than a place.
func TestDropIsReadInTheInboxWhenItsCopyHasGone(t *testing.T) {
	d, s := inboxDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": twoConversations})
	rec, err := TakeIn(t.Context(), d.Store, "ann", []string{file}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.put(t, "inbox/ann/a.zip", string(text))
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 1 || requests[0].Drop != rec.Drop {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	if err := d.Store.Delete(t.Context(), rec.Parts[0].Key); err != nil {
		t.Fatal(err)
	}
	if r, _, err := importsAs(t, d, requests[0]); err != nil || r.State != state.StateDone {
		t.Errorf("%v, %s", err, r.State)
	}
}

func TestAsManyPlacesAreRememberedAsFit(t *testing.T) {
	d, s := inboxDeps(t)
	take := func(i int) string {
		t.Helper()
		key := fmt.Sprintf("inbox/ann/%02d.json", i)
		s.put(t, key, twoConversations)
		if _, err := takeOne(t, d, importTask(key)); err != nil {
			t.Fatal(err)
		}
		return key
	}
	also := func() (keys []string) {
		t.Helper()
		rec, err := state.ReadDrop(t.Context(), d.Store, "ann", state.Digest(twoConversations))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range rec.Parts[0].Also {
			keys = append(keys, strings.TrimPrefix(a.Key, "inbox/ann/"))
		}
		return keys
	}
	for i := range state.MaxAlso + 3 {
		take(i)
	}
	if got := also(); len(got) != state.MaxAlso || got[state.MaxAlso-1] != "08.json" {
		t.Errorf("remembered are %v", got)
	}
	for _, gone := range []string{"02.json", "05.json"} {
		if err := d.Store.Delete(t.Context(), "inbox/ann/"+gone); err != nil {
			t.Fatal(err)
		}
	}
	take(20)
	if got := also(); len(got) != state.MaxAlso-1 || got[state.MaxAlso-2] != "20.json" {
		t.Errorf("when some have gone, remembered are %v", got)
	}
}

// Two workers take the same bytes at two places at the same time.
func TestPlacesThatAreTakenAtOnceAreBothRemembered(t *testing.T) {
	d, s := inboxDeps(t)
	drop := state.Digest(twoConversations)
	for _, name := range []string{"a", "b", "c"} {
		s.put(t, "inbox/ann/"+name+".json", twoConversations)
	}
	if _, err := takeOne(t, d, importTask("inbox/ann/a.json")); err != nil {
		t.Fatal(err)
	}
	slow := d
	slow.Store = &meanwhile{d.Store, state.DropKey("ann", drop, "drop.json"), func() {
		if _, err := takeOne(t, d, importTask("inbox/ann/c.json")); err != nil {
			t.Error(err)
		}
	}}
	if _, err := takeOne(t, slow, importTask("inbox/ann/b.json")); err != nil {
		t.Fatal(err)
	}
	rec, err := state.ReadDrop(t.Context(), d.Store, "ann", drop)
	if err != nil || len(rec.Parts[0].Also) != 2 {
		t.Errorf("the record is %+v (%v)", rec, err)
	}
}

// A drop is refused because it has gone, while another worker takes the same bytes at another place.
func TestDropThatIsTakenElsewhereWhileItIsRefusedIsRead(t *testing.T) {
	d, s := inboxDeps(t)
	s.put(t, "inbox/ann/a.json", twoConversations)
	requests, _ := takeAll(t, d)
	if err := d.Store.Delete(t.Context(), "inbox/ann/a.json"); err != nil {
		t.Fatal(err)
	}
	r := newRigOf(t, d)
	body, err := json.Marshal(requests[0])
	if err != nil {
		t.Fatal(err)
	}
	gone := r.ingest(t.Context(), body)
	if fault.Of(gone) != fault.Permanent {
		t.Fatalf("class %s: %v", fault.Of(gone), gone)
	}
	s.put(t, "inbox/ann/b.json", twoConversations)
	var again []state.Request
	r.Store = ending{r.Store, func() {
		if again, err = takeOne(t, d, importTask("inbox/ann/b.json")); err != nil {
			t.Error(err)
		}
	}}
	st := stage{telemetry.StageIngest, r.ingest, r.giveUpIngest, r.endIngest}
	if err := r.bury(t.Context(), st, heldMessage{subject: requests[0].Subject(), body: body}, gone, 1); err != nil || len(again) != 1 {
		t.Fatal(again, err)
	}
	if body, err = json.Marshal(again[0]); err != nil {
		t.Fatal(err)
	}
	if err := r.ingest(t.Context(), body); err != nil {
		t.Errorf("reading it elsewhere: %v", err)
	}
	if n := queuedIn(t, r.js, StreamExtract); n != 1 {
		t.Errorf("%d shards are queued", n)
	}
}

// ending does something before a request ends.
type ending struct {
	blob.Store
	before func()
}

func (e ending) Delete(ctx context.Context, key string) error {
	if strings.Contains(key, "/requests/") {
		e.before()
	}
	return e.Store.Delete(ctx, key)
}

// A breaker has let one drop through as a probe; that it is read at two places is one reading.
func TestProbeOfABreakerMayBeReadAtAnotherPlace(t *testing.T) {
	d, s := inboxDeps(t)
	d.Breaker = Breaker{Failures: 1, Pause: time.Minute}
	for _, folder := range []string{"one", "two"} {
		for name, text := range unpacked {
			s.put(t, "inbox/ann/"+folder+"/"+name, text)
		}
		s.put(t, "inbox/ann/"+folder+"/_COMPLETE", "")
	}
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 2 {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	gone := &vanishing{shelf: s, key: "inbox/ann/one/deep/er/conversations.json"}
	d.Store = gone
	r := newRigOf(t, d)
	imp, err := d.Registry.ByName("chatgpt")
	if err != nil {
		t.Fatal(err)
	}
	key := breakerKey{telemetry.StageIngest, "ann", imp.Version()}
	r.breakers.states[key] = &breakerState{failures: 1, until: d.Now()}
	body, err := json.Marshal(requests[1]) // in whose favour the first was given up
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ingest(t.Context(), body); err != nil || !gone.done {
		t.Errorf("it is gone %t: %v", gone.done, err)
	}
	if left := r.breakers.states[key]; left != nil {
		t.Errorf("the breaker is left as %+v", left)
	}
}
