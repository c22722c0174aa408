package textgen_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/textgen"
)

var format = importertest.Format{Importer: textgen.New()}

func files(t testing.TB) []importertest.File {
	t.Helper()
	return importertest.Load(t, "testdata/data")
}

// byFile gives the documents by the last part of their file's name.
func byFile(r *importertest.Result) map[string]*pamio.Conversation {
	out := map[string]*pamio.Conversation{}
	for _, u := range r.Units {
		for _, i := range u.Items {
			if i.Conversation != nil {
				out[u.Member.Name[strings.LastIndex(u.Member.Name, "/")+1:]] = i.Conversation.Doc
			}
		}
	}
	return out
}

func TestChatsOfTextGenerationWebUI(t *testing.T) {
	r := format.Read(t, files(t)...)
	format.Check(t, r)
	if c, q := len(r.Conversations()), len(r.Quarantined()); c != 4 || q != 0 {
		t.Errorf("%d conversations, %d quarantined; want 4 and 0", c, q)
	}
	importertest.Documents(t, "testdata/documents.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
}

func TestVersionsAreSiblingsAndAGreetingHasNoQuestion(t *testing.T) {
	docs := byFile(format.Read(t, files(t)...))
	links := func(d *pamio.Conversation) []string {
		var out []string
		for _, m := range d.Messages {
			out = append(out, m.ID+" "+m.Role+" after "+m.ParentID)
		}
		return out
	}
	want := []string{
		"a0 assistant after ", "u1 user after a0", "a1.v1 assistant after u1", "a1 assistant after u1", "a1.v2 assistant after u1",
		"u2 user after a1.v1", "a2 assistant after u2", "u3.v1 user after a2", "a3 assistant after u3.v1", "u3 user after a2",
	}
	d := docs["20240601-13-01-02.json"]
	if got := links(d); !slices.Equal(got, want) {
		t.Errorf("messages are %q, want %q", got, want)
	}
	if m := d.Messages[2]; m.Model != "rye-14b.gguf" || m.CreatedAt != "2024-06-01T13:04:00Z" || m.ToolCalls[0].Name != "clock" {
		t.Errorf("the answer has model %q, time %q, calls %+v", m.Model, m.CreatedAt, m.ToolCalls)
	}
	if a := d.Messages[1].Attachments; len(a) != 2 || a[1].Type != "image" {
		t.Errorf("attachments are %+v", a)
	}
	if !strings.Contains(string(d.RawMetadata), `"time_zone":"unknown"`) {
		t.Error("times without a zone are not flagged")
	}
	if got := links(docs["Pirate_persistent.json"]); !slices.Equal(got, []string{"a0 assistant after ", "u1 user after a0", "a1 assistant after u1"}) {
		t.Errorf("messages of the old form are %q", got)
	}
}

// The rules of ids are frozen.
func TestIDsNeverChange(t *testing.T) {
	docs := byFile(format.Read(t, files(t)...))
	for file, want := range map[string]string{
		"20240601-13-01-02.json": "392b8463-eff6-5fbd-9afc-d88fdf757044", "Pirate_persistent.json": "a8252f6c-d488-566d-9c63-fe411ad0f9ae", "20231101-09-00-00.json": "391386b4-f6e5-536e-8a40-aeac45f63dc9",
	} {
		if docs[file].ID != want {
			t.Errorf("%s has the id %s, want %s", file, docs[file].ID, want)
		}
	}
}

func TestAMessageKeepsItsIDWhenItGetsAnotherVersion(t *testing.T) {
	ids := func(answer, metadata string) (out []string) {
		r := format.Read(t, importertest.File{Name: "logs/20240601-13-01-02.json", Data: []byte(`{"internal":[["q","` + answer + `"],["r","s"]],"visible":[],"metadata":{` + metadata + `}}`)})
		for _, m := range r.Conversations()[0].Doc.Messages {
			out = append(out, m.ID)
		}
		return out
	}
	before := ids("one", "")
	after := ids("two", `"assistant_0":{"versions":[{"content":"one"},{"content":"two"}],"current_version_index":1}`)
	if !slices.Equal(before, []string{"u0", "a0", "u1", "a1"}) || !slices.Equal(after, []string{"u0", "a0.v1", "a0", "u1", "a1"}) {
		t.Errorf("ids were %q, are %q", before, after)
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	d := byFile(format.Read(t, files(t)...))["20240601-13-01-02.json"]
	answer, other := "Five hours.", "Three hours."
	d.Messages[2].Content.Text, d.Messages[3].Content.Text = &answer, &other
	out, err := textgen.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`,"Five hours."]`, `"content":"Three hours."`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s is not in what is restored", want)
		}
	}
}

func TestOddValuesOfTextGenerationWebUI(t *testing.T) {
	format.Mutate(t, format.Read(t, files(t)...), 100)
}

func TestADamagedFileIsQuarantinedAlone(t *testing.T) {
	for name, c := range map[string]struct {
		change      func([]byte) []byte
		quarantined int
	}{
		"truncated": {func(b []byte) []byte { return b[:len(b)-40] }, 1},
		"a broken word": {func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"current_version_index": 1`), []byte(`"current_version_index": on`), 1)
		}, 1},
		"more behind it":   {func(b []byte) []byte { return append(slices.Clip(b), "]}"...) }, 1},
		"a lone surrogate": {func(b []byte) []byte { return bytes.Replace(b, []byte("Welcome."), []byte(`\ud83d Welcome`+"\xff"), 1) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			all := files(t)
			i := slices.IndexFunc(all, func(f importertest.File) bool { return strings.HasSuffix(f.Name, "20240601-13-01-02.json") })
			all[i].Data = c.change(all[i].Data)
			r := format.Read(t, all...)
			format.Check(t, r)
			if len(r.Quarantined()) != c.quarantined || len(r.Conversations()) != 4-c.quarantined {
				t.Errorf("%d conversations, %d quarantined; want %d and %d", len(r.Conversations()), len(r.Quarantined()), 4-c.quarantined, c.quarantined)
			}
		})
	}
}

func TestForeignFilesAreNotClaimed(t *testing.T) {
	for _, in := range []string{
		`{"internal":[{"a":1}],"visible":[]}`, `{"data":[["a","b"]]}`, `{"data":[{"id":1}],"data_visible":[]}`, `{"internal":1,"visible":2}`, `{"success":true,"data":[[]]}`, `{}`, ``,
	} {
		if r := format.Read(t, importertest.File{Name: "logs/20240601-13-01-02.json", Data: []byte(in)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzChat(f *testing.F) {
	for _, file := range files(f) {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "chat"}, raw) })
}
