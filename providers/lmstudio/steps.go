package lmstudio

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/localapp"
)

// quiet are the kinds of steps without anything that was said; they stay in raw_metadata.
var quiet = map[string]bool{"debugInfoBlock": true, "status": true, "citationBlock": true, "toolStatus": true}

// writer reads the content of one version.
type writer struct {
	d     *decoder
	turn  *localapp.Turn
	model string
}

// step reads one step of a version that was made in steps.
func (w *writer) step(s jsonscan.Node) {
	kind := s.Get("type").Str()
	switch {
	case kind == "contentBlock":
	case quiet[kind]:
		return
	default:
		w.d.b.Unknown("unknown_step")
		return
	}
	w.turn.Time = normalize.Epoch
	if m := stepTime.FindStringSubmatch(s.Get("stepIdentifier").Str()); m != nil {
		if t, ok := normalize.EpochInstant([]byte(m[1])); ok {
			w.turn.Time = t
			w.d.b.Seen(t)
		}
	}
	if model := s.Get("genInfo").Get("identifier").Str(); model != "" {
		w.model = model
	}
	thought := s.Get("style").Get("type").Is("thinking")
	for c := range s.Get("content").Items() {
		w.content(c, thought)
	}
	if s.Get("content").Len() == 0 {
		w.turn.Block(thought) // an empty block is still a turn
	}
}

// content reads one piece of a block.
func (w *writer) content(c jsonscan.Node, thought bool) {
	switch c.Get("type").Str() {
	case "text":
		m := w.turn.Block(thought)
		m.TextOf(c.Get("text"))
	case "file":
		m := w.turn.Block(thought)
		m.Attachments = append(m.Attachments, w.d.attachment(c))
	case "toolCallRequest":
		m := w.turn.Block(thought)
		call := pamio.ToolCall{ID: c.Get("toolCallRequestId").Str(), Name: c.Get("name").Str()}
		if call.Name == "" {
			w.d.b.Unknown("unknown_content")
			return
		}
		if in := c.Get("parameters"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
			call.Input = in.AppendCompact(nil)
		}
		m.ToolCalls = append(m.ToolCalls, call)
	case "toolCallResult":
		m := w.turn.Result()
		m.TextOf(c.Get("content"))
	default:
		w.turn.Block(thought)
		w.d.b.Unknown("unknown_content")
	}
}
