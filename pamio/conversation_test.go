package pamio

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/schema"
)

// sampleConversation has every field.
func sampleConversation() *Conversation {
	return &Conversation{
		ID:       "2f0c6a1e-0b1c-5d2e-8f3a-4b5c6d7e8f90",
		Provider: Provider{Name: "chatgpt", ConversationID: "abc", AccountID: "user-9", ExportFormatVersion: "chatgpt-2025"},
		Title:    ptr("Lunch \"without\" walnuts"), Temporal: Span{CreatedAt: "2026-01-05T09:00:00Z", UpdatedAt: "2026-01-05T10:00:00.250000Z"},
		Participants: []Participant{{Role: "user", Name: "Ada", ProviderID: "u"}, {Role: "assistant"}},
		Messages: []Message{
			{ID: "a", ProviderMessageID: "p-a", Role: "user", Content: &Content{Type: "text", Text: ptr("What can I eat?\n– Ada")}, CreatedAt: "2026-01-05T09:00:00Z", ChildrenIDs: []string{"b", "c"},
				Attachments: []Attachment{{Type: "image", Name: "menu.png", MimeType: "image/png", SizeBytes: ptr(int64(0)), Ref: "assets/1.png", ProviderID: "file-1"}}},
			{ID: "b", Role: "assistant", Content: &Content{Type: "multipart", Parts: []Part{{Type: "code", Text: ptr(""), Language: "python"}, {Type: "image", MimeType: "image/png", Ref: "x"}}},
				CreatedAt: "2026-01-05T09:00:01Z", ParentID: "a", Model: "gpt-4o", TokenCount: ptr(int64(12)), RawMetadata: RawJSON(`{"weight":1.0,"n":null,"id":12345678901234567890}`)},
			{ID: "c", Role: "tool", CreatedAt: "2026-01-05T09:00:02.000001Z", ParentID: "a", IsThought: true,
				Citations: []Citation{{Title: "Nuts", URL: "https://example.org/nuts?a=%C3%A9#x", Snippet: "list"}, {}},
				ToolCalls: []ToolCall{{ID: "t", Name: "search", Input: RawJSON(`{"q":[1,"a"]}`), Output: ptr("none")}, {Name: "note", Input: RawJSON(`"text"`)}, {Name: "bare"}}},
		},
		Model: "gpt-4o", SystemInstruction: "Be brief.", IsArchived: true, Tags: []string{"food"}, RawMetadata: RawJSON(`{"starred":true,"f":1.50}`),
		Import: sampleImport(),
	}
}

func sampleImport() *ImportMetadata {
	return &ImportMetadata{Importer: "pamline/1.0.0", ImporterVersion: "chatgpt-importer/2026.07", ImportedAt: "2026-02-01T00:00:00Z", SourceFile: "conversations.json", SourceChecksum: "sha256:" + strings.Repeat("0a", 32)}
}

func leastConversation() *Conversation {
	return &Conversation{ID: "c", Provider: Provider{Name: "grok"}, Temporal: Span{CreatedAt: "2026-01-05T09:00:00Z"}}
}

var update = flag.Bool("update", false, "rewrite the golden files")

func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func TestConversationIsWrittenInAFixedForm(t *testing.T) {
	checkGolden(t, "conversation.json", append(sampleConversation().AppendJSON(nil), '\n'))
	const least = `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c","provider":{"name":"grok"},"temporal":{"created_at":"2026-01-05T09:00:00Z"},"messages":[]}`
	if got := string(leastConversation().AppendJSON(nil)); got != least {
		t.Errorf("got %s, want %s", got, least)
	}
}

func checkDocument(t *testing.T, c *Conversation) []byte {
	t.Helper()
	text := c.AppendJSON(nil)
	v, err := schema.Decode(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := schema.ConversationDocument.Validate(v, true); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil || !bytes.Equal(compact.Bytes(), text) {
		t.Fatalf("%s is not compact, %v", text, err)
	}
	return text
}

func TestConversationSurvivesWritingAndReading(t *testing.T) {
	for _, c := range []*Conversation{sampleConversation(), leastConversation()} {
		text := checkDocument(t, c)
		if err := c.Check(); err != nil {
			t.Error(err)
		}
		back, err := ParseConversation(text)
		if err != nil {
			t.Fatal(err)
		}
		if c.Messages == nil {
			back.Messages = nil
		}
		if !reflect.DeepEqual(back, c) {
			t.Errorf("read back %+v, want %+v", back, c)
		}
	}
}

func TestImportMetadataIsSplicedIn(t *testing.T) {
	for _, c := range []*Conversation{sampleConversation(), leastConversation()} {
		c.Import = nil
		plain := c.AppendJSON(nil)
		c.Import = sampleImport()
		want := c.AppendJSON([]byte("x"))
		if got := SpliceImportMetadata([]byte("x"), plain, c.Import); !bytes.Equal(got, want) {
			t.Errorf("spliced %s, want %s", got, want)
		}
	}
}

func TestReadingConversationsAcceptsOtherForms(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("schema", "testdata", "conversation.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseConversation(text)
	if err != nil {
		t.Fatal(err)
	}
	if c.Messages[0].ParentID != "" || string(c.Messages[0].RawMetadata) != `{"weight":1.0}` || string(c.Messages[1].ToolCalls[1].Input) != `"text"` || c.Messages[1].Content.Text != nil {
		t.Errorf("read %+v", c)
	}
	checkDocument(t, c)
	c, err = ParseConversation([]byte(`{"schema":"portable-ai-memory-conversation","schema_version":"1.7","id":"c","provider":{"name":"grok","account_id":null},"title":null,
		"temporal":{"created_at":"t","updated_at":null},"messages":[{"id":"m","role":"user","created_at":"t","token_count":null,"tool_calls":[{"name":"x","input":null}],"emotion":"glad"}],
		"raw_metadata":{ "a" : [ 1.0 , "\u00e9 \" x" ] },"Model":"no","new":{"deep":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Title != nil || c.Messages[0].TokenCount != nil || c.Messages[0].ToolCalls[0].Input != nil || c.Model != "" || string(c.RawMetadata) != `{"a":[1.0,"\u00e9 \" x"]}` {
		t.Errorf("read %+v, raw %s", c, c.RawMetadata)
	}
}

func TestDeepestRawValueIsReadBack(t *testing.T) {
	c := leastConversation()
	deep := func(n int) RawJSON {
		return RawJSON(`{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`)
	}
	c.Messages = []Message{{ID: "m", Role: "tool", CreatedAt: "2026-01-05T09:00:00Z", ToolCalls: []ToolCall{{Name: "x", Input: deep(maxDepth - rawDepth)}}}}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	back, err := ParseConversation(c.AppendJSON(nil))
	if err != nil || !reflect.DeepEqual(back.Messages, c.Messages) {
		t.Errorf("the deepest value that may be stored is not read back: %v", err)
	}
	c.Messages[0].ToolCalls[0].Input = deep(maxDepth - rawDepth + 1)
	if err := c.Check(); err == nil {
		t.Error("a deeper one may be stored")
	}
}

func TestReadConversationDoesNotReferToItsText(t *testing.T) {
	text := sampleConversation().AppendJSON(nil)
	c, err := ParseConversation(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = 'x'
	}
	if !reflect.DeepEqual(c, sampleConversation()) {
		t.Error("the document changed with the text it was read from")
	}
}

func TestReadingConversationsRefuses(t *testing.T) {
	head := `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c",`
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"another kind":       {`{"schema":"portable-ai-memory","schema_version":"1.0"}`, ErrNotPAM},
		"another major":      {`{"schema":"portable-ai-memory-conversation","schema_version":"2.0"}`, ErrVersion},
		"no version":         {`{"schema":"portable-ai-memory-conversation"}`, ErrVersion},
		"an array":           {`[` + head + `"messages":[]}]`, ErrNotPAM},
		"a duplicate key":    {head + `"id":"d"}`, ErrUnsafeJSON},
		"half a pair":        {head + `"title":"\ud800"}`, ErrUnsafeJSON},
		"not UTF-8":          {head + "\"title\":\"\xff\"}", ErrUnsafeJSON},
		"a wrong type":       {head + `"messages":{}}`, ErrNotPAM},
		"a wrong type below": {head + `"messages":[{"is_thought":"yes"}]}`, ErrNotPAM},
	} {
		if _, err := ParseConversation([]byte(c.text)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for _, s := range []string{"", "{", head, head + `"x":01}`} {
		if _, err := ParseConversation([]byte(s)); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}

// randomConversation is a valid document of odd texts with random branches.
func randomConversation(rnd *rand.Rand) *Conversation {
	c := leastConversation()
	c.Provider.ConversationID, c.Model, c.SystemInstruction = randomString(rnd), randomString(rnd), randomString(rnd)
	if rnd.IntN(2) == 0 {
		c.Title = ptr(randomString(rnd))
	}
	n := rnd.IntN(6)
	for i := range n {
		m := Message{ID: fmt.Sprint(randomString(rnd), i), Role: []string{"user", "assistant", "system", "tool"}[rnd.IntN(4)], CreatedAt: "2026-01-05T09:00:00Z", Model: randomString(rnd), IsThought: rnd.IntN(2) == 0}
		if rnd.IntN(2) == 0 {
			m.Content = &Content{Type: "text", Text: ptr(randomString(rnd))}
		}
		if i > 0 {
			p := rnd.IntN(i)
			m.ParentID = c.Messages[p].ID
			c.Messages[p].ChildrenIDs = append(c.Messages[p].ChildrenIDs, m.ID)
		}
		if rnd.IntN(2) == 0 {
			m.RawMetadata = AppendString(append(AppendString([]byte{'{'}, randomString(rnd)), ':'), randomString(rnd))
			m.RawMetadata = append(m.RawMetadata, '}')
		}
		c.Messages = append(c.Messages, m)
	}
	return c
}

func TestRandomConversationsSurviveWritingAndReading(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for range 300 {
		c := randomConversation(rnd)
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		text := checkDocument(t, c)
		back, err := ParseConversation(text)
		if err != nil {
			t.Fatal(err)
		}
		if again := back.AppendJSON(nil); !bytes.Equal(again, text) {
			t.Fatalf("written again:\n%s\n%s", text, again)
		}
	}
}

func FuzzParseConversation(f *testing.F) {
	f.Add(sampleConversation().AppendJSON(nil))
	f.Add(leastConversation().AppendJSON(nil))
	f.Add([]byte(`{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":null,"messages":[null,{"content":{"type":"text"}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		compareWithDecoder(t, text)
		c, err := ParseConversation(text)
		if err != nil {
			return
		}
		out := c.AppendJSON(nil)
		if !json.Valid(out) {
			t.Fatalf("%q was read and written as %q", text, out)
		}
		back, err := ParseConversation(out)
		if err != nil {
			t.Fatalf("%q was written and not read: %v", out, err)
		}
		if again := back.AppendJSON(nil); !bytes.Equal(again, out) {
			t.Fatalf("written again:\n%q\n%q", out, again)
		}
		if c.Check() == nil {
			checkDocument(t, c)
		}
	})
}

// bigConversation is some 50 KB, as conversations are.
func bigConversation() *Conversation {
	c := leastConversation()
	text := strings.Repeat("Plain words that go on for a while, as answers do, with \"quotes\",\nlines and “signs” – in between. ", 10)
	for i := range 40 {
		m := Message{ID: fmt.Sprintf("msg-%08d-0000-4000-8000-000000000000", i), Role: "assistant", Content: &Content{Type: "text", Text: &text}, CreatedAt: "2026-01-05T09:00:00Z",
			RawMetadata: RawJSON(`{"status":"finished_successfully","weight":1.0,"metadata":{"request_id":"abc","model_slug":"gpt-4o","finish_details":{"type":"stop","stop_tokens":[200002]}}}`)}
		if i > 0 {
			m.ParentID = c.Messages[i-1].ID
			c.Messages[i-1].ChildrenIDs = []string{m.ID}
		}
		c.Messages = append(c.Messages, m)
	}
	return c
}

func BenchmarkConversation(b *testing.B) {
	c := bigConversation()
	text := c.AppendJSON(nil)
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var dst []byte
	run("AppendJSON", func() error { dst = c.AppendJSON(dst[:0]); return nil })
	run("Parse", func() error { _, err := ParseConversation(text); return err })
	run("Check", c.Check)
	run("Splice", func() error { dst = SpliceImportMetadata(dst[:0], text, sampleImport()); return nil })
}

func TestTheSizeOfADocumentIsKnownBeforeItIsWritten(t *testing.T) {
	for name, c := range map[string]*Conversation{"full": sampleConversation(), "empty": {}, "one message": {Messages: sampleConversation().Messages[:1]}} {
		if got, want := c.JSONSize(), len(c.AppendJSON(nil)); got != want {
			t.Errorf("%s: %d bytes were foretold, %d written", name, got, want)
		}
	}
}
