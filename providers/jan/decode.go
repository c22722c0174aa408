package jan

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeElement makes the document of one thread, or the record of one assistant.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	if u.Role == roleAssistant {
		return assistant(u, src.Root)
	}
	root := src.Root
	if root.Get("thread").Kind() != jsonscan.Object && root.Get("messages").Len() == 0 {
		return nil, lossless.Fail(u, "not_a_conversation", "there is neither a thread nor a message in the file")
	}
	format := formatOf(root)
	b := localapp.New(schemas[format], src, app, format)
	name(b)
	thread := root.Get("thread")
	b.Title(thread.Get("title"))
	b.Created, b.Updated = b.Time(thread.Get("created")), b.Time(thread.Get("updated"))
	for a := range thread.Get("assistants").Items() {
		if a.Kind() != jsonscan.Object || b.Doc.Model != "" || b.Doc.SystemInstruction != "" {
			continue // the first one speaks
		}
		b.Doc.SystemInstruction = a.Get("instructions").Str()
		if b.Doc.Model = a.Get("model").Str(); b.Doc.Model == "" {
			b.Doc.Model = a.Get("model").Get("id").Str()
		}
	}
	t, _ := u.Context.(*threads)
	if t == nil {
		t = &threads{}
	}
	b.AddItems("/messages", "unknown_message", func(_ int, o *lossless.Object) {
		m := o.Node()
		message(b, o, m, format, t.files)
	})
	return localapp.Finish(b, nil)
}

// formatOf tells the form of the messages.
func formatOf(root jsonscan.Node) string {
	for m := range root.Get("messages").Items() {
		switch {
		case m.Get("created_at").Exists():
			return formatCreatedAt
		case m.Get("created").Exists():
			return formatCreated
		}
	}
	return formatCreatedAt
}

func message(b *lossless.Builder, o *lossless.Object, m jsonscan.Node, format string, files localapp.Files) {
	role := b.Role(m.Get("role").Str())
	turn := localapp.NewTurn(o, role)
	turn.Time = b.Time(m.Get(format))
	if c := m.Get("content"); c.Kind() == jsonscan.String {
		turn.Say().Text(c.Str())
	}
	for c := range m.Get("content").Items() {
		content(b, turn, c, files)
	}
	for a := range m.Get("attachments").Items() {
		if id := a.Get("file_id").Str(); id != "" {
			said := turn.Say()
			said.Attachments = append(said.Attachments, pamio.Attachment{Type: "file", ProviderID: id, Ref: files.Ref(b, id)})
		}
	}
	answer, _ := turn.End(m.Get("id").Str())
	answer.Model = m.Get("model").Str()
}

// content reads one piece of a message.
func content(b *lossless.Builder, turn *localapp.Turn, c jsonscan.Node, files localapp.Files) {
	kind := c.Get("type").Str()
	switch kind {
	case "text", "reasoning":
		to := turn.Block(kind == "reasoning")
		to.TextOf(c.Get("text").Get("value"))
	case "image_url":
		a := pamio.Attachment{Type: "image"}
		if url := c.Get("image_url").Get("url").Str(); url != "" && !strings.HasPrefix(url, "data:") && !strings.Contains(url, "://") {
			a.Ref = files.Ref(b, url)
		}
		to := turn.Say()
		to.Attachments = append(to.Attachments, a)
	case "tool_call":
		call := pamio.ToolCall{ID: c.Get("tool_call_id").Str(), Name: c.Get("tool_name").Str()}
		if call.Name == "" {
			turn.Say()
			b.Unknown("unknown_content")
			return
		}
		if in := c.Get("input"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
			call.Input = in.AppendCompact(nil)
		}
		if out, ok := outputText(c.Get("output")); ok {
			call.Output = &out
		}
		to := turn.Say()
		to.ToolCalls = append(to.ToolCalls, call)
	default:
		turn.Say()
		b.Unknown("unknown_content")
	}
}

// assistant keeps an assistant that the person made or changed.
func assistant(u importer.Unit, root jsonscan.Node) ([]importer.Item, error) {
	if root.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_an_assistant", "the file is no JSON object")
	}
	r := &importer.Record{
		Kind: importer.RecordAssistant, Provider: localapp.Provider, ID: root.Get("id").Str(),
		Title: root.Get("name").Str(), Text: root.Get("instructions").Str(), Raw: root.AppendCompact(nil),
	}
	r.CreatedAt = lossless.TimeText(root.Get("created_at"))
	return []importer.Item{{Record: r}}, nil
}
