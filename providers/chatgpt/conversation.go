package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// fields are the conversation's keys that the importer knows, looked up once.
type fields struct {
	title, create, update, mapping, conversationID, id, archived, model jsonscan.Node
}

func readFields(root jsonscan.Node) (f fields) {
	for k, v := range root.Fields() {
		switch string(nameOf(k)) {
		case "title":
			f.title = v
		case "create_time":
			f.create = v
		case "update_time":
			f.update = v
		case "mapping":
			f.mapping = v
		case "conversation_id":
			f.conversationID = v
		case "id":
			f.id = v
		case "is_archived":
			f.archived = v
		case "default_model_slug":
			f.model = v
		}
	}
	return f
}

// conversation makes the document of an element.
func (d *decoder) conversation(root jsonscan.Node, j *joined, escrow []byte, quirk string) *pamio.Conversation {
	f := readFields(root)
	g := d.readNodes(f.mapping)
	d.messageTimes(g)

	doc := &pamio.Conversation{}
	name, synthetic := providerID(f, root)
	doc.ID = normalize.ConversationID(Provider, name)
	doc.Provider = pamio.Provider{Name: Provider, ConversationID: name, ExportFormatVersion: d.era(root)}
	if f.title.Kind() == jsonscan.String {
		title := f.title.Str()
		doc.Title = &title
	}
	doc.IsArchived = f.archived.True()
	if f.model.Kind() == jsonscan.String {
		doc.Model = f.model.Str()
	}
	created := d.temporal(doc, f, g)
	d.inherit(doc, g, created)

	d.shapes = d.shapes[:0]
	for _, i := range g.Order {
		d.shapes = append(d.shapes, d.nodes[i].shape)
	}
	usual := commonest(d.shapes)
	own, rest := j.feedbackOf(name, d)
	doc.Messages = make([]pamio.Message, 0, len(g.Order))
	roles := map[string]bool{}
	d.raw = d.raw[:0]
	d.repeated = repeated{}
	for _, i := range g.Order {
		doc.Messages = append(doc.Messages, d.message(g, i, usual, own))
		d.repeated.next()
		roles[d.nodes[i].role] = true
	}
	d.repeated.bound(doc, len(root.Raw()))
	links := d.sandbox(doc)
	d.variant(root)
	for _, role := range normalize.Roles {
		if roles[role] {
			doc.Participants = append(doc.Participants, pamio.Participant{Role: role})
		}
	}
	if root.Get("is_starred").True() {
		doc.Tags = []string{"starred"}
	}
	doc.SystemInstruction = d.instruction(g, len(root.Raw()))
	doc.RawMetadata = d.conversationRaw(root, f, doc, created, usual, rawExtras{
		escrow: escrow, quirk: quirk, links: links, synthetic: synthetic, feedback: rest, shared: j.shared[name],
	})
	if root.Get("chat_messages").Exists() {
		d.anomalies["mixed_markers"]++
	}
	if f.mapping.Kind() != jsonscan.Object {
		d.anomalies["no_mapping"]++
	}
	return doc
}

// providerID is the conversation's own id, or the digest of the element when it has none.
func providerID(f fields, root jsonscan.Node) (id string, synthetic bool) {
	for _, n := range []jsonscan.Node{f.conversationID, f.id} {
		if n.Kind() == jsonscan.String && !n.Is("") {
			return n.Str(), false
		}
	}
	return normalize.Digest(root), true
}

// temporal sets the conversation's times: create_time, else the oldest message's, else update_time,
// else none. from is "" for create_time.
func (d *decoder) temporal(doc *pamio.Conversation, f fields, g *normalize.Graph) (created instant) {
	created.t, created.ok = readTime(f.create)
	update, hasUpdate := readTime(f.update)
	if hasUpdate {
		d.seen(update)
	}
	if created.ok {
		d.seen(created.t)
	} else {
		created.from = fromMessages
		for _, i := range g.Order {
			at := d.times[i]
			if at.ok && (at.from == "" || at.from == fromUpdate) && (!created.ok || at.t.Compare(created.t) < 0) {
				created.t, created.ok = at.t, true
			}
		}
	}
	if !created.ok && hasUpdate {
		created = instant{update, true, fromUpdate}
	}
	if !created.ok {
		created = instant{normalize.Epoch, false, fromNone}
	}
	doc.Temporal.CreatedAt = created.t.String()
	switch {
	case hasUpdate && update.Compare(created.t) >= 0:
		doc.Temporal.UpdatedAt = update.String()
	case hasUpdate:
		d.anomalies["update_before_create"]++
	}
	return created
}

// inherit gives the conversation's time to messages that found none among themselves.
func (d *decoder) inherit(doc *pamio.Conversation, g *normalize.Graph, created instant) {
	d.inherited = false
	for _, i := range g.Order {
		at := &d.times[i]
		if at.ok {
			continue
		}
		d.inherited = d.inherited || created.ok
		at.t, at.ok, at.from = created.t, created.ok, fromConversation
		if !created.ok {
			at.from = fromNone
		}
	}
}

// instructionShare bounds the copy of the custom instructions in system_instruction: one part in so
// many of the element's bytes, because their text is kept in the messages, too.
const instructionShare = 20

// instruction is the person's instruction to the model, where the copy is small against the
// element.
func (d *decoder) instruction(g *normalize.Graph, size int) string {
	for _, i := range g.Order {
		n := &d.nodes[i]
		about := n.has.metadata.Get("user_context_message_data").Get("about_model_message")
		if about.Kind() != jsonscan.String {
			content := n.has.content
			if !content.Get("content_type").Is("user_editable_context") {
				continue
			}
			about = content.Get("user_instructions")
		}
		if about.Kind() == jsonscan.String && !about.Is("") && len(about.Raw())*instructionShare <= size {
			return about.Str()
		}
	}
	return ""
}
