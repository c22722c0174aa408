package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// message makes the document's message of node i. usual is the shape that goes without saying.
func (d *decoder) message(g *normalize.Graph, i int32, usual shape, feedback map[string][]byte) pamio.Message {
	n := &d.nodes[i]
	m := pamio.Message{ID: n.key, Role: n.role}
	if p := g.Parent[i]; p >= 0 {
		m.ParentID = d.nodes[p].key
	}
	g.Children(i, func(c int32) bool {
		m.ChildrenIDs = append(m.ChildrenIDs, d.nodes[c].key)
		return true
	})
	at := d.times[i]
	m.CreatedAt = at.t.String()

	r := object{buf: d.raw}
	start := len(r.buf)
	r.open()
	var shadowed []jsonscan.Node // keys and values in turn
	for k, v := range n.message.Fields() {
		switch name := nameOf(k); string(name) {
		case "id":
			d.messageID(&m, n, v, &r)
		case "author":
			d.author(n, &r)
		case "create_time":
			if at.from == "" && exactTime(v, at.t) {
				d.loss.Mapped++
			} else {
				r.verbatim(k, v, &d.loss)
			}
		case "content", "metadata":
		default:
			if messageKeys[string(name)] {
				shadowed = append(shadowed, k, v)
			} else {
				r.verbatim(k, v, &d.loss)
			}
		}
	}
	if n.message.Len() == 0 {
		d.loss.Mapped++ // the empty object itself
	}
	d.content(&m, n, &r)
	d.metadata(&m, n, &r)
	r.shadow(shadowed, &d.loss)
	d.beside(g, i, &m, &r)
	if n.shape != usual {
		r.key(keyAbsent)
		r.buf = n.shape.append(r.buf, messageShape)
	}
	if at.from != "" {
		r.text(keyTimeFrom, at.from)
		if at.from == fromAncestor || at.from == fromDescendant {
			r.text(keyInherited, m.CreatedAt)
		}
	}
	if n.unlisted {
		r.key(keyUnlisted)
		r.buf = append(r.buf, "true"...)
	}
	if len(m.ToolCalls) > 0 {
		d.toolResults(g, i, &r)
	}
	if f, ok := feedback[n.key]; ok {
		r.key(keyFeedback)
		r.buf = append(r.buf, f...)
	}
	m.RawMetadata = r.close(start)
	d.raw = r.buf
	return m
}

// messageID keeps the message's own id: it goes without saying when it is the node's key.
func (d *decoder) messageID(m *pamio.Message, n *node, id jsonscan.Node, r *object) {
	switch {
	case id.Is(n.key):
		d.loss.Mapped++
	case id.Kind() == jsonscan.String && !id.Is(""):
		m.ProviderMessageID = id.Str()
		d.loss.Mapped++
		d.anomalies["message_id_differs"]++
	default:
		r.put("id", id, &d.loss)
	}
}

// author keeps what is not the role. An author that is only a role leaves nothing.
func (d *decoder) author(n *node, r *object) {
	author, role := n.has.author, n.has.role
	if role.Kind() != jsonscan.String {
		if author.Kind() == jsonscan.Object && author.Len() == 0 {
			d.loss.Mapped++
			return
		}
		r.put("author", author, &d.loss)
		return
	}
	d.loss.Mapped++
	if author.Len() > 1 {
		d.taken.Reset()
		d.taken.Take(role)
		r.key("author")
		r.buf = d.taken.AppendResidual(r.buf, author, &d.loss.Raw)
	}
	if n.origin != n.role {
		r.text(keyRole, n.origin)
	}
}

// beside keeps what the mapping entry has next to its message: id, parent and children where the
// document says something else, and unknown keys.
func (d *decoder) beside(g *normalize.Graph, i int32, m *pamio.Message, r *object) {
	n := &d.nodes[i]
	opened := false
	put := func(k, v jsonscan.Node) {
		if !opened {
			r.key(keyNode)
			r.open()
			opened = true
		}
		r.verbatim(k, v, &d.loss)
	}
	for k, v := range n.value.Fields() {
		switch string(nameOf(k)) {
		case "message":
		case "id":
			if v.Is(n.key) {
				d.loss.Mapped++
			} else {
				d.anomalies["node_id_differs"]++
				put(k, v)
			}
		case "parent":
			if v.IsNull() && m.ParentID == "" || m.ParentID != "" && v.Is(m.ParentID) {
				d.loss.Mapped++
			} else {
				put(k, v)
			}
		case "children":
			if d.sameChildren(g, i, v) {
				d.loss.Mapped += normalize.Leaves(v)
			} else {
				put(k, v)
			}
		default:
			put(k, v)
		}
	}
	if opened {
		r.buf = append(r.buf, '}')
		r.first = false
	}
}

// sameChildren tells whether the declared children are the document's, in order.
func (d *decoder) sameChildren(g *normalize.Graph, i int32, declared jsonscan.Node) bool {
	if declared.Kind() != jsonscan.Array {
		return false
	}
	d.want = d.want[:0]
	g.Children(i, func(c int32) bool { d.want = append(d.want, c); return true })
	k := 0
	for c := range declared.Items() {
		at, ok := d.find(c)
		if !ok || k == len(d.want) || d.want[k] != at {
			return false
		}
		k++
	}
	return k == len(d.want)
}
