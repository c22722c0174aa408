package chat

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// Rows are messages with rows of their own, which newer servers write beside the tree of the chat
// or instead of it:
//
//	{"id":"<chat>-<message>","chat_id":"<chat>","role":"user","parent_id":"<message>","content":"…","model_id":"…",
//	 "created_at":1767323045,…}
type Rows struct {
	// Form is the name of the form, Key where the rows stand beside those of the chat.
	Form, Key string
	// Rules are those of the content.
	Rules []lossless.Rule
	// Fields are the keys of a row that are known without being mapped.
	Fields []string
}

// schema has the tree as well: messages that have no row are taken from there.
func (r *Rows) schema(d *Dialect) *lossless.Schema {
	s := layouts[0].schema(d)
	s.Conversation[len(s.Conversation)-1] = lossless.Rule{Path: "/" + r.Key, Slot: lossless.MessageList}
	s.Conversation = append(s.Conversation, lossless.Rule{Path: "/chat/history/messages", Slot: lossless.MessageMap})
	s.Message = slices.Concat([]lossless.Rule{
		{Path: "/role", Slot: lossless.Role},
		{Path: "/parent_id", Slot: lossless.Parent, Form: lossless.StringOrNull},
		{Path: "/created_at", Slot: lossless.Created, Form: secondsOrMillis},
		{Path: "/model_id", Slot: lossless.Model, Form: lossless.StringOrNull},
		{Path: "/content", Slot: lossless.Text},
	}, r.Rules)
	s.MessageFields = slices.Concat(r.Fields, d.MessageFields, []string{"id", "parentId", "childrenIds", "timestamp"})
	return s
}

// rows adds the messages that have rows, then those that are only in the tree.
func (w *walk) rows(inner jsonscan.Node) {
	w.chat = w.b.Root().Get("id").Str()
	i := 0
	for v := range w.b.Root().Get(w.d.Rows.Key).Items() {
		if v.Kind() == jsonscan.Object {
			o := w.b.Item("/"+w.d.Rows.Key, i, v)
			w.make(o, w.bare(v.Get("id").Str()), v.Get("created_at"), v.Get("model_id"))
		} else {
			w.b.Unknown("message_is_no_object")
		}
		i++
	}
	for k, v := range inner.Get("history").Get("messages").Fields() {
		id := v.Get("id").Str()
		if id == "" {
			id = k.Str()
		}
		if _, has := w.single[id]; has || v.Kind() != jsonscan.Object {
			continue
		}
		w.b.Anomalies["message_without_row"]++
		o := w.b.Value("/chat/history/messages", k.Str(), v)
		w.make(o, id, v.Get("timestamp"), v.Get("model"))
	}
	w.link()
}

// bare is the id of a message without that of its chat.
func (w *walk) bare(id string) string {
	if w.chat == "" {
		return id
	}
	return strings.TrimPrefix(id, w.chat+"-")
}
