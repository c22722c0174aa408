package chat

import (
	"fmt"
	"slices"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// CodeNotAChat is why an element without a chat in it is quarantined.
const CodeNotAChat = "not_a_conversation"

// Dialect is the chats of one product. It is immutable.
type Dialect struct {
	// Provider is the identifier in PAM (§11.4); Space the space of conversation ids. Both are part
	// of the frozen rules of ids.
	Provider, Space string
	// Note is the product's name where the provider does not tell it, "" for none.
	Note string
	// Fields are the keys of a row, MessageFields those of a message, that are known without being
	// mapped.
	Fields, MessageFields []string
	// Rules are those of messages beside the skeleton's.
	Rules []lossless.Rule
	// Content makes the messages of an object from what it holds, in order, and names the primary
	// one.
	Content func(m *Maker)
	// Rewrite gives an element in another form to divide, nil to divide it as it is, and Undo its
	// inverse. Nil for none.
	Rewrite func(root jsonscan.Node) []byte
	Undo    func(dst []byte, root jsonscan.Node) []byte
	// Rows are messages that have rows of their own in a database, nil for a product without them.
	Rows *Rows

	schemas map[string]*lossless.Schema
}

// layout is where in an element the parts of a chat stand, and the name of that form.
type layout struct {
	name   string
	prefix string // of the chat in the element
	tree   bool   // messages are those of history
}

var layouts = []layout{
	{"chat-export", "/chat", true},
	{"chat-export-list", "/chat", false},
	{"chat-object", "", true},
	{"chat-object-list", "", false},
}

// New makes a dialect ready for use.
func New(d Dialect) *Dialect {
	d.schemas = map[string]*lossless.Schema{}
	for _, l := range layouts {
		d.schemas[l.name] = l.schema(&d)
	}
	if d.Rows != nil {
		d.schemas[d.Rows.Form] = d.Rows.schema(&d)
	}
	return &d
}

func (l layout) schema(d *Dialect) *lossless.Schema {
	s := &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/id", Slot: lossless.ConversationID},
			{Path: "/title", Slot: lossless.Title},
			{Path: l.prefix + "/params/system", Slot: lossless.System},
		},
		Message: slices.Concat([]lossless.Rule{
			{Path: "/id", Slot: lossless.ID},
			{Path: "/role", Slot: lossless.Role},
			{Path: "/parentId", Slot: lossless.Parent, Form: lossless.StringOrNull},
			{Path: "/childrenIds", Slot: lossless.Children},
			{Path: "/timestamp", Slot: lossless.Created, Form: secondsOrMillis},
			{Path: "/content", Slot: lossless.Text},
		}, d.Rules),
		Fields:        []string{"chat", "history", "messages", "models", "params", "tags", "files", "currentId", "system", "features", "toolIds"},
		MessageFields: d.MessageFields,
	}
	s.Fields = append(s.Fields, d.Fields...)
	if l.prefix != "" {
		s.Conversation = append(s.Conversation,
			lossless.Rule{Path: "/chat/title", Slot: lossless.Title},
			lossless.Rule{Path: "/user_id", Slot: lossless.Account},
			lossless.Rule{Path: "/created_at", Slot: lossless.Created, Form: secondsOrMillis},
			lossless.Rule{Path: "/updated_at", Slot: lossless.Updated, Form: secondsOrMillis},
			lossless.Rule{Path: "/archived", Slot: lossless.Archived})
	} else {
		s.Conversation = append(s.Conversation, lossless.Rule{Path: "/timestamp", Slot: lossless.Created, Form: lossless.Millis})
	}
	container := lossless.Rule{Path: l.prefix + "/history/messages", Slot: lossless.MessageMap}
	if !l.tree {
		container = lossless.Rule{Path: l.prefix + "/messages", Slot: lossless.MessageList}
	}
	s.Conversation = append(s.Conversation, container)
	return s
}

// layoutOf finds the form of an element; ok is false when there is no chat in it.
func layoutOf(root jsonscan.Node) (l layout, inner jsonscan.Node, ok bool) {
	inner = root
	at := 2
	if c := root.Get("chat"); c.Kind() == jsonscan.Object && (c.Get("history").Exists() || c.Get("messages").Exists() || c.Get("models").Exists()) {
		inner, at = c, 0
	} else if root.Get("history").Kind() != jsonscan.Object && root.Get("messages").Kind() != jsonscan.Array {
		return layout{}, inner, false
	}
	tree := inner.Get("history").Get("messages")
	if (tree.Kind() != jsonscan.Object || tree.Len() == 0) && inner.Get("messages").Kind() == jsonscan.Array && inner.Get("messages").Len() > 0 {
		at++
	}
	return layouts[at], inner, true
}

// Decode makes the document of one element.
func (d *Dialect) Decode(u importer.Unit, files Files) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	leaves, rewritten := normalize.Leaves(src.Root), false
	if d.Rewrite != nil {
		other := u
		if other.Raw = d.Rewrite(src.Root); other.Raw != nil && !odd(u) {
			if again, err := lossless.Parse(other); err == nil {
				src, rewritten = again, true
			}
		}
	}
	l, inner, ok := layoutOf(src.Root)
	rows := d.Rows != nil && src.Root.Get(d.Rows.Key).Kind() == jsonscan.Array
	if rows {
		l, ok = layout{name: d.Rows.Form, prefix: "/chat", tree: true}, true
	}
	if !ok {
		return nil, lossless.Fail(u, CodeNotAChat, "the element has neither a chat nor messages in it")
	}
	b := d.schemas[l.name].New(src, d.Provider)
	b.Doc.Provider.ExportFormatVersion = l.name
	d.head(b, inner, l.prefix != "")
	w := &walk{b: b, d: d, files: files, byKey: map[string]*lossless.Object{}}
	switch {
	case rows:
		w.rows(inner)
	case l.tree:
		w.tree(l.prefix, inner)
	default:
		w.list(l.prefix+"/messages", inner.Get("messages"))
	}
	w.name(l.prefix == "", inner)
	if rewritten {
		b.NoteJSON(keyRewritten, []byte("true"))
	}
	snap, err := b.Finish()
	if err != nil {
		return nil, fmt.Errorf("divide chat: %w", err)
	}
	// The leaves are those of the source, not of its other form, in which what stands around a text
	// is a leaf as well.
	snap.Loss.Raw = min(max(snap.Loss.Raw-(snap.Loss.Mapped+snap.Loss.Raw-leaves), 0), leaves)
	snap.Loss.Mapped = leaves - snap.Loss.Raw
	return []importer.Item{{Conversation: snap}}, nil
}

// keyRewritten in raw_metadata says that what is divided is the other form of the element.
const keyRewritten = "rewritten"

// odd tells whether an element has what a document cannot hold. It is divided as it is.
func odd(u importer.Unit) bool {
	doc, err := jsonscan.Parse(u.Raw, u.Limits.WithDefaults().MaxDepth)
	return err != nil || doc.Root().Odd()
}

// head fills what is known of the conversation as a whole.
func (d *Dialect) head(b *lossless.Builder, inner jsonscan.Node, row bool) {
	root := b.Root()
	if d.Note != "" {
		b.Note("source_app", d.Note)
	}
	b.Title(root.Get("title"))
	if b.Doc.Title == nil {
		b.Title(inner.Get("title"))
	}
	if row {
		b.Doc.Provider.AccountID = root.Get("user_id").Str()
		b.Created = b.Time(root.Get("created_at"))
		b.Updated = b.Time(root.Get("updated_at"))
		b.Doc.IsArchived = truth(root.Get("archived"))
	} else {
		b.Created = b.Time(inner.Get("timestamp"))
	}
	b.Fallback, b.FallbackFrom = normalize.Epoch, ""
	if t, ok := lossless.ReadTime(inner.Get("timestamp")); ok && row {
		b.Fallback, b.FallbackFrom = t, "chat.timestamp"
	}
	b.Doc.SystemInstruction = inner.Get("params").Get("system").Str()
	if b.Doc.SystemInstruction == "" {
		b.Doc.SystemInstruction = inner.Get("system").Str()
	}
	for model := range inner.Get("models").Items() {
		if b.Doc.Model == "" {
			b.Doc.Model = model.Str()
		}
	}
	b.Doc.Tags = tags(root.Get("meta").Get("tags"), inner.Get("tags"))
}

// Restore is the inverse of Decode.
func (d *Dialect) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	s := d.schemas[doc.Provider.ExportFormatVersion]
	if s == nil {
		return dst, fmt.Errorf("restore conversation %s: unknown form %q in provider.export_format_version", doc.ID, doc.Provider.ExportFormatVersion)
	}
	if d.Undo == nil || len(doc.RawMetadata) == 0 {
		return s.Restore(dst, doc)
	}
	raw, err := jsonscan.Parse(doc.RawMetadata, 0)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: read raw_metadata: %w", doc.ID, err)
	}
	if !raw.Root().Get(keyRewritten).True() {
		return s.Restore(dst, doc)
	}
	other, err := s.Restore(nil, doc)
	if err != nil {
		return dst, err
	}
	root, err := jsonscan.Parse(other, 0)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	return d.Undo(dst, root.Root()), nil
}

// truth reads a boolean that a database may have written as a number.
func truth(n jsonscan.Node) bool {
	return n.True() || n.Kind() == jsonscan.Number && !normalize.SameNumber(n.Raw(), []byte("0"))
}
