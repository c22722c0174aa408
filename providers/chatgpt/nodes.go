package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// node is one entry of the mapping.
type node struct {
	key      string
	value    jsonscan.Node
	message  jsonscan.Node // zero for a structural entry
	id       jsonscan.Node
	parent   jsonscan.Node
	children jsonscan.Node
	has      message
	role     string
	origin   string // the source's role, "" when there is none
	unlisted bool   // the parent has a list of children without this one
	rich     bool   // the message has keys that the slim form lacks
	shape    shape
}

// message has the fields of a message that the importer knows, looked up once.
type message struct {
	id, author, role, created, updated, content, metadata, recipient jsonscan.Node
}

// nameOf is the text of a key without a copy, where it has no escapes.
func nameOf(k jsonscan.Node) []byte {
	if k.Flags()&jsonscan.Escaped != 0 {
		return []byte(k.Str())
	}
	raw := k.Raw()
	return raw[1 : len(raw)-1]
}

// readNodes reads the mapping and links it.
func (d *decoder) readNodes(mapping jsonscan.Node) *normalize.Graph {
	d.nodes, d.graph = d.nodes[:0], d.graph[:0]
	if d.index == nil {
		d.index = map[string]int32{}
	} else {
		clear(d.index)
	}
	for k, v := range mapping.Fields() {
		n := node{key: k.Str(), value: v}
		for key, value := range v.Fields() {
			switch string(nameOf(key)) {
			case "message":
				n.message = value
			case "id":
				n.id = value
			case "parent":
				n.parent = value
			case "children":
				n.children = value
			}
		}
		// A message needs a name and must not be a second one of its name.
		if n.message.Kind() != jsonscan.Object || n.key == "" || normalize.IsRenamed(n.key) {
			n.message = jsonscan.Node{}
		} else {
			n.read()
			d.readRole(&n)
			n.shape = n.shapeOf()
		}
		d.index[n.key] = int32(len(d.nodes))
		d.nodes = append(d.nodes, n)
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		g := normalize.GraphNode{Parent: d.parentOf(n), Emit: n.message.Exists()}
		if n.children.Kind() == jsonscan.Array {
			for c := range n.children.Items() {
				if at, ok := d.find(c); ok {
					g.Children = append(g.Children, at)
				} else {
					d.anomalies["dangling_child"]++
				}
			}
		}
		d.graph = append(d.graph, g)
	}
	graph := normalize.Link(d.graph)
	for code, n := range graph.Repairs {
		d.anomalies[code] += n
	}
	d.markUnlisted(graph)
	return graph
}

// read looks the message's fields up.
func (n *node) read() {
	for k, v := range n.message.Fields() {
		switch string(nameOf(k)) {
		case "id":
			n.has.id = v
		case "author":
			n.has.author = v
			n.has.role = v.Get("role")
		case "create_time":
			n.has.created = v
		case "update_time":
			n.has.updated = v
		case "content":
			n.has.content = v
		case "metadata":
			n.has.metadata = v
		case "recipient":
			n.has.recipient, n.rich = v, true
		case "status", "weight", "end_turn":
			n.rich = true
		}
	}
}

func (d *decoder) readRole(n *node) {
	role := n.has.role
	if role.Kind() != jsonscan.String {
		n.role = normalize.RoleSystem
		d.anomalies["no_role"]++
		return
	}
	if r, ok := normalize.KnownRole(nameOf(role)); ok {
		n.role, n.origin = r, r
		if string(nameOf(role)) != r {
			n.origin = role.Str()
		}
		return
	}
	n.role, n.origin = normalize.RoleSystem, role.Str()
	d.anomalies["unknown_role"]++
}

// find looks a node up by the string that names it.
func (d *decoder) find(ref jsonscan.Node) (int32, bool) {
	if ref.Kind() != jsonscan.String {
		return 0, false
	}
	if ref.Flags()&jsonscan.Escaped == 0 {
		raw := ref.Raw()
		at, ok := d.index[string(raw[1:len(raw)-1])]
		return at, ok
	}
	at, ok := d.index[ref.Str()]
	return at, ok
}

func (d *decoder) parentOf(n *node) int32 {
	switch n.parent.Kind() {
	case jsonscan.Invalid:
		return normalize.ParentAbsent
	case jsonscan.Null:
		return normalize.NoParent
	}
	if at, ok := d.find(n.parent); ok {
		return at
	}
	return normalize.OrphanParent
}

// markUnlisted finds the nodes whose parent has a list of children and does not name them.
func (d *decoder) markUnlisted(g *normalize.Graph) {
	for i := range d.nodes {
		p := g.Direct[i]
		d.nodes[i].unlisted = p >= 0 && d.nodes[p].children.Exists()
	}
	for i := range d.graph {
		for _, c := range d.graph[i].Children {
			if g.Direct[c] == int32(i) {
				d.nodes[c].unlisted = false
			}
		}
	}
}

// shapeOf tells which of the usual keys an entry and its message lack.
func (n *node) shapeOf() (s shape) {
	if !n.id.Exists() {
		s |= noNodeID
	}
	if !n.parent.Exists() {
		s |= noParent
	}
	if !n.children.Exists() {
		s |= noChildren
	}
	if !n.has.id.Exists() {
		s |= noMessageID
	}
	if !n.has.content.Exists() {
		s |= noContent
	}
	if !n.has.author.Exists() {
		s |= noAuthor
	} else if !n.has.role.Exists() {
		s |= noRole
	}
	return s
}
