package lossless

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Codes of the units that are quarantined.
const (
	CodeSyntax  = "syntax"
	CodeTooDeep = "too_deep"
	CodeTooBig  = "too_big"
	CodeForeign = "not_a_conversation"
)

// Source is a parsed element that a document can hold: what it could not (lone surrogates, bytes
// that are not UTF-8, repeated keys) is put aside and put back by Restore.
type Source struct {
	Root   jsonscan.Node
	unit   importer.Unit
	escrow []byte
	counts map[string]int
}

// Parse reads the bytes of a unit. Its errors are *importer.UnitError.
func Parse(u importer.Unit) (*Source, error) {
	limits := u.Limits.WithDefaults()
	if int64(len(u.Raw)) > limits.MaxConversation {
		return nil, Fail(u, CodeTooBig, "the element has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", len(u.Raw), limits.MaxConversation)
	}
	doc, err := jsonscan.Parse(u.Raw, limits.MaxDepth)
	var syn *jsonscan.SyntaxError
	switch {
	case errors.Is(err, jsonscan.ErrTooDeep) && errors.As(err, &syn):
		return nil, Fail(u, CodeTooDeep, "the element is %s at byte %d of it; raise limits.max_depth to read it", syn.Reason, syn.Offset)
	case errors.As(err, &syn):
		return nil, Fail(u, CodeSyntax, "the element is not JSON: %s at byte %d of it", syn.Reason, syn.Offset)
	case err != nil:
		return nil, fmt.Errorf("read element: %w", err)
	}
	s := &Source{Root: doc.Root(), unit: u, counts: map[string]int{}}
	if s.Root.Odd() {
		clean, e := normalize.Clean(s.Root)
		s.escrow, s.counts = e.Entries, e.Counts
		if doc, err = jsonscan.Parse(clean, limits.MaxDepth+1); err != nil {
			return nil, fmt.Errorf("read element: %w", err)
		}
		s.Root = doc.Root()
	}
	return s, nil
}

// Fail makes the error that quarantines a unit. The reason is for a person and quotes nothing of
// the content.
func Fail(u importer.Unit, code, reason string, args ...any) *importer.UnitError {
	return &importer.UnitError{
		Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw)),
		Code: code, Reason: fmt.Sprintf(reason, args...),
	}
}

// Builder fills one document.
type Builder struct {
	// Doc is the document; its messages come from the objects and its participants from the
	// messages.
	Doc *pamio.Conversation
	// Created and Updated are the conversation's own times; zero for none.
	Created, Updated normalize.Instant
	// Fallback is the time of what has none, from outside the element (the name of the file, an
	// epoch in it), and FallbackFrom says where it is from.
	Fallback     normalize.Instant
	FallbackFrom string
	// Anomalies counts what was odd, by code.
	Anomalies map[string]int

	schema  *Schema
	src     *Source
	objects []*Object
	notes   []note
	twins   map[string][]byte
	newest  normalize.Instant
	assets  []importer.Asset
	look    lookup
}

type note struct {
	key   string
	value []byte
}

// New starts the document of an element.
func (s *Schema) New(src *Source, provider string) *Builder {
	b := &Builder{
		Doc: &pamio.Conversation{Provider: pamio.Provider{Name: provider}}, schema: s, src: src,
		Anomalies: map[string]int{}, twins: map[string][]byte{},
	}
	for code, n := range src.counts {
		b.Anomalies[code] += n
	}
	return b
}

// Root is the element.
func (b *Builder) Root() jsonscan.Node { return b.src.Root }

// ID names the conversation by the provider's own id; with "" by the digest of the element, which
// is noted.
func (b *Builder) ID(id string) { b.IDIn(b.Doc.Provider.Name, id) }

// maxID is the length up to which an id is copied into provider.conversation_id, in bytes. No
// provider's is nearly as long; what is longer stays where it is in the source.
const maxID = 512

// IDIn is ID for providers that several programs share: space tells their ids apart ("local/jan").
// It is part of the frozen rules of the importer.
func (b *Builder) IDIn(space, id string) {
	if id == "" {
		id = normalize.Digest(b.src.Root)
		b.NoteJSON(keySynthetic, []byte("true"))
	}
	if len(id) <= maxID {
		b.Doc.Provider.ConversationID = id
	} else {
		b.NoteJSON(keySynthetic, []byte("true"))
	}
	b.Doc.ID = normalize.ConversationID(space, id)
}

// DerivedID names the conversation by a text that the importer made of what never changes in it,
// where the provider gives no id. It is noted, and provider.conversation_id stays absent.
func (b *Builder) DerivedID(space, key string) {
	b.NoteJSON(keySynthetic, []byte("true"))
	b.Doc.ID = normalize.ConversationID(space, key)
}

// Title sets the title if the value is a string.
func (b *Builder) Title(n jsonscan.Node) {
	if n.Kind() == jsonscan.String {
		t := n.Str()
		b.Doc.Title = &t
	}
}

// Time reads a time and remembers the newest.
func (b *Builder) Time(n jsonscan.Node) normalize.Instant {
	t, ok := ReadTime(n)
	if !ok {
		if n.Exists() && !n.IsNull() {
			b.Anomalies["unreadable_time"]++
		}
		return normalize.Epoch
	}
	b.Seen(t)
	return t
}

// Seen tells of a time inside the element; the newest becomes that of the import.
func (b *Builder) Seen(t normalize.Instant) {
	if t.Compare(b.newest) > 0 {
		b.newest = t
	}
}

// Note writes a text into raw_metadata for readers; NoteJSON any JSON value. Restore does not look
// at it.
func (b *Builder) Note(key, text string) { b.NoteJSON(key, pamio.AppendString(nil, text)) }

// NoteJSON is Note for a JSON value.
func (b *Builder) NoteJSON(key string, value []byte) { b.notes = append(b.notes, note{key, value}) }

// Unknown counts a part of the element whose form is not known; what it is is kept.
func (b *Builder) Unknown(code string) {
	b.Anomalies[code]++
	b.Anomalies[importer.AnomalyUnknownVariant] = 1
}

// Role is the PAM role of a provider's name for it; one that is not known is counted.
func (b *Builder) Role(name string) string {
	role, known := normalize.Role(name)
	if !known {
		b.Unknown("unknown_role")
	}
	return role
}

// Asset keeps a file that stands inside the element and gives its name in the bundle and its media
// type.
func (b *Builder) Asset(data []byte) (ref, mimeType string) {
	a, mimeType := importer.NewAsset(data)
	b.assets = append(b.assets, a)
	return a.Ref, mimeType
}

// Object is a source object that messages are made of: an element of a MessageList or a value of a
// MessageMap.
type Object struct {
	b         *Builder
	node      jsonscan.Node
	container string // path of its rule
	key       string // in a map
	at        int    // in a list
	of        *Object
	inside    []*Object // whose of it is
	messages  []*Message
	primary   int
	parent    *Object
	declared  int // parentUnknown …
	joinAll   bool
	index     int32
}

const (
	parentAbsent = iota // the source says nothing
	parentNone          // a root
	parentOrphan        // names an object that is not there
	parentGiven
)

// Message is a message under construction.
type Message struct {
	pamio.Message
	// Time is its own time; zero for none. TimeFrom says where it is from when not from its usual
	// place; such a time is not written back.
	Time     normalize.Instant
	TimeFrom string

	object *Object
	notes  []note
}

// Item adds the i-th element of the list at a path of the schema.
func (b *Builder) Item(container string, i int, node jsonscan.Node) *Object {
	o := &Object{b: b, node: node, container: container, at: i, primary: -1}
	b.objects = append(b.objects, o)
	return o
}

// AddItems adds the objects in the list at a path of the schema, and calls add with each and its
// place in the list. An element that is no object is counted as unknown, by the code.
func (b *Builder) AddItems(container, unknown string, add func(i int, o *Object)) {
	i := 0
	for v := range valueAt(b.src.Root, container).Items() {
		if v.Kind() == jsonscan.Object {
			add(i, b.Item(container, i, v))
		} else {
			b.Unknown(unknown)
		}
		i++
	}
}

// Value adds the value of a key of the map at a path of the schema.
func (b *Builder) Value(container, key string, node jsonscan.Node) *Object {
	o := &Object{b: b, node: node, container: container, key: key, at: -1, primary: -1}
	b.objects = append(b.objects, o)
	return o
}

// Child adds the i-th element of the list of children that stands inside another object, at the
// path of the schema's Nested rule. The object is its parent.
func (o *Object) Child(i int, node jsonscan.Node) *Object {
	c := o.b.Item(o.container, i, node)
	c.of = o
	o.inside = append(o.inside, c)
	c.Parent(o)
	return c
}

// Node is the source object.
func (o *Object) Node() jsonscan.Node { return o.node }

// Messages are those made of the object.
func (o *Object) Messages() []*Message { return o.messages }

// Add makes a message of the object. Several messages of one object follow each other in one line.
// The last one is the primary one unless Primary says otherwise.
func (o *Object) Add(id, role string) *Message {
	m := &Message{Message: pamio.Message{ID: id, Role: role}, object: o}
	o.messages = append(o.messages, m)
	return m
}

// Primary makes a message the one that has the object's residual, and whose id, role and time are
// the object's own.
func (o *Object) Primary(m *Message) {
	for i := range o.messages {
		if o.messages[i] == m {
			o.primary = i
		}
	}
}

func (o *Object) main() *Message {
	if o.primary >= 0 {
		return o.messages[o.primary]
	}
	return o.messages[len(o.messages)-1]
}

// Parent says that the source names another object as the parent; nil says that it names one that
// is not there.
func (o *Object) Parent(p *Object) {
	o.parent, o.declared = p, parentGiven
	if p == nil {
		o.declared = parentOrphan
	}
}

// Root says that the source declares the object a root.
func (o *Object) Root() { o.parent, o.declared = nil, parentNone }

// JoinAll says that the source's Joined text has the thoughts in it, too, in their places. Without
// it, it has the texts of the messages that are neither thoughts nor of a tool.
func (o *Object) JoinAll() { o.joinAll = true }

// Note writes a text into the message's raw_metadata for readers.
func (m *Message) Note(key, text string) { m.NoteJSON(key, pamio.AppendString(nil, text)) }

// NoteJSON is Note for a JSON value.
func (m *Message) NoteJSON(key string, value []byte) { m.notes = append(m.notes, note{key, value}) }

// Text appends a text to the content. The first one is the content; several make it multipart.
func (m *Message) Text(text string) { m.Part(pamio.Part{Type: "text", Text: &text}) }

// TextOf appends a value to the content if it is a text.
func (m *Message) TextOf(n jsonscan.Node) {
	if n.Kind() == jsonscan.String {
		m.Text(n.Str())
	}
}

// Part appends a part to the content.
func (m *Message) Part(p pamio.Part) {
	if m.Content == nil {
		if p.Type == "text" {
			m.Content = &pamio.Content{Type: "text", Text: p.Text}
		} else {
			m.Content = &pamio.Content{Type: "multipart", Parts: []pamio.Part{p}}
		}
		return
	}
	if m.Content.Type == "text" {
		m.Content = &pamio.Content{Type: "multipart", Parts: []pamio.Part{{Type: "text", Text: m.Content.Text}}}
	}
	m.Content.Parts = append(m.Content.Parts, p)
}

// Twin says that the array at path repeats message objects: each of its elements that equals the
// object that same gives for it is kept as the object's id only. The objects must be of a
// MessageMap or MessageList.
func (b *Builder) Twin(path string, same func(element jsonscan.Node) *Object) {
	list := valueAt(b.src.Root, path)
	if list.Kind() != jsonscan.Array {
		return
	}
	out := []byte{'['}
	for v := range list.Items() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if o := same(v); o != nil && len(o.messages) > 0 && equal(o.node, v) {
			out = pamio.AppendString(out, o.sourceID())
			continue
		}
		out = v.AppendCompact(append(out, '['))
		out = append(out, ']')
	}
	b.twins[path] = append(out, ']')
}

// sourceID is the id of the object as the source has it.
func (o *Object) sourceID() string { return sourceID(&o.main().Message) }

func sourceID(m *pamio.Message) string {
	if m.ProviderMessageID != "" {
		return m.ProviderMessageID
	}
	return m.ID
}
