package mistral_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/mistral"
)

var format = importertest.Format{Importer: mistral.New()}

const (
	withTools    = "chat-11111111-0000-4000-8000-000000000001"
	withSiblings = "chat-11111111-0000-4000-8000-000000000002"
	withOddities = "chat-11111111-0000-4000-8000-000000000003"
)

func fixture(t testing.TB, stem string) importertest.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", stem+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return importertest.File{Name: stem + ".json", Data: data}
}

func export(t testing.TB) []importertest.File {
	return []importertest.File{
		{Name: withTools + "-files/" + norm.NFD.String("Übersicht.png"), Data: []byte("\x89PNG\r\n\x1a\n")},
		{Name: withTools + "-files/" + withSiblings + ".json", Data: fixture(t, withSiblings).Data}, // attached by the person
		fixture(t, withTools), fixture(t, withSiblings), fixture(t, withOddities),
		{Name: "chat-11111111-0000-4000-8000-000000000004.json", Data: []byte("[]")},
		{Name: "other.json", Data: []byte(`[{"role":"user","content":"x"}]`)},
	}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := format.Read(t, files...)
	format.Check(t, r)
	return r
}

func one(t testing.TB, r *importertest.Result) *importer.Snapshot {
	t.Helper()
	if got := r.Conversations(); len(got) == 1 {
		return got[0]
	}
	t.Fatalf("%d conversations, want one", len(r.Conversations()))
	return nil
}

func TestWholeExport(t *testing.T) {
	r := read(t, export(t)...)
	if len(r.Claim.Members) != 6 || len(r.Conversations()) != 4 || len(r.Quarantined()) != 0 {
		t.Errorf("%d claimed, %d conversations, %d quarantined", len(r.Claim.Members), len(r.Conversations()), len(r.Quarantined()))
	}
	importertest.Documents(t, "testdata/export.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
	format.Mutate(t, r, 100)
}

func TestMessagesAreInTheOrderOfTheirTimes(t *testing.T) {
	for _, s := range read(t, export(t)...).Conversations() {
		last := ""
		for _, m := range s.Doc.Messages {
			if m.CreatedAt < last {
				t.Errorf("%s after %s", m.CreatedAt, last)
			}
			last = m.CreatedAt
		}
	}
}

func TestContentAndItsChunksAreOneText(t *testing.T) {
	doc := one(t, read(t, fixture(t, withTools))).Doc
	if doc.Messages[1].Content.Type != "text" || len(doc.Messages[3].Content.Parts) != 2 {
		t.Errorf("contents: %+v, %+v", doc.Messages[1].Content, doc.Messages[3].Content)
	}
	if doc.Messages[2].Content == nil || *doc.Messages[2].Content.Text != "" {
		t.Error("the empty message is gone")
	}
	call := doc.Messages[1].ToolCalls[0]
	if call.Name != "web_search" || string(call.Input) != `{"query":"tea"}` || *call.Output != "Three pages." {
		t.Errorf("tool call: %+v", call)
	}
}

func TestRegeneratedAnswersAreSiblings(t *testing.T) {
	doc := one(t, read(t, fixture(t, withSiblings))).Doc
	m := doc.Messages
	if m[1].ParentID != m[0].ID || m[2].ParentID != m[0].ID || m[3].ParentID != m[2].ID {
		t.Error("a second version is not beside the first")
	}
	if m[4].ParentID != m[3].ID || m[5].ParentID != m[3].ID || m[6].ParentID != m[4].ID {
		t.Error("the conversation does not go on behind the preferred answer")
	}
	for _, m := range one(t, read(t, fixture(t, withTools))).Doc.Messages {
		if m.ParentID != "" || len(m.ChildrenIDs) > 0 {
			t.Error("a conversation without siblings is linked")
		}
	}
}

func TestFilesBesideTheChat(t *testing.T) {
	s := read(t, export(t)...).Conversations()[0]
	a := s.Doc.Messages[0].Attachments
	if len(a) != 2 || a[0].Ref == "" || a[0].Type != "image" || a[1].Ref != "" || a[1].Name != "gone.pdf" {
		t.Errorf("attachments: %+v", a)
	}
	if s.Anomalies[importer.AnomalyAssetMissing] != 2 {
		t.Errorf("anomalies: %v", s.Anomalies)
	}
}

func TestWhatIsUnknownIsCounted(t *testing.T) {
	s := one(t, read(t, fixture(t, withOddities)))
	for _, code := range []string{"unknown_role", "unknown_chunk", "unknown_tool", importer.AnomalyUnknownVariant} {
		if s.Anomalies[code] != 1 {
			t.Errorf("%s: %v", code, s.Anomalies)
		}
	}
	if m := s.Doc.Messages[2]; m.Role != "system" {
		t.Errorf("an unknown role became %s", m.Role)
	}
	if out := s.Doc.Messages[1].ToolCalls[0].Output; *out != `{"hits":[{"title":"a","score":1.5}]}` {
		t.Errorf("output: %s", *out)
	}
}

func TestEmptyChatIsAConversation(t *testing.T) {
	got := read(t, export(t)...).Conversations()[3].Doc
	if len(got.Messages) != 0 || got.Provider.ConversationID != "11111111-0000-4000-8000-000000000004" {
		t.Errorf("%+v", got)
	}
	r := format.Read(t, importertest.File{Name: "chat-11111111-0000-4000-8000-000000000004.json", Data: []byte("[]")})
	if len(r.Claim.Members) != 0 {
		t.Error("an empty list alone is claimed")
	}
}

func TestDamagedFiles(t *testing.T) {
	data := fixture(t, withTools).Data
	utf16 := []byte{0xff, 0xfe}
	for _, c := range data {
		utf16 = append(utf16, c, 0)
	}
	for _, c := range []struct {
		name        string
		data        []byte
		quarantined int
	}{
		{"cut off", data[:len(data)-40], 1},
		{"UTF-16", utf16, 0},
		{"text that is not JSON", bytes.Replace(data, []byte(`"version": 0`), []byte(`"version": zero`), 1), 1},
		{"null where a message should be", bytes.Replace(data, []byte(`[`), []byte(`[null,`), 1), 0},
		{"a message twice", bytes.Replace(data, []byte(`[`), []byte(`[{"id":"x","chatId":"a","role":"user","content":"x"},{"id":"x","chatId":"a","role":"user","content":"x"},`), 1), 0},
		{"a lone surrogate", bytes.Replace(data, []byte(`"reaction": "like"`), []byte(`"reaction": "\ud800"`), 1), 0},
		{"a key twice", bytes.Replace(data, []byte(`"version": 0`), []byte(`"version": 0, "version": 1`), 1), 0},
		{"a byte that is not UTF-8", bytes.Replace(data, []byte(`"like"`), []byte("\"\xff\""), 1), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := read(t, importertest.File{Name: withTools + ".json", Data: c.data}, fixture(t, withSiblings))
			if len(r.Quarantined()) != c.quarantined || len(r.Conversations()) != 2-c.quarantined {
				t.Errorf("%d conversations, %d quarantined", len(r.Conversations()), len(r.Quarantined()))
			}
		})
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	doc := one(t, read(t, fixture(t, withTools))).Doc
	text := "Another text"
	doc.Messages[0].Content.Text = &text
	doc.Messages[3].Content.Parts[1].Text = &text
	out, err := mistral.New().Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	var back []struct {
		Content       string
		ContentChunks []struct{ Text string }
	}
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if back[3].Content != text || back[2].ContentChunks[2].Text != text {
		t.Errorf("restored: %s", out)
	}
}

func TestIDsNeverChange(t *testing.T) {
	for _, c := range []struct{ name, in, id string }{
		{"a.json", `[{"chatId":"c-1","role":"user","content":"x","createdAt":"2026-01-01T00:00:00Z"}]`, "633dc8a8-6077-5434-9e88-d3e4de20c147"},
		{"a.json", `[{"chatId":null,"role":"user","content":"x","createdAt":""},{"chatId":"c-1","role":"user","content":"y"}]`, "633dc8a8-6077-5434-9e88-d3e4de20c147"},
		{withTools + " (1).json", `[{"chatId":"","role":"user","content":"x","createdAt":""}]`, "859efa3a-e496-5331-9a46-cf3e98cbcc00"},
		{"a.json", `[{"chatId":"","role":"user","content":"x","createdAt":""}]`, "3a9eff94-f925-5ee2-b110-22fe017b5c55"},
	} {
		if got := one(t, read(t, importertest.File{Name: c.name, Data: []byte(c.in)})).Doc.ID; got != c.id {
			t.Errorf("%s: %s, was %s", c.in, got, c.id)
		}
	}
}

func TestOrderInTheFileChangesNoMessage(t *testing.T) {
	var all []json.RawMessage
	if err := json.Unmarshal(fixture(t, withSiblings).Data, &all); err != nil {
		t.Fatal(err)
	}
	texts := func(doc *pamio.Conversation) string {
		var b strings.Builder
		for _, m := range doc.Messages {
			b.WriteString(m.ID + "<" + m.ParentID + " ")
		}
		return b.String()
	}
	want := texts(one(t, read(t, fixture(t, withSiblings))).Doc)
	for range all {
		all = append(all[1:], all[0])
		data, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(one(t, read(t, importertest.File{Name: "chat.json", Data: data})).Doc); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestOtherListsAreNotClaimed(t *testing.T) {
	for _, in := range []string{
		`[{"role":"user","content":"x","createdAt":"2026-01-01T00:00:00Z"}]`,
		`{"chatId":"x","role":"user","createdAt":"2026-01-01T00:00:00Z"}`,
		`[{"chatId":"x"}]`,
		`[]`,
	} {
		if r := format.Read(t, importertest.File{Name: "x.json", Data: []byte(in)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzChat(f *testing.F) {
	for _, stem := range []string{withTools, withSiblings, withOddities} {
		f.Add(fixture(f, stem).Data)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "chat"}, raw) })
}
