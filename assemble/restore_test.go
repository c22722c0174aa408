package assemble

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/assemble/fold"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
)

// restoredFold folds elements of one conversation, oldest first, and gives the mapping that Restore
// makes of the result.
func restoredFold(t *testing.T, mappings ...string) jsonscan.Node {
	t.Helper()
	var docs []*pamio.Conversation
	var orders []string
	for i, m := range mappings {
		raw := fmt.Sprintf(`{"title":"T","create_time":1700000000,"update_time":%d,"conversation_id":"c","id":"c","mapping":{%s}}`, 1700000100+i, m)
		items, err := chatgpt.New().Decode(importer.Unit{Member: archive.Member{Name: "conversations.json"}, Role: "conversations", Raw: []byte(raw)})
		if err != nil {
			t.Fatal(err)
		}
		docs, orders = append(docs, items[0].Conversation.Doc), append(orders, items[0].Conversation.Order)
	}
	doc, _, err := fold.Fold(orders, docs)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check(); err != nil {
		t.Fatal(err)
	}
	out, err := chatgpt.New().Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonscan.Parse(out, 0)
	if err != nil {
		t.Fatal(err)
	}
	mapping := parsed.Root().Get("mapping")
	if parsed.Root().Odd() {
		t.Errorf("a key is there twice: %s", mapping.Raw())
	}
	linked(t, mapping)
	return mapping
}

// linked checks that parents and lists of children say the same.
func linked(t *testing.T, mapping jsonscan.Node) {
	t.Helper()
	parent, listed := map[string]string{}, map[string]string{}
	for k, v := range mapping.Fields() {
		parent[k.Str()] = v.Get("parent").Str()
		for c := range v.Get("children").Items() {
			listed[c.Str()] = k.Str()
		}
	}
	for id, p := range parent {
		if listed[id] != p && mapping.Get(p).Get("children").Exists() {
			t.Errorf("%s hangs on %q and stands in the list of %q: %s", id, p, listed[id], mapping.Raw())
		}
	}
	for id, p := range listed {
		if parent[id] != p {
			t.Errorf("%s stands in the list of %q and hangs on %q: %s", id, p, parent[id], mapping.Raw())
		}
	}
}

// mapped writes a mapping entry. Without content its message is null.
func mapped(id, parent, children, content string) string {
	message := "null"
	if content != "" {
		message = fmt.Sprintf(`{"id":%q,"author":{"role":"assistant"},"create_time":1700000001,%s}`, id, content)
	}
	list := ""
	if children != "" {
		list = `"` + strings.ReplaceAll(children, " ", `","`) + `"`
	}
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	return fmt.Sprintf(`%q:{"id":%q,"message":%s,"parent":%s,"children":[%s]}`, id, id, message, up, list)
}

func said(text string) string {
	return `"content":{"content_type":"text","parts":["` + text + `"]},"recipient":"all"`
}

func join(entries ...string) string { return strings.Join(entries, ",") }

func TestFoldedConversationsRestoreAsOneTree(t *testing.T) {
	root := func(children string) string { return mapped("root", "", children, "") }
	for _, c := range []struct {
		name         string
		older, newer string
		want         []string // ids with a message
	}{
		{"a message that a later export has lost the text of",
			join(root("a"), mapped("a", "root", "b", said("one")), mapped("b", "a", "", said("two"))),
			join(root("a"), mapped("a", "root", "b", ""), mapped("b", "a", "", said("two"))), []string{"a", "b"}},
		{"a first message that only the older one has",
			join(root("a b"), mapped("a", "root", "", said("one")), mapped("b", "root", "", said("two"))),
			join(root("a"), mapped("a", "root", "", said("one"))), []string{"a", "b"}},
		{"a message between two others that a later export leaves out",
			join(root("a"), mapped("a", "root", "b", said("one")), mapped("b", "a", "", said("two"))),
			join(root("b"), mapped("b", "root", "", said("two"))), []string{"a", "b"}},
		{"a message that went to another parent",
			join(root("a"), mapped("a", "root", "b c", said("one")), mapped("b", "a", "", said("two")), mapped("c", "a", "", said("three"))),
			join(root("a"), mapped("a", "root", "b", said("one")), mapped("b", "a", "c", said("two")), mapped("c", "b", "", said("three"))), []string{"a", "b", "c"}},
		{"an entry that got a message later",
			join(root("s"), mapped("s", "root", "a", ""), mapped("a", "s", "", said("one"))),
			join(root("s"), mapped("s", "root", "a", said("now")), mapped("a", "s", "", said("one"))), []string{"s", "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mapping := restoredFold(t, c.older, c.newer)
			for _, id := range c.want {
				if mapping.Get(id).Get("message").Kind() != jsonscan.Object {
					t.Errorf("the message of %s is gone: %s", id, mapping.Raw())
				}
			}
		})
	}
}

func TestFoldedTextsRestoreInTheFormOfTheirOwnSnapshot(t *testing.T) {
	message := func(content string) string { return mapped("a", "", "", content) }
	plain := said("hello")
	code := `"content":{"content_type":"code","language":"python","text":"print(1)"},"recipient":"all"`
	for _, c := range []struct {
		name         string
		older, newer string
		want         string // content of the restored message
	}{
		{"plain after code", code, plain, `{"content_type":"text","parts":["hello"]}`},
		{"code after plain", plain, code, `{"content_type":"code","text":"print(1)","language":"python"}`},
		{"output after a plain text of the same shape", plain, `"content":{"content_type":"execution_output","text":"1"},"recipient":"all"`, `{"content_type":"execution_output","text":"1"}`},
		{"a plain text after output of the same shape", `"content":{"content_type":"execution_output","text":"1"},"recipient":"all"`, plain, `{"content_type":"text","parts":["hello"]}`},
		{"nothing after a text", plain, `"content":null,"recipient":"all"`, `{"content_type":"text","parts":["hello"]}`},
		{"a tool call after a text", plain, `"content":{"content_type":"text","parts":["{\"a\": 1}"]},"recipient":"python"`, `{"content_type":"text","parts":["{\"a\": 1}"]}`},
		{"another of the two texts of an instruction", `"content":{"content_type":"user_editable_context","user_profile":"me"}`,
			`"content":{"content_type":"user_editable_context","user_profile":null,"user_instructions":"short"}`,
			`{"content_type":"user_editable_context","user_profile":null,"user_instructions":"short"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := restoredFold(t, message(c.older), message(c.newer)).Get("a").Get("message").Get("content")
			want, err := jsonscan.Parse([]byte(c.want), 0)
			if err != nil {
				t.Fatal(err)
			}
			if !normalize.Equal(got, want.Root()) {
				t.Errorf("got %s, want %s", got.Raw(), c.want)
			}
		})
	}
}
