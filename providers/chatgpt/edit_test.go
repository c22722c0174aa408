package chatgpt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/chatgpt"
)

// editable has one message of each kind that an edit meets.
const editable = `{"title":"Before","create_time":1700000000.5,"update_time":1700000100,"conversation_id":"c","id":"c","default_model_slug":"gpt-4o","is_archived":false,"current_node":"a2","mapping":{
"root":{"id":"root","message":null,"parent":null,"children":["s"]},
"s":{"id":"s","message":{"id":"s","author":{"role":"system","name":null,"metadata":{}},"create_time":null,"content":{"content_type":"text","parts":[""]},"metadata":{}},"parent":"root","children":["u"]},
"u":{"id":"u","message":{"id":"u","author":{"role":"user"},"create_time":1700000001.25,"content":{"content_type":"text","parts":["first"]},"metadata":{"attachments":[{"id":"file-1","name":"a.txt","mimeType":"text/plain","size":3}]}},"parent":"s","children":["a1","a2"]},
"a1":{"id":"a1","message":{"id":"a1","author":{"role":"assistant"},"create_time":1700000002,"content":{"content_type":"multimodal_text","parts":["one",{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-9","size_bytes":7},"two"]},"metadata":{"model_slug":"gpt-4","citations":[{"start_ix":1,"end_ix":2,"metadata":{"type":"webpage","title":"T","url":"https://example.org/","text":"S"}}]}},"parent":"u","children":["t"]},
"t":{"id":"t","message":{"id":"t","author":{"role":"assistant"},"create_time":1700000003,"recipient":"python","content":{"content_type":"code","language":"unknown","text":"print(1)"},"metadata":{}},"parent":"a1","children":[]},
"a2":{"id":"a2","message":{"id":"a2","author":{"role":"function"},"create_time":"2023-11-14T22:13:24Z","content":{"content_type":"text","parts":["cut \ud83d"]},"metadata":{}},"parent":"u","children":[]}}}`

func TestEditsComeOutOfRestore(t *testing.T) {
	find := func(d *pamio.Conversation, id string) *pamio.Message {
		for i := range d.Messages {
			if d.Messages[i].ID == id {
				return &d.Messages[i]
			}
		}
		t.Fatalf("no message %s", id)
		return nil
	}
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name string
		edit func(*pamio.Conversation)
		// path of the value that must have changed, and its text; everything else stays
		path, want string
	}{
		{"title", func(d *pamio.Conversation) { d.Title = text("After") }, "title", `"After"`},
		{"title removed", func(d *pamio.Conversation) { d.Title = nil }, "title", ""},
		{"creation time", func(d *pamio.Conversation) { d.Temporal.CreatedAt = "2023-01-01T00:00:00Z" }, "create_time", "1672531200"},
		{"update time", func(d *pamio.Conversation) { d.Temporal.UpdatedAt = "2024-01-01T00:00:00.125000Z" }, "update_time", "1704067200.125000"},
		{"model", func(d *pamio.Conversation) { d.Model = "gpt-5" }, "default_model_slug", `"gpt-5"`},
		{"archived", func(d *pamio.Conversation) { d.IsArchived = true }, "is_archived", "true"},
		{"message text", func(d *pamio.Conversation) { find(d, "u").Content.Text = text("other") }, "mapping/u/message/content/parts/0", `"other"`},
		{"message role", func(d *pamio.Conversation) { find(d, "u").Role = "assistant" }, "mapping/u/message/author/role", `"assistant"`},
		{"role with another name", func(d *pamio.Conversation) { find(d, "a2").Role = "user" }, "mapping/a2/message/author/role", `"user"`},
		{"message time", func(d *pamio.Conversation) { find(d, "u").CreatedAt = "2023-11-14T22:13:30Z" }, "mapping/u/message/create_time", "1700000010"},
		{"inherited time", func(d *pamio.Conversation) { find(d, "s").CreatedAt = "2023-11-14T22:13:19Z" }, "mapping/s/message/create_time", "1699999999"},
		{"time with a literal", func(d *pamio.Conversation) { find(d, "a2").CreatedAt = "2023-11-14T22:13:25Z" }, "mapping/a2/message/create_time", "1700000005"},
		{"message model", func(d *pamio.Conversation) { find(d, "a1").Model = "o9" }, "mapping/a1/message/metadata/model_slug", `"o9"`},
		{"second part", func(d *pamio.Conversation) { find(d, "a1").Content.Parts[2].Text = text("2") }, "mapping/a1/message/content/parts/2", `"2"`},
		{"file pointer", func(d *pamio.Conversation) { find(d, "a1").Content.Parts[1].Ref = "file-service://file-8" }, "mapping/a1/message/content/parts/1/asset_pointer", `"file-service://file-8"`},
		{"attachment name", func(d *pamio.Conversation) { find(d, "u").Attachments[0].Name = "b.txt" }, "mapping/u/message/metadata/attachments/0/name", `"b.txt"`},
		{"attachment type", func(d *pamio.Conversation) { find(d, "u").Attachments[0].MimeType = "text/css" }, "mapping/u/message/metadata/attachments/0/mimeType", `"text/css"`},
		{"citation title", func(d *pamio.Conversation) { find(d, "a1").Citations[0].Title = "U" }, "mapping/a1/message/metadata/citations/0/metadata/title", `"U"`},
		{"citation address", func(d *pamio.Conversation) { find(d, "a1").Citations[0].URL = "https://example.net/" }, "mapping/a1/message/metadata/citations/0/metadata/url", `"https://example.net/"`},
		{"tool input", func(d *pamio.Conversation) { find(d, "t").ToolCalls[0].Input = pamio.RawJSON(`"print(2)"`) }, "mapping/t/message/content/text", `"print(2)"`},
		{"text with a lone surrogate", func(d *pamio.Conversation) { find(d, "a2").Content.Text = text("whole") }, "mapping/a2/message/content/parts/0", `"whole"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap := check(t, []byte(editable))
			c.edit(snap.Doc)
			if err := snap.Doc.Check(); err != nil && c.name != "title removed" {
				t.Fatalf("the edited document is not sound: %v", err)
			}
			got := restoredDoc(t, snap.Doc)
			value := at(got, c.path)
			if string(value.Raw()) != c.want {
				t.Fatalf("%s is %s, want %s", c.path, value.Raw(), c.want)
			}
			src, err := jsonscan.Parse([]byte(editable), 0)
			if err != nil {
				t.Fatal(err)
			}
			if d := changes(src.Root(), got, ""); len(d) != 1 || d[0] != c.path {
				t.Errorf("changed %v, want only %s", d, c.path)
			}
		})
	}
}

func TestRemovedMessageLeavesTheListsOfChildren(t *testing.T) {
	doc := check(t, []byte(editable)).Doc
	doc.Messages = slices.DeleteFunc(doc.Messages, func(m pamio.Message) bool { return m.ID == "a2" })
	for i := range doc.Messages {
		doc.Messages[i].ChildrenIDs = slices.DeleteFunc(doc.Messages[i].ChildrenIDs, func(id string) bool { return id == "a2" })
	}
	got := restoredDoc(t, doc)
	if at(got, "mapping/a2").Exists() || string(at(got, "mapping/u/children").Raw()) != `["a1"]` {
		t.Errorf("a2 is still there: %s", got.Raw())
	}
}

func TestRemovedFirstMessageLeavesTheStructuralNode(t *testing.T) {
	doc := check(t, []byte(editable)).Doc
	doc.Messages = doc.Messages[1:]
	doc.Messages[0].ParentID = ""
	got := restoredDoc(t, doc)
	if string(at(got, "mapping/root/children").Raw()) != `[]` || !at(got, "mapping/u/parent").IsNull() {
		t.Errorf("root has %s, u hangs on %s", at(got, "mapping/root/children").Raw(), at(got, "mapping/u/parent").Raw())
	}
}

func TestMessageMovedBelowAnotherLeavesTheStructuralNode(t *testing.T) {
	doc := check(t, []byte(editable)).Doc
	hello := "before all"
	doc.Messages[0].ParentID = "new"
	doc.Messages = append([]pamio.Message{{ID: "new", Role: "user", CreatedAt: "2023-11-14T22:13:00Z", ChildrenIDs: []string{"s"}, Content: &pamio.Content{Type: "text", Text: &hello}}}, doc.Messages...)
	got := restoredDoc(t, doc)
	if !at(got, "mapping/s/parent").Is("new") || string(at(got, "mapping/new/children").Raw()) != `["s"]` || string(at(got, "mapping/root/children").Raw()) != `[]` {
		t.Errorf("s hangs on %s, new has %s, root has %s", at(got, "mapping/s/parent").Raw(), at(got, "mapping/new/children").Raw(), at(got, "mapping/root/children").Raw())
	}
}

func TestAddedMessageTakesTheFormOfTheOthers(t *testing.T) {
	doc := check(t, []byte(editable)).Doc
	hello := "added"
	doc.Messages = append(doc.Messages, pamio.Message{ID: "new", Role: "user", CreatedAt: "2023-11-14T22:14:00Z", ParentID: "t", Content: &pamio.Content{Type: "text", Text: &hello}, Model: "m"})
	for i := range doc.Messages {
		if doc.Messages[i].ID == "t" {
			doc.Messages[i].ChildrenIDs = []string{"new"}
		}
	}
	got := restoredDoc(t, doc)
	want := `{"id":"new","message":{"id":"new","author":{"role":"user"},"create_time":1700000040,"content":{"content_type":"text","parts":["added"]},"metadata":{"model_slug":"m"}},"parent":"t","children":[]}`
	if string(at(got, "mapping/new").Raw()) != want || string(at(got, "mapping/t/children").Raw()) != `["new"]` {
		t.Errorf("new message is\n%s, want\n%s", at(got, "mapping/new").Raw(), want)
	}
}

func restoredDoc(t *testing.T, doc *pamio.Conversation) jsonscan.Node {
	t.Helper()
	out, err := chatgpt.New().Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jsonscan.Parse(out, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got.Root()
}

// at follows a path of keys and indexes.
func at(n jsonscan.Node, path string) jsonscan.Node {
	for segment := range strings.SplitSeq(path, "/") {
		if n.Kind() == jsonscan.Array {
			i := 0
			for v := range n.Items() {
				if segment == string(rune('0'+i)) {
					n = v
					break
				}
				i++
			}
			continue
		}
		n = n.Get(segment)
	}
	return n
}

// changes lists the paths of the scalars that differ.
func changes(a, b jsonscan.Node, path string) []string {
	join := func(key string) string { return strings.TrimPrefix(path+"/"+key, "/") }
	var out []string
	switch {
	case a.Kind() == jsonscan.Object && b.Kind() == jsonscan.Object:
		for k, v := range a.Fields() {
			out = append(out, changes(v, b.Get(k.Str()), join(k.Str()))...)
		}
		for k := range b.Fields() {
			if !a.Get(k.Str()).Exists() {
				out = append(out, join(k.Str()))
			}
		}
	case a.Kind() == jsonscan.Array && b.Kind() == jsonscan.Array && a.Len() == b.Len():
		for i := range a.Len() {
			key := string(rune('0' + i))
			out = append(out, changes(at(a, key), at(b, key), join(key))...)
		}
	case !equal(a, b):
		out = append(out, path)
	}
	return out
}
