package openwebui

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/openwebui/chat"
)

// splitDetails gives an element in which the contents with markup are cut into blocks, nil when
// there are none. Messages with output have the same there already.
func splitDetails(root jsonscan.Node) []byte {
	raw := root.Raw()
	if !bytes.Contains(raw, []byte("details type=")) || bytes.Contains(raw, []byte(keyBlocks)) {
		return nil
	}
	var patches []normalize.Patch
	eachMessage(root, func(path string, m jsonscan.Node) {
		c := m.Get("content")
		role, _ := normalize.Role(strings.ToLower(m.Get("role").Str()))
		if c.Kind() != jsonscan.String || role != normalize.RoleAssistant || m.Get("output").Len() > 0 {
			return
		}
		blocks, ok := cutContent(c.Str())
		if !ok {
			return
		}
		text := []byte(`{"` + keyBlocks + `":[`)
		for i, b := range blocks {
			if i > 0 {
				text = append(text, ',')
			}
			text = b.append(text)
		}
		text = append(text, "]}"...)
		if whole, err := jsonscan.Parse(text, 0); err != nil || together(whole.Root().Get(keyBlocks)) != c.Str() {
			return
		}
		patches = append(patches, normalize.Patch{Path: path + "/content", Value: text})
	})
	if len(patches) == 0 {
		return nil
	}
	return normalize.AppendOverlay(nil, root, patches)
}

// joinDetails is the inverse of splitDetails.
func joinDetails(dst []byte, root jsonscan.Node) []byte {
	var patches []normalize.Patch
	eachMessage(root, func(path string, m jsonscan.Node) {
		if list := m.Get("content").Get(keyBlocks); list.Kind() == jsonscan.Array {
			patches = append(patches, normalize.Patch{Path: path + "/content", Value: pamio.AppendString(nil, together(list))})
		}
	})
	return normalize.AppendOverlay(dst, root, patches)
}

// together is the content that blocks were cut from.
func together(list jsonscan.Node) string {
	var out strings.Builder
	for b := range list.Items() {
		out.WriteString(markup(b))
	}
	return out.String()
}

// eachMessage visits the messages that an element is read from, wherever they are.
func eachMessage(root jsonscan.Node, visit func(path string, m jsonscan.Node)) {
	list := func(path string, n jsonscan.Node) {
		if n.Kind() != jsonscan.Array {
			return
		}
		i := 0
		for m := range n.Items() {
			visit(path+"/"+strconv.Itoa(i), m)
			i++
		}
	}
	if rows := root.Get(tableMessages); rows.Kind() == jsonscan.Array {
		list("/"+tableMessages, rows)
		return
	}
	prefix, inner := "", root
	if c := root.Get("chat"); c.Kind() == jsonscan.Object {
		prefix, inner = "/chat", c
	}
	if tree := inner.Get("history").Get("messages"); tree.Kind() == jsonscan.Object {
		for k, m := range tree.Fields() {
			visit(prefix+"/history/messages/"+normalize.EscapePointer(k.Str()), m)
		}
	}
	list(prefix+"/messages", inner.Get("messages"))
}

// blocks makes the messages of a content that was cut.
func blocks(m *chat.Maker, list jsonscan.Node) {
	for b := range list.Items() {
		switch b.Get("type").Str() {
		case "call":
			if c, ok := callOf(b); ok {
				m.Call(c)
			}
		case "thought":
			m.Thought(b.Get("thought").Str())
		default:
			m.Answer(b.Get("text").Str())
		}
	}
}
