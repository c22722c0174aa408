package openwebui

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/openwebui/chat"
	"github.com/pamline/pamline/providers/toolcall"
)

// content makes the messages of an object. Newer servers keep what the model gave in output, and in
// content the same again as markup; older ones have the markup alone.
func content(m *chat.Maker) {
	c, out := m.Node.Get("content"), m.Node.Get("output")
	switch {
	case out.Kind() == jsonscan.Array && out.Len() > 0 && m.Role == normalize.RoleAssistant:
		outputs(m, out)
		if strings.Contains(c.Str(), detailsOpen) && !m.Answered() {
			m.Answer("") // the content has only what stands in output already
		}
	case c.Kind() == jsonscan.Object && c.Get(keyBlocks).Exists():
		blocks(m, c.Get(keyBlocks))
	case c.Kind() == jsonscan.Array:
		for part := range c.Items() {
			if t := part.Get("text"); t.Kind() == jsonscan.String && part.Get("type").Is("text") {
				m.Answer(t.Str())
			}
		}
	}
	cite(m)
}

// outputs reads the items that a model gave: what it thought, whom it called, what came back, what
// it said.
func outputs(m *chat.Maker, items jsonscan.Node) {
	for item := range items.Items() {
		switch item.Get("type").Str() {
		case "reasoning":
			if !texts(item.Get("content"), m.Thought) {
				texts(item.Get("summary"), m.Thought)
			}
		case "message":
			texts(item.Get("content"), m.Answer)
		case "function_call":
			name := item.Get("name").Str()
			if name == "" {
				m.Builder().Unknown("call_without_name")
				continue
			}
			m.Call(pamio.ToolCall{ID: item.Get("call_id").Str(), Name: name, Input: argument(item.Get("arguments"))})
		case "function_call_output":
			result, ok := joined(item.Get("output"))
			if ok && !m.Output(item.Get("call_id").Str(), result) {
				m.Result(result)
			}
		default:
			m.Builder().Unknown("unknown_output")
		}
	}
}

// texts gives the texts of a list of parts to add.
func texts(parts jsonscan.Node, add func(string)) bool {
	some := false
	for p := range parts.Items() {
		if t := p.Get("text"); t.Kind() == jsonscan.String {
			add(t.Str())
			some = true
		}
	}
	return some
}

// joined is what a tool gave back as one text.
func joined(n jsonscan.Node) (string, bool) {
	if n.Kind() == jsonscan.String {
		return n.Str(), true
	}
	var all []string
	if !texts(n, func(t string) { all = append(all, t) }) {
		return "", false
	}
	return strings.Join(all, "\n"), true
}

// argument is what a tool is called with.
func argument(n jsonscan.Node) pamio.RawJSON {
	switch n.Kind() {
	case jsonscan.Object:
		return n.AppendCompact(nil)
	case jsonscan.String:
		return toolcall.Argument(n.Str())
	}
	return nil
}

// cite reads the sources of an answer, and how many tokens it took.
func cite(m *chat.Maker) {
	n := m.Node
	for _, list := range []jsonscan.Node{n.Get("sources"), n.Get("citations")} {
		for s := range list.Items() {
			chat.Cite(m.Primary(), s.Get("source").Get("url").Str(), s.Get("source").Get("name").Str())
			for meta := range s.Get("metadata").Items() {
				title := meta.Get("title").Str()
				if title == "" {
					title = s.Get("source").Get("name").Str()
				}
				chat.Cite(m.Primary(), meta.Get("source").Str(), title)
			}
		}
	}
	for _, list := range []jsonscan.Node{n.Get("statusHistory"), n.Get("status_history")} {
		for s := range list.Items() {
			for item := range s.Get("items").Items() {
				chat.Cite(m.Primary(), item.Get("link").Str(), item.Get("title").Str())
			}
			for url := range s.Get("urls").Items() {
				chat.Cite(m.Primary(), url.Str(), "")
			}
		}
	}
	if t := importer.Count(n.Get("usage").Get("completion_tokens")); t != nil {
		m.Primary().TokenCount = t
	}
}
