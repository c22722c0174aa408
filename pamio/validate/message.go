package validate

import (
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// message checks one message for itself (PAM §25.3) and adds it to the graph of its conversation.
func (e *element) message(g *graph) {
	n := e.root
	id, ok := text(n.Get("id"))
	g.blind = g.blind || !ok || id == ""
	parent, _ := text(n.Get("parent_id"))
	var children []string
	for v := range n.Get("children_ids").Items() {
		s, _ := text(v)
		children = append(children, s)
	}
	e.emptyRef(n.Get("parent_id"), "/parent_id")
	created := e.time(n, "", "created_at")
	g.add(id, parent, children)
	g.chronology(e, created)
	e.body(n.Get("content"))
	i := 0
	for c := range n.Get("citations").Items() {
		e.uri(c.Get("url"), "/citations/"+strconv.Itoa(i)+"/url")
		i++
	}
}

// body checks that the type of a content and what it holds agree.
func (e *element) body(c jsonscan.Node) {
	if c.Kind() != jsonscan.Object {
		return
	}
	parts := c.Get("parts")
	filled := false
	for range parts.Items() {
		filled = true
		break
	}
	switch {
	case c.Get("type").Is("text"):
		if e.wrong(contentShape, !given(c.Get("text")) || filled) {
			e.find(contentShape, e.at("/content", c), "content of type text has its words in text and no parts; use type multipart for parts")
		}
	case c.Get("type").Is("multipart"):
		if e.wrong(contentShape, !filled || given(c.Get("text"))) {
			e.find(contentShape, e.at("/content", c), "content of type multipart has its words in parts and no text; use type text for a single text")
		}
	}
}
