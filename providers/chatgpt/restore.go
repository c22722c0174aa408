package chatgpt

import (
	"fmt"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Restore appends the element that a document was made from, equal as a JSON value: numbers as
// decimals, keys in any order, strings by code unit, repeated keys included.
//
// What was edited in the document is edited in the element: the title, the texts, the role, the
// times, the models, the names of attachments and citations. A message that was removed leaves the
// lists of children; one that was added comes out in the form of the conversation's other messages.
// Derived fields (participants, tags, system_instruction, tool_result_ids, attachments of file
// parts) are passed over.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if doc.Provider.ExportFormatVersion == eraTasks {
		return taskSchema.Restore(dst, doc)
	}
	w, err := newRestorer(doc)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	verbatim := w.raw.Get(keyVerbatim)
	if verbatim.Len() == 0 {
		out, err := w.conversation(dst)
		if err != nil {
			return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
		}
		return out, nil
	}
	clean, err := w.conversation(nil)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	var element jsonscan.Doc
	if err := element.Parse(clean, maxRestoreDepth); err != nil {
		return dst, fmt.Errorf("restore conversation %s: read what was rebuilt: %w", doc.ID, err)
	}
	return normalize.Unclean(dst, element.Root(), verbatim), nil
}

// maxRestoreDepth is the nesting that Restore reads; Decode has had its own limit before.
const maxRestoreDepth = 100_000

type restorer struct {
	doc        *pamio.Conversation
	rawDoc     jsonscan.Doc
	messageDoc jsonscan.Doc
	raw        jsonscan.Node
	byID       map[string]int           // messages
	structural map[string]jsonscan.Node // entries without a message
	dangling   map[string]bool
	usual      shape
	moved      map[string]bool     // messages that hung on an entry without a message and do no more; known once they are written
	folded     bool                // from several snapshots
	parents    map[string]string   // of every entry of a folded conversation, see readLinks
	childrenOf map[string][]string // the inverse
}

func newRestorer(doc *pamio.Conversation) (*restorer, error) {
	w := &restorer{doc: doc, byID: make(map[string]int, len(doc.Messages)), structural: map[string]jsonscan.Node{}, dangling: map[string]bool{}, moved: map[string]bool{}}
	if len(doc.RawMetadata) > 0 {
		if err := w.rawDoc.Parse(doc.RawMetadata, maxRestoreDepth); err != nil {
			return nil, fmt.Errorf("read raw_metadata: %w", err)
		}
		w.raw = w.rawDoc.Root()
	}
	for i, m := range doc.Messages {
		w.byID[m.ID] = i
	}
	for k, v := range w.raw.Get(keyStructural).Fields() {
		// A snapshot may have lost the message of an entry that another one has it of.
		if _, message := w.byID[k.Str()]; !message {
			w.structural[k.Str()] = v
		}
	}
	for v := range w.raw.Get(keyDangling).Items() {
		w.dangling[v.Str()] = true
	}
	w.usual = parseShape(w.raw.Get(keyAbsent).Get("message"), messageShape)
	if w.folded = w.raw.Get(keyFolded).True(); w.folded {
		if err := w.readLinks(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// conversation writes the element as Clean had left it.
func (w *restorer) conversation(dst []byte) ([]byte, error) {
	doc := w.doc
	f := readFields(w.raw)
	absent := parseShape(w.raw.Get(keyAbsent).Get("conversation"), conversationShape)
	r := object{buf: dst}
	r.open()
	if doc.Title != nil {
		r.text("title", *doc.Title)
	} else {
		r.copy("title", f.title)
	}
	r.time("create_time", doc.Temporal.CreatedAt, f.create, w.inherited(doc.Temporal.CreatedAt, w.raw))
	r.time("update_time", doc.Temporal.UpdatedAt, f.update, false)
	w.ids(&r, f, absent)
	switch {
	case doc.IsArchived:
		r.bool("is_archived", true)
	case f.archived.Exists():
		r.copy("is_archived", f.archived)
	case absent&noArchived == 0:
		r.bool("is_archived", false)
	}
	if doc.Model != "" {
		r.text("default_model_slug", doc.Model)
	} else {
		r.copy("default_model_slug", f.model)
	}
	var none normalize.Loss
	for k, v := range w.raw.Fields() {
		if !conversationKeys[k.Str()] && !mappedKey(k) {
			r.verbatim(k, v, &none)
		}
	}
	for k, v := range w.raw.Get(keyShadowed).Fields() {
		r.verbatim(k, v, &none)
	}
	if len(doc.Messages) == 0 && len(w.structural) == 0 && (f.mapping.Exists() || absent&noMapping != 0) {
		r.copy("mapping", f.mapping)
		return append(r.buf, '}'), nil
	}
	r.key("mapping")
	if err := w.mapping(&r); err != nil {
		return dst, err
	}
	return append(r.buf, '}'), nil
}

// mappedKey tells whether conversation writes the key itself.
func mappedKey(k jsonscan.Node) bool {
	for _, name := range []string{"title", "create_time", "update_time", "mapping", "conversation_id", "id", "is_archived", "default_model_slug"} {
		if k.Is(name) {
			return true
		}
	}
	return false
}

func (w *restorer) ids(r *object, f fields, absent shape) {
	synthetic := w.raw.Get(keySynthetic).True()
	for _, id := range []struct {
		name string
		raw  jsonscan.Node
		bit  shape
	}{{"conversation_id", f.conversationID, noConversationID}, {"id", f.id, noID}} {
		switch {
		case id.raw.Exists():
			r.copy(id.name, id.raw)
		case absent&id.bit == 0 && !synthetic:
			r.text(id.name, w.doc.Provider.ConversationID)
		}
	}
}

// inherited tells whether a time is still the one that Decode found elsewhere, by the source that
// raw_metadata names.
func (w *restorer) inherited(value string, raw jsonscan.Node) bool {
	switch from := raw.Get(keyTimeFrom); {
	case !from.Exists():
		return false
	case from.Is(fromNone):
		return value == normalize.Epoch.String()
	case from.Is(fromUpdate) && !raw.Get(keyInherited).Exists():
		t, ok := readTime(raw.Get("update_time"))
		return ok && t.String() == value
	case from.Is(fromConversation):
		return w.raw.Get(keyInherited).Is(value)
	}
	return raw.Get(keyInherited).Is(value)
}

// mapping writes the messages' entries and the structural ones.
func (w *restorer) mapping(r *object) error {
	r.open()
	for i := range w.doc.Messages {
		m := &w.doc.Messages[i]
		r.name(m.ID)
		if err := w.entry(r, m); err != nil {
			return fmt.Errorf("message %q: %w", m.ID, err)
		}
	}
	for k, v := range w.raw.Get(keyStructural).Fields() {
		if id := k.Str(); w.structural[id].Exists() {
			r.name(id)
			w.structuralEntry(r, id, v)
		}
	}
	r.buf = append(r.buf, '}')
	r.first = false
	return nil
}

// structuralEntry writes an entry without a message as the source has it, but for children that are
// gone or have come.
func (w *restorer) structuralEntry(r *object, id string, entry jsonscan.Node) {
	children := entry.Get("children")
	var list []byte
	switch {
	case w.folded && children.Kind() == jsonscan.Array:
		list = w.foldedChildren(id, children, nil)
	case w.complete(children):
		r.buf = entry.AppendCompact(r.buf)
		return
	default:
		list = append(append([]byte{'['}, w.remaining(nil, children)...), ']')
	}
	r.buf = normalize.AppendOverlay(r.buf, entry, []normalize.Patch{{Path: "/children", Value: list}})
}

// known tells whether a name in a list of children is still that of an entry, or never was.
func (w *restorer) known(c jsonscan.Node) bool {
	if c.Kind() != jsonscan.String {
		return true
	}
	id := c.Str()
	_, message := w.byID[id]
	return message && !w.moved[id] || w.structural[id].Exists() || w.dangling[id]
}

func (w *restorer) complete(children jsonscan.Node) bool {
	for c := range children.Items() {
		if !w.known(c) {
			return false
		}
	}
	return true
}

// remaining appends the names of a list of children that are still there, comma-joined.
func (w *restorer) remaining(dst []byte, children jsonscan.Node) []byte {
	for c := range children.Items() {
		if !w.known(c) {
			continue
		}
		if len(dst) > 0 {
			dst = append(dst, ',')
		}
		dst = c.AppendCompact(dst)
	}
	return dst
}
