package librechat

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// said gives the text of a part, which is a string or an object with one.
func said(n jsonscan.Node) (string, bool) {
	if n.Kind() == jsonscan.Object {
		n = n.Get("value")
	}
	return n.Str(), n.Kind() == jsonscan.String
}

// hasText tells whether the parts of a message say anything that its text repeats.
func hasText(content jsonscan.Node) bool {
	for c := range content.Items() {
		if text, ok := said(c.Get("text")); ok && text != "" && c.Get("type").Is("text") {
			return true
		}
	}
	return false
}

// content reads one part of a message.
func content(b *lossless.Builder, turn *localapp.Turn, c jsonscan.Node) {
	switch c.Get("type").Str() {
	case "text":
		to := turn.Say()
		if text, ok := said(c.Get("text")); ok {
			to.Text(text)
		}
	case "think":
		to := turn.Think()
		if text, ok := said(c.Get("think")); ok {
			to.Text(text)
		}
	case "tool_call":
		t := c.Get("tool_call")
		call := pamio.ToolCall{ID: t.Get("id").Str(), Name: t.Get("name").Str()}
		if call.Name == "" {
			turn.Say()
			b.Unknown("unknown_content")
			return
		}
		if in := t.Get("args"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
			call.Input = in.AppendCompact(nil)
		}
		if out := t.Get("output"); out.Kind() == jsonscan.String {
			text := out.Str()
			call.Output = &text
		}
		to := turn.Say()
		to.ToolCalls = append(to.ToolCalls, call)
	case "error", "agent_update": // nothing that was said; it stays in raw_metadata
		turn.Say()
	default:
		turn.Say()
		b.Unknown("unknown_content")
	}
}

// attachment is a file of a message. The export has no files in it.
func attachment(b *lossless.Builder, f jsonscan.Node) pamio.Attachment {
	a := pamio.Attachment{Type: "file", Name: f.Get("filename").Str(), MimeType: f.Get("type").Str(), ProviderID: f.Get("file_id").Str()}
	kind, _, _ := strings.Cut(a.MimeType, "/")
	switch kind {
	case "image", "audio", "video":
		a.Type = kind
	case "application", "text":
		a.Type = "document"
	}
	a.SizeBytes = importer.Count(f.Get("bytes"))
	b.Anomalies[importer.AnomalyAssetMissing]++
	return a
}
