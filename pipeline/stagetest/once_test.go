package stagetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// watched is a rig after one import, and the keys that it reports from then on.
func watched(t *testing.T) (*Rig, job.Record, *[]string) {
	t.Helper()
	r := New(t)
	rec, _, err := r.Import(t.Context(), r.PutDrop(t, TalksZip(t, 2)))
	if err != nil || rec.Outcome != job.Done {
		t.Fatalf("%+v, %v", rec, err)
	}
	var reported []string
	r.report = func(key string) { reported = append(reported, key) }
	return r.On(r.Data), rec, &reported
}

func TestRigReportsImmutableObjectsThatChange(t *testing.T) {
	t.Parallel()
	r, rec, reported := watched(t)
	manifest := state.ManifestKey(Owner, rec.Import)
	body, _ := r.Data.Body(manifest)
	for _, c := range []struct {
		key, text string
		change    bool
	}{
		{manifest, body, false}, // the same bytes again
		{manifest, body + " ", true},
		{state.HeadKey(Owner), "{}", false}, // what is swapped
		{state.ExportKey(Owner, "new", ".json"), "{}", false},
	} {
		*reported = nil
		if _, err := r.Store().Put(t.Context(), c.key, strings.NewReader(c.text), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(*reported, c.key) != c.change {
			t.Errorf("%s: reported %q", c.key, *reported)
		}
	}
}

func TestRigReportsResultsThatGoWhileTheirManifestIsThere(t *testing.T) {
	t.Parallel()
	r, rec, reported := watched(t)
	results := r.Data.Keys(state.ImportKey(Owner, rec.Import, "candidates/"))
	if len(results) != 1 {
		t.Fatalf("%q", results)
	}
	if err := r.Store().Delete(t.Context(), results[0]); err != nil || !slices.Equal(*reported, results) {
		t.Errorf("reported %q, %v", *reported, err)
	}
	*reported = nil
	if err := r.Store().Delete(t.Context(), state.ImportKey(Owner, strings.Repeat("0", 32), "candidates/x.zst")); err != nil || len(*reported) > 0 {
		t.Errorf("an object that is not there: %q, %v", *reported, err)
	}
}
