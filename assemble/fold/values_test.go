package fold

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// conflictsOf reads raw_metadata.conflicts as "pointer=value@order".
func conflictsOf(t testing.TB, c *pamio.Conversation) []string {
	t.Helper()
	var raw struct {
		Conflicts []struct {
			Pointer, Order string
			Value          json.RawMessage
			Omitted        int
		}
	}
	if c.RawMetadata == nil {
		return nil
	}
	if err := json.Unmarshal(c.RawMetadata, &raw); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range raw.Conflicts {
		if x.Omitted > 0 {
			out = append(out, fmt.Sprint("omitted ", x.Omitted))
			continue
		}
		out = append(out, fmt.Sprintf("%s=%s@%s", x.Pointer, x.Value, strings.TrimPrefix(x.Order, "2024-01-01T00:00:")))
	}
	return out
}

func TestLaterValuesWinAndTheOthersAreKept(t *testing.T) {
	const t1, t2, t3 = "2024-01-01T00:00:01Z", "2024-01-01T00:00:02Z", "2024-01-01T00:00:03Z"
	one, two := "one", "two"
	n1, n2 := int64(1), int64(2)
	// change builds three snapshots that are equal but for what set does to the number of each.
	change := func(set func(c *pamio.Conversation, n int)) []*pamio.Conversation {
		var out []*pamio.Conversation
		for n := range 3 {
			c := doc(t3, "a:hello")
			set(c, n)
			out = append(out, c)
		}
		return out
	}
	for _, tt := range []struct {
		name string
		set  func(c *pamio.Conversation, n int)
		want string // of the conversation: JSON without conflicts must contain it
		lost []string
	}{
		{"title", func(c *pamio.Conversation, n int) { c.Title = []*string{&one, &two, nil}[n] },
			`"title":"two"`, []string{`/title="one"@1`}},
		{"a value that comes back is not lost", func(c *pamio.Conversation, n int) { c.Model = []string{"x", "y", "x"}[n] },
			`"model":"x"`, []string{`/model="y"@2`}},
		{"archived", func(c *pamio.Conversation, n int) { c.IsArchived = n < 2 }, `"messages"`, []string{`/is_archived=true@1`}},
		{"tags", func(c *pamio.Conversation, n int) { c.Tags = [][]string{{"a", "b"}, {"b"}, nil}[n] },
			`"tags":["b"]`, []string{`/tags=["a","b"]@1`}},
		{"text", func(c *pamio.Conversation, n int) {
			c.Messages[0].Content.Text = []*string{&one, &two, &two}[n]
		}, `"text":"two"`, []string{`/messages/0/content/text="one"@1`}},
		{"content that went away", func(c *pamio.Conversation, n int) {
			if n == 2 {
				c.Messages[0].Content = nil
			}
		}, `"text":"hello"`, nil},
		{"content of another shape", func(c *pamio.Conversation, n int) {
			if n > 0 {
				c.Messages[0].Content = &pamio.Content{Type: "multipart", Parts: []pamio.Part{{Type: "image", Ref: "f"}}}
			}
			if n == 2 {
				c.Messages[0].Content.Parts[0] = pamio.Part{Type: "image", MimeType: "image/png"}
			}
		}, `"parts":[{"type":"image","mime_type":"image/png","ref":"f"}]`, []string{`/messages/0/content={"type":"text","text":"hello"}@1`}},
		{"token count", func(c *pamio.Conversation, n int) { c.Messages[0].TokenCount = []*int64{&n1, &n2, nil}[n] },
			`"token_count":2`, []string{`/messages/0/token_count=1@1`}},
		{"attachments are united", func(c *pamio.Conversation, n int) {
			c.Messages[0].Attachments = [][]pamio.Attachment{
				{{Type: "image", ProviderID: "p", Name: "n.png"}, {Type: "file", Ref: "q"}},
				{{Type: "file", Ref: "z"}, {Type: "image", ProviderID: "p", SizeBytes: &n2}},
				nil,
			}[n]
		}, `"attachments":[{"type":"file","ref":"z"},{"type":"image","name":"n.png","size_bytes":2,"provider_id":"p"},{"type":"file","ref":"q"}]`, nil},
		{"citations are united", func(c *pamio.Conversation, n int) {
			c.Messages[0].Citations = [][]pamio.Citation{{{URL: "https://a.example/", Title: "A"}}, {{URL: "https://b.example/"}}, {{URL: "https://a.example/", Snippet: "s"}}}[n]
		}, `"citations":[{"title":"A","url":"https://a.example/","snippet":"s"},{"url":"https://b.example/"}]`, nil},
		{"tool calls", func(c *pamio.Conversation, n int) {
			c.Messages[0].ToolCalls = []pamio.ToolCall{{Name: "bio", Input: []pamio.RawJSON{[]byte(`{"a":1}`), []byte(`{"a":1.0}`), []byte(`"x"`)}[n]}}
		}, `"tool_calls":[{"name":"bio","input":"x"}]`, []string{`/messages/0/tool_calls/0/input={"a":1}@1`, `/messages/0/tool_calls/0/input={"a":1.0}@2`}},
		{"participants", func(c *pamio.Conversation, n int) {
			c.Participants = []pamio.Participant{{Role: "user", Name: []string{"", "N", ""}[n]}}
		}, `"participants":[{"role":"user","name":"N"}]`, nil},
		{"raw metadata by key", func(c *pamio.Conversation, n int) {
			c.RawMetadata = []pamio.RawJSON{
				[]byte(`{"a":{"x":1,"y":[1,2]},"old":true,"n":1.50}`), []byte(`{"a":{"x":null}}`), []byte(`{"n":1.5,"a":{"y":[1,2.0]},"new":0}`),
			}[n]
		}, `"raw_metadata":{"n":1.5,"a":{"y":[1,2.0],"x":null},"new":0,"old":true,`, []string{`/raw_metadata/a/x=1@1`}},
		{"objects and others", func(c *pamio.Conversation, n int) {
			c.RawMetadata = []pamio.RawJSON{[]byte(`{"a/b~":{"x":1}}`), []byte(`{"a/b~":7}`), []byte(`{"a/b~":{"y":2}}`)}[n]
		}, `"raw_metadata":{"a/b~":{"y":2,"x":1},`, []string{`/raw_metadata/a~1b~0=7@2`}},
		{"lists of things with ids", func(c *pamio.Conversation, n int) {
			c.RawMetadata = []pamio.RawJSON{
				[]byte(`{"nodes":[{"id":"r","children":["a"]},{"id":"gone"}]}`), []byte(`{"nodes":[{"id":"r"}]}`), []byte(`{"nodes":[{"id":"n"},{"id":"r","children":["a","b"]}]}`),
			}[n]
		}, `"nodes":[{"id":"n"},{"id":"r","children":["a","b"]},{"id":"gone"}]`, []string{`/raw_metadata/nodes/1/children=["a"]@1`}},
		{"a source's own conflicts stay", func(c *pamio.Conversation, n int) {
			c.RawMetadata = []byte(`{"conflicts":["theirs"]}`)
			c.Model = []string{"x", "y", "y"}[n]
		}, `"conflicts":["theirs",{"pointer":"/model","order":"1","value":"x"}]`, nil},
		{"placeholder times win nothing", func(c *pamio.Conversation, n int) {
			m := &c.Messages[0]
			switch n {
			case 0:
				m.CreatedAt = "2024-01-01T00:00:05Z"
			case 1:
				m.CreatedAt, m.RawMetadata = "1970-01-01T00:00:00Z", []byte(`{"created_at_source":"none"}`)
			case 2:
				m.CreatedAt, m.RawMetadata = "2024-01-01T00:00:09Z", []byte(`{"created_at_source":"parent","k":1}`)
			}
		}, `"created_at":"2024-01-01T00:00:05Z","raw_metadata":{"k":1}`, nil},
		{"a borrowed time is better than none", func(c *pamio.Conversation, n int) {
			m := &c.Messages[0]
			m.CreatedAt, m.RawMetadata = "2024-01-01T00:00:09Z", []byte(`{"created_at_source":"parent"}`)
			if n > 0 {
				m.CreatedAt, m.RawMetadata = "1970-01-01T00:00:00Z", []byte(`{"created_at_source":"none"}`)
			}
		}, `"created_at":"2024-01-01T00:00:09Z","raw_metadata":{"created_at_source":"parent"}`, nil},
		{"genuine times can lose", func(c *pamio.Conversation, n int) {
			c.Messages[0].CreatedAt = []string{t1, t2, t2}[n]
		}, `"created_at":"` + t2 + `"`, []string{`/messages/0/created_at="` + t1 + `"@1`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f Folder
			for i, c := range change(tt.set) {
				if err := f.Add(fmt.Sprint(i+1), clone(t, c)); err != nil {
					t.Fatal(err)
				}
			}
			got, total, err := f.Result()
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Check(); err != nil {
				t.Error(err)
			}
			if text := string(got.AppendJSON(nil)); !strings.Contains(text, tt.want) {
				t.Errorf("got %s, want it to hold %s", text, tt.want)
			}
			if strings.Contains(string(got.RawMetadata), "theirs") {
				return
			}
			lost := conflictsOf(t, got)
			if !slices.Equal(lost, tt.lost) || int(total) != len(tt.lost) {
				t.Errorf("conflicts %q (%d), want %q", lost, total, tt.lost)
			}
		})
	}
}

func TestConflictsAreBounded(t *testing.T) {
	var keys []string
	for i := range maxConflicts + 10 {
		keys = append(keys, fmt.Sprintf(`"k%04d":%%d`, i))
	}
	raw := "{" + strings.Join(keys, ",") + "}"
	a, b := doc("2024-01-02T00:00:00Z", "a"), doc("2024-01-02T00:00:00Z", "a")
	a.RawMetadata = []byte(strings.ReplaceAll(raw, "%d", "1"))
	b.RawMetadata = []byte(strings.ReplaceAll(raw, "%d", "2"))
	lost := conflictsOf(t, folded(t, a, b))
	if len(lost) != maxConflicts+1 || lost[maxConflicts] != "omitted 10" {
		t.Errorf("%d conflicts, the last %q", len(lost), lost[len(lost)-1])
	}
}

func TestDeepValuesThatLoseKeepTheDocumentReadable(t *testing.T) {
	nest := func(depth int, leaf string) pamio.RawJSON {
		return []byte(`{"a":` + strings.Repeat("[", depth) + leaf + strings.Repeat("]", depth) + "}")
	}
	deep := jsonscan.DefaultMaxDepth - 3
	a, b := doc("2024-01-02T00:00:00Z", "a"), doc("2024-01-02T00:00:00Z", "a")
	a.RawMetadata, b.RawMetadata = nest(deep, "1"), nest(deep, "2")
	got := folded(t, a, b) // checks it
	if _, err := pamio.ParseConversation(got.AppendJSON(nil)); err != nil {
		t.Error(err)
	}
}

func TestWhatIsAboutAFieldComesFromTheSnapshotWhoseFieldWon(t *testing.T) {
	text := func(s string) *pamio.Content { return &pamio.Content{Type: "text", Text: &s} }
	for _, tt := range []struct {
		name         string
		older, newer pamio.Message
		want         string // the message's raw metadata
		lost         []string
	}{
		{"the rest of another content", pamio.Message{Content: text("x"), RawMetadata: pamio.RawJSON(`{"content":{"content_type":"code"},"text_from":["/text"],"k":1}`)},
			pamio.Message{Content: text("x"), RawMetadata: pamio.RawJSON(`{"l":2}`)}, `{"l":2,"k":1}`,
			[]string{`/messages/0/raw_metadata/content={"content_type":"code"}@01Z`, `/messages/0/raw_metadata/text_from=["/text"]@01Z`}},
		{"the rest of the same content", pamio.Message{Content: text("x"), RawMetadata: pamio.RawJSON(`{"content":{"a":1.0}}`)},
			pamio.Message{Content: text("x"), RawMetadata: pamio.RawJSON(`{"content":{"a":1}}`)}, `{"content":{"a":1}}`, nil},
		{"the rest of no content", pamio.Message{Content: text("x"), RawMetadata: pamio.RawJSON(`{"content":{"a":1}}`)},
			pamio.Message{RawMetadata: pamio.RawJSON(`{"content":null}`)}, `{"content":{"a":1}}`, []string{`/messages/0/raw_metadata/content=null@02Z`}},
		{"a text that became a tool call", pamio.Message{Content: text("x")},
			pamio.Message{ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(`"y"`)}}}, ``, []string{`/messages/0/content={"type":"text","text":"x"}@01Z`}},
		{"the key of the model", pamio.Message{Model: "m", RawMetadata: pamio.RawJSON(`{"model_from":"resolved_model_slug"}`)},
			pamio.Message{Model: "m"}, ``, []string{`/messages/0/raw_metadata/model_from="resolved_model_slug"@01Z`}},
		{"the key of the only model", pamio.Message{Model: "m", RawMetadata: pamio.RawJSON(`{"model_from":"resolved_model_slug"}`)},
			pamio.Message{RawMetadata: pamio.RawJSON(`{"l":2}`)}, `{"l":2,"model_from":"resolved_model_slug"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var docs []*pamio.Conversation
			for i, m := range []pamio.Message{tt.older, tt.newer} {
				d := doc(fmt.Sprintf("2024-01-01T00:00:0%dZ", i+1))
				m.ID, m.Role, m.CreatedAt = "a", "assistant", "2024-01-01T00:00:00Z"
				d.Messages = []pamio.Message{m}
				docs = append(docs, d)
			}
			got := folded(t, docs...)
			if raw := string(got.Messages[0].RawMetadata); raw != tt.want {
				t.Errorf("raw metadata %s, want %s", raw, tt.want)
			}
			var lost []string
			for _, c := range conflictsOf(t, got) {
				if !strings.Contains(c, "updated_at") {
					lost = append(lost, c)
				}
			}
			if !slices.Equal(lost, tt.lost) {
				t.Errorf("conflicts %q, want %q", lost, tt.lost)
			}
		})
	}
}

func TestOnlyAFoldedDocumentIsMarked(t *testing.T) {
	a, b := doc("2024-01-01T00:00:01Z", "a:x"), doc("2024-01-01T00:00:01Z", "a:x", "b<a:y")
	if got := folded(t, a, a); got.RawMetadata != nil {
		t.Errorf("one snapshot: %s", got.RawMetadata)
	}
	if got := string(folded(t, a, b).RawMetadata); got != `{"folded":true}` {
		t.Errorf("two snapshots: %s", got)
	}
}

func TestAFoldedDocumentThatComesBackAddsNoConflict(t *testing.T) {
	older, newer := document("2024-01-01T00:00:00Z", "Old"), document("2024-01-02T00:00:00Z", "New")
	orders := []string{"2024-01-01T00:00:00.000000Z", "2024-01-02T00:00:00.000000Z", "2024-01-02T00:00:00.000000Z"}
	once, conflicts, err := Fold(orders[:2], []*pamio.Conversation{older, newer})
	if err != nil || conflicts == 0 {
		t.Fatal(conflicts, err)
	}
	again, _, err := Fold(orders, []*pamio.Conversation{older, newer, once})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := string(once.AppendJSON(nil)), string(again.AppendJSON(nil)); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// document is a conversation without messages that was last changed at a time.
func document(updated, title string) *pamio.Conversation {
	return &pamio.Conversation{
		ID: "0b5c1f5e-3b1c-5d55-8d0c-0f0e3d3f4a11", Provider: pamio.Provider{Name: "chatgpt"}, Title: &title,
		Temporal: pamio.Span{CreatedAt: "2024-01-01T00:00:00Z", UpdatedAt: updated},
	}
}
