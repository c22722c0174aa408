package chat

import (
	"regexp"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// walk adds the messages of one chat.
type walk struct {
	b     *lossless.Builder
	d     *Dialect
	files Files
	// byKey has the objects by their key in the tree, and by their id where no key is the same; nil
	// for an id that is not of one object alone.
	byKey map[string]*lossless.Object
	order []*lossless.Object
	// chat is the id of the chat that stands before the ids of rows, "" outside of databases.
	chat string
	// single are the objects whose id no other one has.
	single map[string]*lossless.Object
}

// tree adds the messages of history.messages.
func (w *walk) tree(prefix string, inner jsonscan.Node) {
	path := prefix + "/history/messages"
	keyed := map[string]*lossless.Object{}
	for k, v := range inner.Get("history").Get("messages").Fields() {
		if v.Kind() != jsonscan.Object {
			w.b.Unknown("message_is_no_object")
			continue
		}
		key := k.Str()
		o := w.b.Value(path, key, v)
		keyed[key] = o
		w.add(o, key)
	}
	for key, o := range keyed {
		w.byKey[key] = o
	}
	w.link()
	if prefix != "" || inner.Get("messages").Kind() == jsonscan.Array {
		w.b.Twin(prefix+"/messages", func(v jsonscan.Node) *lossless.Object { return w.single[v.Get("id").Str()] })
	}
}

// list adds the messages of an array.
func (w *walk) list(path string, messages jsonscan.Node) {
	i := 0
	for v := range messages.Items() {
		if v.Kind() == jsonscan.Object {
			w.add(w.b.Item(path, i, v), "")
		} else {
			w.b.Unknown("message_is_no_object")
		}
		i++
	}
	w.link()
}

// add makes the messages of an object. key is its name where it has no id.
func (w *walk) add(o *lossless.Object, key string) {
	n := o.Node()
	id := n.Get("id").Str()
	if id == "" {
		id = key
	}
	w.make(o, id, n.Get("timestamp"), n.Get("model"))
}

// make makes the messages of an object with its id, time and model.
func (w *walk) make(o *lossless.Object, id string, time, model jsonscan.Node) {
	n := o.Node()
	if w.single == nil {
		w.single = map[string]*lossless.Object{}
	}
	if _, twice := w.single[id]; twice {
		w.single[id], w.byKey[id] = nil, nil
	} else {
		w.single[id], w.byKey[id] = o, o
	}
	w.order = append(w.order, o)
	role := w.b.Role(strings.ToLower(n.Get("role").Str()))
	if escapedSurrogates.MatchString(n.Get("content").Str()) {
		w.b.Anomalies["escaped_surrogates"]++
	}
	m := &Maker{Object: o, Node: n, Role: role, ID: id, b: w.b, files: w.files, time: time, model: model}
	w.d.Content(m)
	m.end()
}

// escapedSurrogates are characters that were escaped twice on their way into a database. They stay
// as they are: who wrote about escapes meant them.
var escapedSurrogates = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// link reads the parents.
func (w *walk) link() {
	for _, o := range w.order {
		p := o.Node().Get("parentId")
		if !p.Exists() && w.chat != "" {
			p = o.Node().Get("parent_id")
		}
		switch {
		case p.IsNull() || p.Is(""):
			o.Root()
		case p.Kind() == jsonscan.String:
			o.Parent(w.byKey[w.bare(p.Str())])
		case p.Exists():
			w.b.Unknown("unreadable_parent")
			o.Root()
		}
	}
}

// name gives the conversation its id. See the package of each dialect for why the rules are frozen.
func (w *walk) name(single bool, inner jsonscan.Node) {
	id := w.b.Root().Get("id").Str()
	if id == "" && single {
		if key := w.firstRoot(); key != "" {
			w.b.DerivedID(w.d.Space, FirstMessage+key)
			return
		}
	}
	w.b.IDIn(w.d.Space, id)
}

// FirstMessage starts the key of a conversation that is named by the id of its first message,
// because a chat without a row around it has no id of its own.
const FirstMessage = "first message\x00"

// firstRoot is the id of the oldest message without a parent: it stays when the chat grows or its
// first question is edited.
func (w *walk) firstRoot() string {
	var id string
	var oldest normalize.Instant
	for _, o := range w.order {
		n := o.Node()
		if p := n.Get("parentId"); p.Kind() == jsonscan.String && w.byKey[p.Str()] != nil || n.Get("id").Str() == "" {
			continue
		}
		t, _ := lossless.ReadTime(n.Get("timestamp"))
		own := n.Get("id").Str()
		if c := t.Compare(oldest); id == "" || c < 0 || c == 0 && own < id {
			id, oldest = own, t
		}
	}
	return id
}
