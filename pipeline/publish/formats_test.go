package publish_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// listedFiles are the digests of the names that the copy of a format lists.
func listedFiles(t *testing.T, r *stagetest.Rig, end string) map[string]string {
	t.Helper()
	body, ok := r.Data.Body(state.OwnerKey(owner, "memories"+end))
	if !ok {
		t.Fatalf("there is no memories%s", end)
	}
	if export, _ := r.Data.Body(state.ExportKey(owner, r.Head(t).ExportID, end)); export != body {
		t.Errorf("memories%s is not that of the export", end)
	}
	names := map[string]string{}
	for line := range strings.Lines(body) {
		fields := strings.SplitN(line, " ", 3)
		names[fields[1]] = fields[0]
	}
	return names
}

func verifyStore(t *testing.T, r *stagetest.Rig) {
	t.Helper()
	if err := publish.VerifyStore(t.Context(), r.Publish, owner, r.Head(t)); err != nil {
		t.Error(err)
	}
	if problems, err := publish.CheckFolder(t.Context(), r.Store(), owner); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestAStoreIsPublishedInFurtherFormats(t *testing.T) {
	r := stagetest.New(t)
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	plain := r.Head(t)
	r.Publish.Formats = []publish.Format{stagetest.Format(".a"), stagetest.Format(".b")}
	compute(t, r, inputsOf(t, r)) // the setting alone is a reason
	now := r.Head(t)
	if now.Memories != plain.Memories || len(now.Formats) != 2 {
		t.Errorf("%+v, before %+v", now, plain)
	}
	if err := publish.WriteCopies(t.Context(), r.Store(), owner, now); err != nil {
		t.Fatal(err)
	}
	one := listedFiles(t, r, ".a")
	if !maps.Equal(one, listedFiles(t, r, ".b")) || one[pamio.StoreFile] != now.Store || len(one) != 4 {
		t.Errorf("the formats have %v", one)
	}
	verifyStore(t, r)
	if compute(t, r, inputsOf(t, r)); r.Head(t).ExportID != now.ExportID {
		t.Error("the same was published twice")
	}

	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 3)))
	if two := listedFiles(t, r, ".b"); two[pamio.StoreFile] == now.Store || len(two) != 5 {
		t.Errorf("the next export has %v", two)
	}
	verifyStore(t, r)
}

// A format that is not asked for any more goes with the next export, and its copy with it.
func TestAFormatThatIsNotAskedForEndsWithTheNextExport(t *testing.T) {
	r := stagetest.New(t)
	r.Publish.Formats = []publish.Format{stagetest.Format(".a"), stagetest.Format(".b")}
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	r.Publish.Formats = r.Publish.Formats[:1]
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 3)))
	if _, ok := r.Data.Body(state.OwnerKey(owner, "memories.b")); ok || r.Head(t).Formats[".b"].SHA256 != "" {
		t.Errorf("the copy is there: %v, head %+v", ok, r.Head(t))
	}
	if len(listedFiles(t, r, ".a")) != 5 {
		t.Error("the other format is not that of the store")
	}
	verifyStore(t, r)
}

func TestAStoreThatAFormatCannotHoldIsNotPublished(t *testing.T) {
	r := stagetest.New(t)
	imported(t, r, r.PutDrop(t, stagetest.TalksZip(t, 2)))
	before := r.Head(t)
	r.Publish.Formats = []publish.Format{{Name: "tiny", End: ".tiny", Write: func(context.Context, *pamio.Bundle, string, io.Writer) error { return errors.New("it is too large") }}}
	in := inputsOf(t, r)
	_, _, err := publish.Compute(t.Context(), r.Publish, publish.Round{Owner: owner, Prior: before, Before: in, Inputs: in.Clone(), Digest: before.Inputs})
	if err == nil || !strings.Contains(fault.HintOf(err), "leave tiny out of the setting publish.formats") || r.Head(t).Sequence != before.Sequence {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
}

// A process dies at any write, another one finishes: the formats are those of the export.
func TestACrashAtAnyWriteLeavesWholeFormats(t *testing.T) {
	for n := 0; ; n += statetest.Stride(5) {
		r := stagetest.New(t)
		r.Publish.Formats = []publish.Format{stagetest.Format(".a")}
		drop := r.PutDrop(t, stagetest.TalksZip(t, 2))
		c, reached := r.Crash(n)
		if _, _, err := c.Import(t.Context(), drop); reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		finishCrashed(t, r, drop, n)
		if names := listedFiles(t, r, ".a"); names[pamio.StoreFile] != r.Head(t).Store {
			t.Errorf("after a crash at write %d: %v", n, names)
		}
		verifyStore(t, r)
		if !reached() {
			return
		}
	}
}
