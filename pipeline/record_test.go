package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers/importer"
)

// Extractors do not know importers, so the kinds are named twice.
func TestKindsOfRecordsAreTheSameForImportersAndExtractors(t *testing.T) {
	for _, k := range [][2]string{
		{importer.RecordMemory, extract.RecordMemory}, {importer.RecordInstruction, extract.RecordInstruction},
		{importer.RecordProfile, extract.RecordProfile}, {importer.RecordProject, extract.RecordProject},
		{importer.RecordAssistant, extract.RecordAssistant}, {importer.RecordFeedback, extract.RecordFeedback},
		{importer.RecordSetting, extract.RecordSetting},
	} {
		if k[0] != k[1] {
			t.Errorf("%q and %q", k[0], k[1])
		}
	}
}

// memories of the current store of an owner.
func memories(t *testing.T, d Deps) []*pamio.Memory {
	t.Helper()
	rc, _, err := d.Store.Get(t.Context(), state.StoreKey("me"), blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	var out []*pamio.Memory
	err = pamio.ReadStore(rc, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		out = append(out, m)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const recordsOnly = `[{"record":{"kind":"memory","text":"# Home\n- Keeps hens\n- User likes oaks"}},
{"record":{"kind":"instruction","text":"Be brief."}},{"record":{"kind":"project","title":"Oven","text":"A new one"}},
{"record":{"kind":"setting","text":"dark"}}]`

func TestDropOfRecordsAloneIsAnImport(t *testing.T) {
	t.Parallel()
	d := notesDeps(t)
	r := runImport(t, d, "me", zipOf(t, map[string]string{"notes.json": recordsOnly}))
	if r.State != state.StateDone || !r.Store.Published || r.Counts.Conversations != 0 || r.Extraction.Candidates != 4 {
		t.Fatalf("%+v", r)
	}
	if k := r.Counts.Records; k["memory"] != 1 || k["instruction"] != 1 || k["project"] != 1 || k["setting"] != 1 {
		t.Errorf("records %v", k)
	}
	if r.Extraction.Counts["setting"] != 1 || r.Counts.ByImporter["notes-importer/2026.01"].Records != 4 || r.Parts[0].Newest != "2025-05-05T05:05:05.000000Z" {
		t.Errorf("%+v, %+v, %+v", r.Extraction, r.Counts, r.Parts)
	}
	var got []string
	for _, m := range memories(t, d) {
		got = append(got, m.Type+" "+m.Content)
		if m.Provenance.ConversationRef != "" || m.Provenance.PlatformUserID != "acc" || m.Temporal.CreatedAt != "2025-05-05T05:05:05Z" ||
			!strings.Contains(string(m.Metadata), `"evidence":[{"member":"notes.json","observed_at":"2025-05-05T05:05:05Z"`) ||
			strings.Contains(string(m.Metadata), `"pointer":"/0/record"`) != (m.Type != "instruction") {
			t.Errorf("%s: %+v %s", m.ID, m.Provenance, m.Metadata)
		}
	}
	slices.Sort(got)
	if want := []string{"fact Keeps hens.", "instruction Be brief.", "preference Likes oaks.", "project Oven: A new one"}; !slices.Equal(got, want) {
		t.Errorf("memories %q", got)
	}
	bundleOf(t, d)
}

func TestDropOfFilesAloneIsAnImport(t *testing.T) {
	t.Parallel()
	d := notesDeps(t)
	r := runImport(t, d, "me", zipOf(t, map[string]string{"notes.json": `[]`, "files/a": "a"}))
	if r.State != state.StateDone || r.Counts.Assets.Files != 1 {
		t.Fatalf("%+v", r)
	}
	if !slices.Equal(assetsOf(bundleOf(t, d)), []string{refOf("a", ".txt")}) {
		t.Error("the file is not in the bundle")
	}
}

func TestDropOfFilesThatCannotBeCopiedIsRefused(t *testing.T) {
	t.Parallel()
	d := notesDeps(t)
	d.Limits.MaxAsset = 1
	r := runImport(t, d, "me", zipOf(t, map[string]string{"files/a": "aaa"}))
	if r.State != state.StateRefused || !strings.Contains(r.Reason, "files/a") || !strings.Contains(r.Reason, "max_asset") {
		t.Errorf("%s: %s", r.State, r.Reason)
	}
}

// The same record in two drops is one memory with the evidence of one record; in another member it is another evidence.
func TestRecordsOfSeveralDropsBecomeOneMemory(t *testing.T) {
	t.Parallel()
	d := notesDeps(t)
	for i, files := range []map[string]string{
		{"notes.json": recordsOnly},
		{"notes.json": recordsOnly, "files/a": "another drop"},
		{"other/notes.json": recordsOnly},
	} {
		if _, err := runStages(t, d, zipOf(t, files)); err != nil {
			t.Fatal(err)
		}
		all := memories(t, d)
		if len(all) != 4 {
			t.Fatalf("after drop %d: %d memories", i, len(all))
		}
		for _, m := range all {
			want := 1
			if i == 2 {
				want = 2
			}
			if n := strings.Count(string(m.Metadata), `"member"`); n != want {
				t.Errorf("after drop %d: %s has %d pieces of evidence: %s", i, m.Content, n, m.Metadata)
			}
		}
	}
}

// Restoring an import passes over its records.
func TestSnapshotsOfAnImportLeaveRecordsOut(t *testing.T) {
	d := notesDeps(t)
	m, _ := ingested(t, d, "me", zipOf(t, map[string]string{"notes.json": `[{"record":{"kind":"memory","text":"x"}},{"id":"a"},{"record":{"kind":"memory","text":"y"}},{"id":"b"}]`}))
	n := 0
	for s, err := range publish.Snapshots(t.Context(), d.Store, "me", m.Import) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pamio.ParseConversation(s.Doc); err != nil || s.Importer != "notes-importer/2026.01" {
			t.Errorf("%v, %s", err, s.Importer)
		}
		n++
	}
	if n != 2 || len(m.Shards) != 1 || m.Shards[0].Snapshots != 2 || m.Shards[0].Records != 2 {
		t.Errorf("%d snapshots, shards %+v", n, m.Shards)
	}
}

func TestRecordThatCannotBeStoredIsQuarantined(t *testing.T) {
	d := notesDeps(t)
	r, err := runStages(t, d, zipOf(t, map[string]string{"notes.json": fmt.Sprintf(`[{"record":{"kind":%q,"text":"x"}},{"id":"a"}]`, "")}))
	if err != nil || r.State != state.StateLosses || len(r.Quarantined) != 1 || r.Quarantined[0].Code != "invalid-record" {
		t.Errorf("%v, %+v", err, r)
	}
}
