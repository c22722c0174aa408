package librechat

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// talkDepth is how many times limits.max_depth an element may be nested.
const talkDepth = 16

// decodeUnit makes the document of one conversation, or the record of what stands around those of
// Chatbot UI.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	// In an export with children inside their parents the talk itself is nested, two levels a
	// message.
	u.Limits.MaxDepth = talkDepth * u.Limits.WithDefaults().MaxDepth
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	switch u.Role {
	case roleRest:
		return settings(u, src.Root)
	case roleChatbot:
		return chatbotConversation(u, src)
	}
	root := src.Root
	if root.Kind() != jsonscan.Object || root.Get("messages").Kind() != jsonscan.Array && root.Get("messagesTree").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, "not_a_conversation", "the element has no list of messages")
	}
	format := formatFlat
	for _, list := range lists {
		for m := range root.Get(list).Items() {
			if m.Get("children").Kind() == jsonscan.Array && m.Get("children").Len() > 0 {
				format = formatTree
			}
		}
	}
	d := &decoder{b: localapp.New(schemas[format], src, app, format), byID: map[string]*lossless.Object{}}
	b := d.b
	name(b)
	b.Title(root.Get("title"))
	b.Doc.Model = root.Get("options").Get("model").Str()
	b.Doc.SystemInstruction = root.Get("options").Get("promptPrefix").Str()
	for _, list := range lists {
		i := 0
		for m := range root.Get(list).Items() {
			if m.Kind() == jsonscan.Object {
				d.tree(b.Item("/"+list, i, m), format)
			} else {
				b.Unknown("unknown_message")
			}
			i++
		}
	}
	d.link(format)
	b.Updated = d.updated
	return localapp.Finish(b, nil)
}

// lists are the names that the list of messages has.
var lists = []string{"messages", "messagesTree"}

type decoder struct {
	b       *lossless.Builder
	byID    map[string]*lossless.Object
	top     []*lossless.Object // objects that are not nested
	updated normalize.Instant
}

// tree adds a message and those that are nested in it.
func (d *decoder) tree(o *lossless.Object, format string) {
	d.top = append(d.top, o)
	d.message(o)
	if format == formatTree {
		d.children(o)
	}
}

func (d *decoder) children(o *lossless.Object) {
	i := 0
	for c := range o.Node().Get("children").Items() {
		if c.Kind() == jsonscan.Object {
			child := o.Child(i, c)
			d.message(child)
			d.children(child)
		} else {
			d.b.Unknown("unknown_message")
		}
		i++
	}
}

// link hangs the messages that are not nested on those they name. In a tree the nesting says it
// all.
func (d *decoder) link(format string) {
	for _, o := range d.top {
		parent := o.Node().Get("parentMessageId")
		switch id := parent.Str(); {
		case format == formatTree, parent.IsNull(), id == rootID:
			o.Root()
		case parent.Exists():
			o.Parent(d.byID[id])
		}
	}
}

// message writes the messages of one object.
func (d *decoder) message(o *lossless.Object) {
	m, b := o.Node(), d.b
	role := normalize.RoleAssistant
	switch by := m.Get("isCreatedByUser"); {
	case by.Kind() == jsonscan.Bool && by.True():
		role = normalize.RoleUser
	case by.Kind() == jsonscan.Bool:
	default:
		var known bool
		if role, known = normalize.Role(m.Get("sender").Str()); !known {
			b.Unknown("unknown_role")
		}
	}
	turn := localapp.NewTurn(o, role)
	turn.Time = b.Time(m.Get("createdAt"))
	for c := range m.Get("content").Items() {
		content(b, turn, c)
	}
	if t := m.Get("text"); t.Kind() == jsonscan.String && (t.Str() != "" && !hasText(m.Get("content")) || m.Get("content").Len() == 0) {
		turn.Say().Text(t.Str())
	}
	for f := range m.Get("files").Items() {
		said := turn.Say()
		said.Attachments = append(said.Attachments, attachment(b, f))
	}
	id := m.Get("messageId").Str()
	answer, _ := turn.End(id)
	answer.Model = m.Get("model").Str()
	answer.TokenCount = importer.Count(m.Get("tokenCount"))
	if _, ok := d.byID[id]; !ok && id != "" {
		d.byID[id] = o
	}
	d.updated = localapp.Newest(d.updated, b.Time(m.Get("updatedAt")))
}
