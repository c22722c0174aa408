package chatgpt_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

// fixture decodes the n-th element of a fixture.
func fixture(t *testing.T, name string, n int) *importer.Snapshot {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return check(t, elements(t, data)[n])
}

func message(t *testing.T, d *pamio.Conversation, id string) pamio.Message {
	t.Helper()
	for _, m := range d.Messages {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("no message %s", id)
	return pamio.Message{}
}

func text(m pamio.Message) string {
	switch {
	case m.Content == nil:
		return "(none)"
	case m.Content.Text != nil:
		return *m.Content.Text
	}
	var parts []string
	for _, p := range m.Content.Parts {
		if p.Text != nil {
			parts = append(parts, p.Type+":"+*p.Text)
		} else {
			parts = append(parts, p.Type+"="+p.Ref)
		}
	}
	return strings.Join(parts, "|")
}

func TestEveryEraIsNamedByItsKeys(t *testing.T) {
	for name, want := range map[string]string{
		"era-2023.json": "chatgpt-2023", "era-2024.json": "chatgpt-2024", "era-2025.json": "chatgpt-2025",
		"era-2026-sharded.json": "chatgpt-2026-sharded", "era-2026-slim.json": "chatgpt-2026-slim",
	} {
		if got := fixture(t, name, 0).Doc.Provider.ExportFormatVersion; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestConversationFields(t *testing.T) {
	d := fixture(t, "era-2024.json", 0).Doc
	if *d.Title != "Kite" || d.Provider.ConversationID != "conv-2024" || d.Model != "gpt-4" || !d.IsArchived || d.Temporal.CreatedAt != "2024-04-24T23:06:40.500000Z" || d.Temporal.UpdatedAt != "2024-04-24T23:07:30Z" {
		t.Errorf("%+v", d)
	}
	if c := message(t, d, "c"); c.CreatedAt != "2024-04-24T23:06:50Z" || c.ParentID != "" || len(c.ChildrenIDs) != 1 {
		t.Errorf("a message without a time has its descendant's: %+v", c)
	}
	if a := message(t, d, "a"); *a.TokenCount != 4 || a.Model != "gpt-4" {
		t.Errorf("%+v", a)
	}
	if u := message(t, d, "u").Attachments[0]; u.ProviderID != "file-K" || u.Type != "document" || u.MimeType != "application/pdf" || *u.SizeBytes != 1200 {
		t.Errorf("%+v", u)
	}
	if img := message(t, d, "img"); text(img) != "image=file-service://file-IMG" || img.Attachments[0].ProviderID != "file-IMG" || *img.Attachments[0].SizeBytes != 900 {
		t.Errorf("%+v", img)
	}
	if c := message(t, d, "call").ToolCalls[0]; c.Name != "dalle.text2im" || string(c.Input) != `{"prompt":"a kite","size":"1024x1024"}` {
		t.Errorf("%+v", c)
	}
}

func TestTitleAndStar(t *testing.T) {
	d := fixture(t, "era-2025.json", 0).Doc
	if d.Title == nil || *d.Title != "" || len(d.Tags) != 1 || d.Tags[0] != "starred" {
		t.Errorf("%+v", d)
	}
	if th := message(t, d, "th"); !th.IsThought || text(th) != "text:Thinking of tea|text:Green or black.|text:Deciding|text:Gr|text:een" {
		t.Errorf("thought %v %s", th.IsThought, text(th))
	}
	if rr := message(t, d, "rr"); !rr.IsThought || text(rr) != "Thought for 7 seconds" {
		t.Errorf("recap %v %s", rr.IsThought, text(rr))
	}
	a1 := message(t, d, "a1")
	if len(a1.Citations) != 2 || a1.Citations[0] != (pamio.Citation{Title: "Tea", URL: "https://tea.example.org/?a=1", Snippet: "On tea"}) || a1.Citations[1].URL != "https://more.example.org/" {
		t.Errorf("citations %+v", a1.Citations)
	}
	if a2 := message(t, d, "a2"); a2.Model != "gpt-5" {
		t.Errorf("fallback model %q", a2.Model)
	}
}

func TestGraphIsRepairedAndTold(t *testing.T) {
	s := fixture(t, "graph-quirks.json", 0)
	for id, parent := range map[string]string{"below": "late-child", "late-child": "root2", "orphan": "", "self": "", "parentless": "root3", "unlisted": "root3", "x": "", "y": "x"} {
		if got := message(t, s.Doc, id).ParentID; got != parent {
			t.Errorf("%s hangs on %q, want %q", id, got, parent)
		}
	}
	for code, n := range map[string]int{"orphan_parent": 1, "self_parent": 1, "cycle_cut": 1, "parent_from_children": 1, "dangling_child": 1, "node_id_differs": 1} {
		if s.Anomalies[code] != n {
			t.Errorf("%s: %d, want %d", code, s.Anomalies[code], n)
		}
	}
}

func TestContentTypes(t *testing.T) {
	d := fixture(t, "content-types.json", 0).Doc
	for id, want := range map[string]string{
		"n0": "(none)", "n1": "after null", "n2": "text:a|text:b", "n3": "no type", "n4": "only text", "n5": "bare text", "n6": "(none)", "n7": "(none)",
		"n8": "code:x = 1", "n9": "1", "n10": "timed out", "n11": "1. [2024-05-01]. Flies kites.", "n12": "text:Profile|text:Instructions", "n13": "Body", "n14": "out",
		"n15": "text:Site|text:https://site.example.org/|image=sediment://file_s", "n16": "paired", "n17": "(none)", "n18": "ok", "n19": "image=file-service://file-M", "n20": "text:seen|text:too",
	} {
		if got := text(message(t, d, id)); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if p := message(t, d, "n8").Content.Parts[0]; p.Language != "python3" {
		t.Errorf("language %q", p.Language)
	}
	if c := message(t, d, "n13").Citations; len(c) != 1 || c[0].URL != "https://page.example.org/" || c[0].Title != "Page" {
		t.Errorf("citations %+v", c)
	}
}

func TestToolCallsKeepTheirTextOnce(t *testing.T) {
	d := fixture(t, "tools.json", 0).Doc
	for id, want := range map[string]string{
		"c1": `bio "User prefers tea."`, "c2": `python "print(40+2)"`, "k1": `canmore.create_textdoc {"name":"Tea","type":"document","content":"# Tea\n"}`,
		"k3": `canmore.update_textdoc {"updates":[{"pattern":".*","multiple":false,"replacement":"x"}]}`, "k4": `web.run "{\"search_query\":[{\"q\":\"cut"`,
	} {
		m := message(t, d, id)
		if m.Content != nil || len(m.ToolCalls) != 1 || m.ToolCalls[0].Name+" "+string(m.ToolCalls[0].Input) != want {
			t.Errorf("%s: %+v %s, want %s", id, m.ToolCalls, text(m), want)
		}
	}
	if raw := string(message(t, d, "c2").RawMetadata); !strings.Contains(raw, `"tool_result_ids":["t2","t3"]`) {
		t.Errorf("results of c2: %s", raw)
	}
}

func TestVoiceParts(t *testing.T) {
	d := fixture(t, "voice.json", 0).Doc
	if got := text(message(t, d, "u")); got != "text:hello there|audio=sediment://file_in#x" {
		t.Errorf("u: %s", got)
	}
	a := message(t, d, "a")
	if got := text(a); got != "text:hi|audio=sediment://file_out" {
		t.Errorf("a: %s", got)
	}
	if len(a.Attachments) != 1 || a.Attachments[0].Name != "out.wav" || a.Attachments[0].Type != "audio" {
		t.Errorf("one file has one attachment: %+v", a.Attachments)
	}
}

func TestOddValuesAreKeptAndTold(t *testing.T) {
	s := fixture(t, "odd-values.json", 0)
	for code, n := range map[string]int{"lone_surrogate": 2, "duplicate_key": 2, "unknown_role": 1, "no_role": 1} {
		if s.Anomalies[code] != n {
			t.Errorf("%s: %d, want %d", code, s.Anomalies[code], n)
		}
	}
	if got := text(message(t, s.Doc, "m")); got != "wins" {
		t.Errorf("of a repeated key the last wins: %q", got)
	}
}

func TestTimesThatAreNowhere(t *testing.T) {
	d := fixture(t, "without-ids.json", 0)
	if d.Doc.Temporal.CreatedAt != "1970-01-01T00:00:00Z" || !strings.Contains(string(d.Doc.RawMetadata), `"created_at_source":"none"`) || d.Newest != "" {
		t.Errorf("%+v %s", d.Doc.Temporal, d.Doc.RawMetadata)
	}
	if !strings.Contains(string(d.Doc.RawMetadata), `"synthetic_id":true`) || len(d.Doc.Provider.ConversationID) != 64 {
		t.Errorf("id %q", d.Doc.Provider.ConversationID)
	}
	u := fixture(t, "without-ids.json", 1)
	if u.Doc.Temporal.CreatedAt != "2024-01-01T10:00:00Z" || u.Order != "2024-01-01T10:00:00.000000Z" || u.Newest != u.Order {
		t.Errorf("%+v %s %s", u.Doc.Temporal, u.Order, u.Newest)
	}
}

func TestMixedMarkersAreOneConversation(t *testing.T) {
	s := fixture(t, "mixed-markers.json", 0)
	if s.Anomalies["mixed_markers"] != 1 || s.Doc.Provider.ConversationID != "mixed" {
		t.Errorf("%+v", s)
	}
}

func TestDecodeDoesNotKeepTheUnitsBytes(t *testing.T) {
	raw := []byte(editable)
	snap, err := decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	before := string(snap.Doc.AppendJSON(nil))
	for i := range raw {
		raw[i] = 'x'
	}
	if string(snap.Doc.AppendJSON(nil)) != before {
		t.Error("the document changed with the source's bytes")
	}
}
