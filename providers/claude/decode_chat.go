package claude

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeChat reads one conversation of any generation.
func decodeChat(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if !root.Get("chat_messages").Exists() {
		if root.Get("messages").Kind() == jsonscan.Array && root.Get("uuid").Exists() {
			return decodeDesign(u)
		}
		return nil, lossless.Fail(u, lossless.CodeForeign, "the element has no chat_messages")
	}
	form := generation(root)
	b := schemaOf(form).New(src, provider)
	b.Doc.Provider.ExportFormatVersion = form
	b.Doc.Provider.AccountID = root.Get("account").Get("uuid").Str()
	if b.Doc.Provider.AccountID == "" {
		b.Doc.Provider.AccountID = joinedOf(u).onlyAccount()
	}
	b.Doc.Model = root.Get("model").Str()
	head(b, root, "name")

	c := &chat{b: b, calls: newCalls(b, outputBudget(u)), byUUID: map[string]*lossless.Object{}}
	if k := root.Get("chat_messages").Kind(); k != jsonscan.Array && k != jsonscan.Null {
		b.Unknown("messages_not_a_list")
	}
	i := 0
	for m := range root.Get("chat_messages").Items() {
		if m.Kind() == jsonscan.Object {
			c.message(i, m)
		} else {
			b.Anomalies["message_not_an_object"]++
		}
		i++
	}
	c.link()
	c.calls.settle()
	return b.Items()
}

// head reads what every conversation has: id, times and title. An empty title, which most
// conversations without one have, is none.
func head(b *lossless.Builder, root jsonscan.Node, title string) {
	nameConversation(b, root)
	if t := root.Get(title); !t.Is("") {
		b.Title(t)
	}
	b.Created = b.Time(root.Get("created_at"))
	b.Updated = b.Time(root.Get("updated_at"))
}

// generation names the form of a conversation by its keys.
func generation(root jsonscan.Node) string {
	for _, key := range []string{"model", "settings", "current_leaf_message_uuid", "project_uuid", "platform", "is_temporary"} {
		if root.Get(key).Exists() {
			return formatBrowser
		}
	}
	blocks := false
	for m := range root.Get("chat_messages").Items() {
		if m.Get("parent_message_uuid").Exists() {
			return formatLinked
		}
		blocks = blocks || m.Get("content").Len() > 0
	}
	switch {
	case root.Get("summary").Exists():
		return formatSummary
	case blocks:
		return format2025
	}
	return format2024
}

// chat is a conversation that is being read.
type chat struct {
	b       *lossless.Builder
	calls   *calls
	objects []*lossless.Object
	byUUID  map[string]*lossless.Object
}

// message reads the i-th message.
func (c *chat) message(i int, n jsonscan.Node) {
	o := c.b.Item("/chat_messages", i, n)
	uuid := n.Get("uuid").Str()
	named := uuid != "" && c.byUUID[uuid] == nil
	if named {
		c.byUUID[uuid] = o
	}
	c.objects = append(c.objects, o)

	role, known := normalize.Role(n.Get("sender").Str())
	if !known {
		c.b.Unknown("unknown_role")
	}
	content := n.Get("content")
	if k := content.Kind(); content.Exists() && k != jsonscan.Array && k != jsonscan.Null {
		c.b.Unknown("content_not_a_list")
	}
	segments := cutSegments(content, c.kindOf)
	main := addSegments(o, uuid, role, segments, c.fill)
	date(o, main, c.b.Time(n.Get("created_at")))
	switch text := n.Get("text"); {
	case spoken(segments):
		if sameText(o, text) {
			o.JoinAll()
		}
	case text.Kind() == jsonscan.String:
		main.Text(text.Str())
	case content.Kind() == jsonscan.String:
		main.Text(content.Str())
	}
	c.attachments(main, n)
	c.calls.close(o, named)
}

// spoken tells whether blocks stand for the text beside them: when there are texts in them, or
// tools, in whose place the text has a remark that the application cannot show them.
func spoken(segments []segment) bool {
	for _, s := range segments {
		for _, block := range s.blocks {
			if s.kind != said || block.Get("type").Is("tool_use") || blockText(block).Exists() {
				return true
			}
		}
	}
	return false
}

// link tells the parent of each message.
//
// A null is the parent of a first message, and an older export has nothing but nulls. An answer has
// always a question before it, so that a null there says that the parents of that time are not
// known; then no null means a root.
func (c *chat) link() {
	linked, vague := false, false
	for i, o := range c.objects {
		p := o.Node().Get("parent_message_uuid")
		linked = linked || p.Kind() == jsonscan.String
		vague = vague || i > 0 && p.IsNull() && !o.Node().Get("sender").Is("human")
	}
	if !linked {
		return // the order of the list is all there is
	}
	for _, o := range c.objects {
		p := o.Node().Get("parent_message_uuid")
		switch {
		case p.IsNull() && !vague, p.Is(noParent), p.Is(zeroParent):
			o.Root()
		case p.Kind() == jsonscan.String:
			o.Parent(c.byUUID[p.Str()])
		}
	}
}

// The parents of messages that have none.
const (
	noParent   = "00000000-0000-4000-8000-000000000000"
	zeroParent = "00000000-0000-0000-0000-000000000000"
)
