package claude

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// blockKinds are the blocks of a message by type. Others are said: they are kept whole, shown as
// far as they have a text, and counted.
var blockKinds = map[string]kind{
	"text": said, "tool_use": said, "voice_note": said,
	"thinking": thought, "redacted_thinking": thought,
	"tool_result":  result,
	"token_budget": aside,
}

func (c *chat) kindOf(block jsonscan.Node) kind {
	if block.Kind() != jsonscan.Object {
		c.b.Unknown("block_not_an_object")
		return aside
	}
	k, known := blockKinds[block.Get("type").Str()]
	if !known {
		c.b.Unknown("unknown_block_type")
		return said
	}
	return k
}

// blockText is the text of a block of any type but a result's, as a value that may be absent.
func blockText(block jsonscan.Node) jsonscan.Node {
	keys := []string{"text", "transcript"}
	switch block.Get("type").Str() {
	case "thinking":
		keys = []string{"thinking", "text"}
	case "tool_use", "redacted_thinking":
		return jsonscan.Node{}
	}
	for _, key := range keys {
		if v := block.Get(key); v.Kind() == jsonscan.String {
			return v
		}
	}
	return jsonscan.Node{}
}

// fill puts the blocks of a segment into its message.
func (c *chat) fill(m *lossless.Message, s segment) {
	m.Time = c.b.Time(s.blocks[0].Get("start_timestamp"))
	for _, block := range s.blocks {
		switch {
		case s.kind == result:
			c.result(m, block)
			continue
		case block.Get("type").Is("tool_use"):
			c.calls.use(m, block)
		default:
			if t := blockText(block); t.Exists() {
				m.Text(t.Str())
			}
		}
		for cite := range block.Get("citations").Items() {
			url := cite.Get("url")
			if d := cite.Get("details"); d.Exists() {
				url = d.Get("url")
			}
			c.cite(m, url, cite.Get("title"))
		}
	}
}

// result reads what a tool gave back: a text, or a list of texts, pages and files.
func (c *chat) result(m *lossless.Message, block jsonscan.Node) {
	content := block.Get("content")
	var texts []string
	say := func(n jsonscan.Node) {
		if n.Kind() == jsonscan.String {
			m.Text(n.Str())
			texts = append(texts, n.Str())
		}
	}
	say(content)
	for item := range content.Items() {
		switch item.Get("type").Str() {
		case "image", "image_gallery":
		case "local_resource":
			m.Attachments = append(m.Attachments, pamio.Attachment{
				Type: importer.NamedType(item.Get("name").Str()), Name: item.Get("name").Str(), ProviderID: item.Get("uuid").Str(), MimeType: item.Get("mime_type").Str(),
			})
			c.missing()
		case "knowledge":
			c.cite(m, item.Get("url"), item.Get("title"))
			say(item.Get("text"))
		default:
			say(item.Get("text"))
		}
	}
	c.calls.result(m, block, strings.Join(texts, "\n"))
}

// cite adds a source that is a page of the web. Others, files for example, stay where they are.
func (c *chat) cite(m *lossless.Message, url, title jsonscan.Node) {
	address := url.Str()
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") || !pamio.IsAbsoluteURI(address) {
		return
	}
	m.Citations = append(m.Citations, pamio.Citation{URL: address, Title: title.Str()})
}
