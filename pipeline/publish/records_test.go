package publish_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
)

const records = `[{"record":{"kind":"memory","text":"# Home\n- Keeps hens\n- User likes oaks"}},
{"record":{"kind":"instruction","text":"Be brief."}},{"record":{"kind":"project","title":"Oven","text":"A new one"}},
{"record":{"kind":"setting","text":"dark"}}]`

func TestADropOfRecordsAloneIsAnImport(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Registry = stagetest.NotesRegistry()
	rec, _ := imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": records})))
	m, _, err := state.ReadManifest(t.Context(), r.Store(), owner, rec.Import)
	if k := m.Counts.Records; err != nil || k["memory"] != 1 || k["setting"] != 1 || m.Counts.ByImporter["notes-importer/2026.01"].Records != 4 || m.Parts[0].Newest != "2025-05-05T05:05:05.000000Z" {
		t.Errorf("%+v, %v", m.Counts, err)
	}
	var got []string
	for _, m := range memories(t, r) {
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
}

// A record in two drops is one memory with the evidence of one record; in another member it is
// other evidence.
func TestRecordsOfSeveralDropsBecomeOneMemory(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Registry = stagetest.NotesRegistry()
	for i, files := range []map[string]string{{"notes.json": records}, {"notes.json": records, "files/a": "another drop"}, {"other/notes.json": records}} {
		imported(t, r, r.PutDrop(t, stagetest.Zip(t, files)))
		all := memories(t, r)
		if len(all) != 4 {
			t.Fatalf("after drop %d: %d memories", i, len(all))
		}
		for _, m := range all {
			if n := strings.Count(string(m.Metadata), `"member"`); n != 1+i/2 {
				t.Errorf("after drop %d: %s has %d pieces of evidence: %s", i, m.Content, n, m.Metadata)
			}
		}
	}
}

func TestSnapshotsOfAnImportLeaveRecordsOut(t *testing.T) {
	r := stagetest.New(t)
	r.Ingest.Registry = stagetest.NotesRegistry()
	m, err := r.Read(t.Context(), r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"record":{"kind":"memory","text":"x"}},{"id":"a"},{"record":{"kind":"memory","text":"y"}},{"id":"b"}]`})))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s, err := range publish.Snapshots(t.Context(), r.Store(), owner, m.Import) {
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
