package claude

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeDesign reads one conversation about a canvas.
func decodeDesign(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if !root.Get("messages").Exists() {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the element has no messages")
	}
	b := designSchema.New(src, provider)
	b.Doc.Provider.ExportFormatVersion = formatDesign
	b.Doc.Provider.AccountID = joinedOf(u).onlyAccount()
	b.Note("surface", "design")
	head(b, root, "title")
	d := &design{b: b, budget: outputBudget(u)}
	if k := root.Get("messages").Kind(); k != jsonscan.Array && k != jsonscan.Null {
		b.Unknown("messages_not_a_list")
	}
	i := 0
	for m := range root.Get("messages").Items() {
		if m.Kind() == jsonscan.Object {
			d.message(i, m)
		} else {
			b.Anomalies["message_not_an_object"]++
		}
		i++
	}
	return b.Items()
}

// design is a conversation about a canvas that is being read.
type design struct {
	b      *lossless.Builder
	budget int // of outputs that are repeated in another form, in bytes
}

func (d *design) message(i int, n jsonscan.Node) {
	o := d.b.Item("/messages", i, n)
	role, known := normalize.Role(n.Get("role").Str())
	if !known {
		d.b.Unknown("unknown_role")
	}
	content := n.Get("content")
	segments := cutSegments(content.Get("contentBlocks"), d.kindOf)
	main := addSegments(o, n.Get("uuid").Str(), role, segments, d.fill)
	date(o, main, d.b.Time(n.Get("created_at")))
	switch text := content.Get("content"); {
	case content.Kind() == jsonscan.String:
		main.Text(content.Str())
	case text.Kind() == jsonscan.String && len(segments) == 0:
		main.Text(text.Str())
	case sameText(o, text):
		o.JoinAll()
	}
	for a := range content.Get("attachments").Items() {
		if a.Kind() != jsonscan.Object {
			d.b.Unknown("attachment_not_an_object")
			continue
		}
		if a.Get("content").Kind() != jsonscan.String {
			d.b.Anomalies[importer.AnomalyAssetMissing]++
		}
		main.Attachments = append(main.Attachments, pamio.Attachment{
			Type: designFile(a), Name: a.Get("name").Str(), ProviderID: a.Get("id").Str(),
		})
	}
}

// designFile is the type of an attachment: files and skills and folders by name, texts and images
// as they say.
func designFile(a jsonscan.Node) string {
	switch {
	case a.Get("type").Is("image"):
		return "image"
	case a.Get("type").Is("text"):
		return "document"
	}
	return importer.NamedType(a.Get("name").Str())
}

// designKinds are the blocks of a message about a canvas by type.
var designKinds = map[string]kind{
	"text": said, "tool_call": said, "error": said, "thinking": thought, "user_interjection": heard,
}

func (d *design) kindOf(block jsonscan.Node) kind {
	k, known := designKinds[block.Get("type").Str()]
	if !known {
		d.b.Unknown("unknown_block_type")
		return said
	}
	return k
}

func (d *design) fill(m *lossless.Message, s segment) {
	for _, block := range s.blocks {
		text := block.Get("text")
		switch block.Get("type").Str() {
		case "thinking":
			if t := block.Get("thinking"); t.Exists() {
				text = t
			}
		case "error", "user_interjection":
			text = block.Get("message")
		case "tool_call":
			d.call(m, block.Get("toolCall"))
			continue
		}
		m.TextOf(text)
	}
}

// call adds the use of a tool with its output, which is a text; one that is not is repeated as its
// JSON text when it is short.
func (d *design) call(m *lossless.Message, n jsonscan.Node) {
	tool := pamio.ToolCall{ID: n.Get("id").Str(), Name: n.Get("name").Str(), Input: inputOf(n.Get("input"))}
	if tool.Name == "" {
		tool.Name = "unknown" // PAM needs a name
	}
	switch out := n.Get("output"); {
	case out.Kind() == jsonscan.String:
		text := out.Str()
		tool.Output = &text
	case out.Exists() && !out.IsNull() && len(out.Raw()) <= min(maxOutput, d.budget):
		text := string(out.AppendCompact(nil))
		d.budget -= len(text)
		tool.Output = &text
	}
	m.ToolCalls = append(m.ToolCalls, tool)
}
