package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

func TestAReplayOfAnUnchangedDropWritesNothing(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	take(t, d, "me", zipOf(t, map[string]string{"conversations.json": twoConversations}))
	c := &countingStore{Store: d.Store}
	d.Store = c
	answers, _ := again(t, d, Selection{Owner: "me"}, "")
	for _, a := range answers {
		if a.State != ReplayUnchanged {
			t.Errorf("%+v", a)
		}
	}
	if len(answers) != 1 || len(c.puts) > 0 || slices.ContainsFunc(c.gets, func(k string) bool { return strings.HasPrefix(k, "inbox/") }) {
		t.Errorf("%d answers; written %v; read %v", len(answers), c.puts, c.gets)
	}
}

// Workers of a cluster notice by themselves: the request is all that is written.

func TestANewerImporterTakesThePlaceOfTheOldAndAnOlderOneComesBack(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Registry = providers.NewRegistry(notes{name: "notes"})
	first := take(t, d, "me", notesZip(t, "extra.json", extraTalk))
	if first.Counts.Conversations != 2 {
		t.Fatalf("%+v", first)
	}
	d.Registry = providers.NewRegistry(notes{name: "notes"}, newer{notes{name: "notes"}})
	_, rs := again(t, d, Selection{Importer: "notes-importer/2026.01"}, "")
	second := rs[first.Drop]
	if second.Import == first.Import || second.Counts.Conversations != 3 || !second.Store.Published || second.Importers[0] != "notes-importer/2026.02" {
		t.Fatalf("%+v", second)
	}
	if _, err := d.Store.Head(t.Context(), state.ExportKey("me", first.Store.ExportID, ".json")); err != nil {
		t.Errorf("the earlier export: %v", err)
	}
	if got := selected(t, d, Selection{Importer: "notes-importer/2026.01"}); len(got) != 0 {
		t.Errorf("the replaced import still stands for its drop: %+v", got)
	}
	named := selected(t, d, Selection{Import: first.Import[:8]})
	if len(named) != 1 || named[0].Named != first.Import || named[0].Import != second.Import {
		t.Errorf("by the replaced import: %+v", named)
	}
	before := listing(t, d, "owners/me/imports/")
	answers, rs := again(t, d, Selection{}, "notes-importer/2026.01")
	third := rs[first.Drop]
	if answers[first.Drop].State != ReplayQueued || third.Import != first.Import || !third.Store.Published {
		t.Fatalf("back: %+v", third)
	}
	after := listing(t, d, "owners/me/imports/")
	for key, tag := range after {
		if before[key] != tag {
			t.Errorf("going back wrote %s", key)
		}
	}
	head, _, err := state.ReadHead(t.Context(), d.Store, "me")
	if err != nil {
		t.Fatal(err)
	}
	// What the newer one found and nothing tells any more is archived, and comes back to active the other way.
	diff, err := Diff(t.Context(), d, "me", second.Store.ExportID, head.ExportID, 50)
	if err != nil {
		t.Fatal(err)
	}
	if diff.Conversations.Gone.Count != 1 || diff.Conversations.Changed.Count != 2 || diff.Memories.Archived.Count != 1 || diff.Memories.Reactivated.Count != 1 {
		t.Errorf("%+v", diff)
	}
	if a := diff.Memories.Archived.First; len(a) != 1 || !contains(a[0].Content, "coffee") || a[0].Reason != "no-evidence" {
		t.Errorf("archived: %+v", a)
	}
	if once, _ := again(t, d, Selection{}, "notes-importer/2026.01"); once[first.Drop].State != ReplayUnchanged {
		t.Errorf("%+v", once)
	}
}

// The released versions of ChatGPT's importer name everything the same.

func TestIDsAreTheSameWithEveryVersionOfAnImporter(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	take(t, d, "me", zipOf(t, map[string]string{"conversations.json": twoConversations}))
	names := func() (ids []string) {
		head, _, err := state.ReadHead(t.Context(), d.Store, "me")
		if err != nil {
			t.Fatal(err)
		}
		for f, err := range foldIndex(t.Context(), d, "me", head.ExportID) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, f.Conversation)
		}
		return ids
	}
	want := names()
	for _, version := range []string{"chatgpt-importer/2026.07", "chatgpt-importer/2026.11", "chatgpt-importer/2026.07"} {
		_, rs := again(t, d, Selection{Provider: "chatgpt"}, version)
		for _, r := range rs {
			if r.State != state.StateDone || !slices.Equal(r.Importers, []string{version}) {
				t.Errorf("%s: %+v", version, r)
			}
		}
		if got := names(); len(got) != 2 || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", version, got, want)
		}
	}
}

func TestADryReplayChangesNothingAndTellsWhatTheReplayDoes(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Registry = providers.NewRegistry(notes{name: "notes"})
	take(t, d, "me", notesZip(t, "extra.json", extraTalk))
	take(t, d, "me", notesZip(t, "other.txt", "x"))
	d.Registry = providers.NewRegistry(notes{name: "notes"}, newer{notes{name: "notes"}})
	before := listing(t, d, "")
	over, discard, err := Overlay(d.Store, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dry := d
	dry.Store, dry.Estimate = over, true
	var diffs []StoreDiff
	for _, one := range selected(t, d, Selection{Owner: "me"}) {
		a, err := Prepare(t.Context(), dry, one.Ask("", nil, true), new(Notice))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Rehearse(t.Context(), dry, a.Request)
		if err != nil || r.Receipt.State != state.StateDone || r.Before == r.After {
			t.Fatal(err, r)
		}
		diff, err := Diff(t.Context(), dry, "me", r.Before, r.After, 1)
		if err != nil {
			t.Fatal(err)
		}
		diffs = append(diffs, diff)
		if err := r.Forget(t.Context(), dry); err != nil {
			t.Fatal(err)
		}
		if a, err := Prepare(t.Context(), dry, one.Ask("", nil, true), new(Notice)); err != nil || a.State != ReplayUnchanged {
			t.Errorf("rehearsed twice: %+v, %v", a, err)
		}
	}
	if err := discard(); err != nil {
		t.Fatal(err)
	}
	if after := listing(t, d, ""); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("the dry run wrote to the store")
	}
	if len(diffs) != 2 {
		t.Fatal(diffs)
	}
	var added, changed, memories int64
	for _, one := range diffs {
		added, changed, memories = added+one.Conversations.Added.Count, changed+one.Conversations.Changed.Count, memories+one.Memories.Added.Count
		if len(one.Conversations.Changed.First) > 1 {
			t.Error("more than the limit is named")
		}
	}
	if added != 1 || changed < 2 || memories != 1 {
		t.Errorf("%d conversations added, %d changed, %d memories added: %+v", added, changed, memories, diffs)
	}
}

func TestARefusedDropIsReplayedAndAcceptedByANewerImporter(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Registry = providers.NewRegistry(notes{name: "notes", at: "elsewhere/"})
	bad := take(t, d, "me", notesZip(t))
	if bad.State != state.StateRefused {
		t.Fatal(bad)
	}
	got := selected(t, d, Selection{Owner: "me"})
	if len(got) != 1 || got[0].State != state.StateRefused || got[0].Parts[0] != "export.zip" {
		t.Fatalf("%+v", got)
	}
	if got := selected(t, d, Selection{Provider: "notes"}); len(got) != 0 {
		t.Errorf("nobody has read it: %+v", got)
	}
	d.Registry = providers.NewRegistry(notes{name: "notes"})
	_, rs := again(t, d, Selection{}, "")
	good := rs[bad.Drop]
	if good.State != state.StateDone {
		t.Fatal(good)
	}
	got = selected(t, d, Selection{})
	if len(got) != 1 || got[0].Import != good.Import {
		t.Errorf("the refusal still stands for the drop: %+v", got)
	}
	// Refused once more under a pin, the accepted result stands, and the one who waits hears of the refusal.
	d.Registry = providers.NewRegistry(notes{name: "notes"}, notes{name: "others", at: "elsewhere/"})
	_, rs = again(t, d, Selection{}, "others")
	if rs[bad.Drop].State != state.StateRefused {
		t.Errorf("%+v", rs)
	}
	if got = selected(t, d, Selection{}); len(got) != 1 || got[0].Import != good.Import || got[0].State != state.StateDone {
		t.Errorf("%+v", got)
	}
}

func TestADropWhoseArchiveIsGoneAndOneBeingImportedAreLeftAlone(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	d.Registry = providers.NewRegistry(notes{name: "notes"})
	gone, busy := take(t, d, "me", notesZip(t)), take(t, d, "me", notesZip(t, "b.txt", "b"))
	d.Registry = providers.NewRegistry(newer{notes{name: "notes"}})
	if err := d.Store.Delete(t.Context(), state.DropKey("me", gone.Drop, "part-000")); err != nil {
		t.Fatal(err)
	}
	other := state.Request{V: state.MessageVersion, Owner: "me", Drop: busy.Drop, Importer: "notes", Lane: state.LaneSmall}
	if err := state.PutJSON(t.Context(), d.Store, state.RequestKey("me", busy.Drop), other); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{gone.Drop: ReplayGone, busy.Drop: ReplayBusy}
	for _, one := range selected(t, d, Selection{}) {
		a, err := Prepare(t.Context(), d, one.Ask("", nil, true), new(Notice))
		if err != nil || a.State != want[one.Drop] || a.Reason == "" {
			t.Errorf("%+v, %v; want %s", a, err, want[one.Drop])
		}
		// The same wish as the open one goes on with it.
		if one.Drop == busy.Drop {
			if a, err := Prepare(t.Context(), d, one.Ask("notes", nil, true), new(Notice)); err != nil || a.State != ReplayQueued {
				t.Errorf("%+v, %v", a, err)
			}
		}
	}
	if err := d.Store.Delete(t.Context(), state.DropKey("me", gone.Drop, "drop.json")); err != nil {
		t.Fatal(err)
	}
	if a, err := Prepare(t.Context(), d, ReplayAsk{Owner: "me", Drop: gone.Drop}, new(Notice)); err != nil || a.State != ReplayGone {
		t.Errorf("without a record: %+v, %v", a, err)
	}
}

func TestAReplayWithWrongWordsIsPermanent(t *testing.T) {
	d := testDeps(t)
	drop := strings.Repeat("ab", 32)
	for _, ask := range []ReplayAsk{
		{Owner: "../you", Drop: drop}, {Owner: "me", Drop: "x"}, {Owner: "me", Drop: drop, Importer: "nobody/1"}, {Owner: "me", Drop: drop, Extractors: []string{"none"}},
	} {
		if a, err := Prepare(t.Context(), d, ask, new(Notice)); fault.Of(err) != fault.Permanent {
			t.Errorf("%+v: %+v, %v", ask, a, err)
		}
	}
}

// An extractor set that differs is another import, without the archive being read in another way.

func TestAnotherExtractorSetIsNoticed(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	r := take(t, d, "me", zipOf(t, map[string]string{"conversations.json": twoConversations}))
	a, err := Prepare(t.Context(), d, ReplayAsk{Owner: "me", Drop: r.Drop, Extractors: []string{"rules"}}, new(Notice))
	if err != nil || a.State != ReplayQueued {
		t.Errorf("%+v, %v", a, err)
	}
	d.Limits.Archive.MaxMembers = 7
	if a, err := Prepare(t.Context(), d, ReplayAsk{Owner: "me", Drop: r.Drop}, new(Notice)); err != nil || a.State != ReplayQueued {
		t.Errorf("under other limits: %+v, %v", a, err)
	}
}

// failing cannot read objects whose key ends in key.
