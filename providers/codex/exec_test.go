package codex_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/codex"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func streams(t testing.TB) []importertest.File {
	t.Helper()
	return []importertest.File{
		importertest.Fixture(t, "untimed.jsonl", "envelope-untimed.jsonl"), importertest.Fixture(t, "exec.jsonl", "exec.jsonl"), importertest.Fixture(t, "out.log", "events.jsonl"),
	}
}

func rolesOf(d *pamio.Conversation) string {
	var out []string
	for _, m := range d.Messages {
		role := m.Role
		if m.IsThought {
			role += "(thought)"
		}
		if len(m.ToolCalls) > 0 {
			role += "(" + m.ToolCalls[0].Name + ")"
		}
		out = append(out, role)
	}
	return strings.Join(out, " ")
}

func TestStreamsWithoutTimestampsAreRead(t *testing.T) {
	r := format.Read(t, streams(t)...)
	format.Check(t, r)
	importertest.Documents(t, "testdata/streams.golden", r)
	format.Coverage(t, "testdata/streams-coverage.golden", r)
	var got []string
	for _, s := range r.Conversations() {
		got = append(got, s.Doc.Provider.ExportFormatVersion+" "+s.Doc.Provider.ConversationID+": "+rolesOf(s.Doc))
	}
	want := []string{
		"codex-envelope 019e3b3f-0000-7cb3-aaab-000000000011: user assistant(shell) tool assistant",
		"codex-exec 019e3b3f-0000-7cb3-aaab-000000000012: assistant(thought) assistant(command_execution) tool assistant(read_file) tool assistant(file_change) assistant(web_search) assistant assistant(command_execution) system system",
		"codex-events : user assistant(thought) assistant",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if d := r.Conversations()[0].Doc; d.Temporal.CreatedAt != "2026-05-18T13:00:00Z" || d.Model != "gpt-5-codex" {
		t.Errorf("created %s, model %s", d.Temporal.CreatedAt, d.Model)
	}
	for _, s := range r.Conversations() {
		if s.Anomalies[importer.AnomalyUnknownVariant] > 0 {
			t.Errorf("%s: %v", s.Doc.Provider.ExportFormatVersion, s.Anomalies)
		}
	}
}

// What a version made of an archive, it makes of it for ever.
func TestVersion202611ReadsNoStreams(t *testing.T) {
	old := codex.New202611()
	if r := importertest.Read(t, old, importer.Limits{}, streams(t)...); len(r.Claim.Members) != 0 {
		t.Errorf("%s claims %d members", old.Version(), len(r.Claim.Members))
	}
	importertest.Documents(t, "testdata/folder.golden", importertest.Read(t, old, importer.Limits{}, folder(t)...))
	if all := codex.Versions(); all[0].Version() != "codex-importer/2026.12" || all[1].Version() != "codex-importer/2026.11" {
		t.Errorf("versions %s, %s", all[0].Version(), all[1].Version())
	}
}

func TestEventsOfOtherProgramsAreNotClaimed(t *testing.T) {
	format.Refuse(t, "log.jsonl", map[string]string{
		"a webhook":         `{"type":"push","payload":{"ref":"x"}}` + "\n" + `{"type":"issue","payload":{}}`,
		"a to-do list":      `{"type":"item.completed","item":"x"}`,
		"messages of a bus": `{"id":"1","msg":{"type":"ping"}}`,
		"an error":          `{"type":"error","message":"x"}`,
	})
}

func TestOddValuesInStreams(t *testing.T) {
	format.Mutate(t, format.Read(t, streams(t)...), 100)
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"exec.jsonl", "events.jsonl", "envelope-untimed.jsonl"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte("[" + strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", ",") + "]"))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "session"}, raw) })
}
