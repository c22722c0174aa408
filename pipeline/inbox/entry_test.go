package inbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

func TestInboxIsReadAsDrops(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	own := objects.Digest("own")
	for _, key := range []string{
		"inbox/export.zip", "inbox/.hidden", "inbox/ann/a.zip", "inbox/ann/b.zip.part", "inbox/ann/.DS_Store", "inbox/ann/folder/x.json",
		"inbox/ann/folder/deep/y.json", "inbox/ann/folder/.z", "inbox/ann/folder.zip", "inbox/ann/marked/_COMPLETE", "inbox/ann/marked/x",
		"inbox/ann/" + own + "/drop.json", "inbox/ann/" + own + "/part-000", "inbox/ann/" + objects.Digest("hers") + "/notes.json",
		"inbox/ann/" + objects.Digest("file"), "inbox/ann-b/c.zip", "inbox/Ann Smith/d.zip", "inbox/Ann Smith/e.zip", "inbox/ann/up.tmp/x",
	} {
		r.put(t, key, "x")
	}
	for _, key := range []string{"inbox/ann/", "inbox/ann/folder/"} {
		r.bucket.strange[key] = blob.Object{Key: key}
	}
	for _, key := range []string{`inbox/ann/back\slash.zip`, "inbox/ann/bell\x07", "inbox/ann//empty", "inbox/bob/f/../../ann/x", "inbox/bob/gone\uFFFD"} {
		r.putStrange(key)
	}
	var got []string
	for _, e := range r.list(t) {
		line := fmt.Sprintf("%s %s %d", e.owner, strings.TrimPrefix(e.key, state.InboxRoot), e.files)
		if e.marked {
			line += " marked"
		}
		if e.bad != nil {
			line += " bad"
		}
		got = append(got, line)
	}
	want := []string{
		" Ann Smith/ 2", "ann-b ann-b/c.zip 1", "ann ann// 1 bad", "ann ann/" + objects.Digest("hers") + "/ 1",
		"ann ann/" + objects.Digest("file") + " 1", "ann ann/a.zip 1", `ann ann/back\slash.zip 1 bad`, "ann ann/bell\x07 1 bad",
		"ann ann/folder.zip 1", "ann ann/folder/ 2", "ann ann/marked/ 1 marked", "bob bob/f/ 1 bad", "bob bob/gone\uFFFD 1 bad", "me export.zip 1",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestIDOfAnEntryChangesWithEverythingThatMakesItAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	seen := map[string]string{}
	note := func(what, key string) {
		t.Helper()
		e, ok, err := r.findEntry(t.Context(), r.Store, key)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if before, twice := seen[e.id]; twice {
			t.Errorf("%s has the id of %s", what, before)
		}
		seen[e.id] = what
	}
	r.put(t, "inbox/ann/a.zip", "1")
	note("a file", "inbox/ann/a.zip")
	r.put(t, "inbox/ann/a.zip", "2")
	note("other bytes", "inbox/ann/a.zip")
	r.memory.Advance(time.Second)
	r.put(t, "inbox/ann/a.zip", "2")
	note("put again", "inbox/ann/a.zip")
	r.put(t, "inbox/bob/a.zip", "1")
	note("another owner", "inbox/bob/a.zip")
	r.put(t, "inbox/ann/f/x", "1")
	note("a folder", "inbox/ann/f/")
	r.put(t, "inbox/ann/f/y", "1")
	note("one file more", "inbox/ann/f/")
	r.put(t, "inbox/ann/f/_COMPLETE", "")
	note("marked", "inbox/ann/f/")
	r.put(t, "inbox/root.zip", "1")
	note("root", "inbox/root.zip")
	r.Owner = "you"
	note("root of somebody else", "inbox/root.zip")

	r.put(t, "inbox/ann/f/.DS_Store", "1")
	e, _, err := r.findEntry(t.Context(), r.Store, "inbox/ann/f/")
	if err != nil || seen[e.id] != "marked" {
		t.Errorf("a skipped object changes the id: %v", err)
	}
}
