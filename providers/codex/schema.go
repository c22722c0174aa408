package codex

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The generations, as provider.export_format_version names them.
const (
	genJSON     = "codex-json"
	genLines    = "codex-lines"
	genItems    = "codex-items"
	genEnvelope = "codex-envelope"
	genExec     = "codex-exec"
	genEvents   = "codex-events"
)

// schemaOf is the mapping of a generation.
func schemaOf(generation string) *lossless.Schema {
	switch generation {
	case genJSON:
		return objectSchema
	case genEnvelope:
		return envelopeSchema
	case genExec:
		return execSchema
	case genEvents:
		return eventSchema
	}
	return lineSchema
}

var (
	objectSchema = &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/session/id", Slot: lossless.ConversationID},
			{Path: "/session/timestamp", Slot: lossless.Created, Form: lossless.ISOMillis},
			{Path: "/items", Slot: lossless.MessageList},
		},
		Message: items(""),
		Fields:  []string{"session"},
	}
	lineSchema = &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
		Message:      items(""),
	}
	envelopeSchema = &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
		Message: append([]lossless.Rule{
			{Path: "/timestamp", Slot: lossless.Created, Form: lossless.ISOMillis},
			{Path: "/payload/message", Slot: lossless.Text, Rank: 4},
			{Path: "/payload/text", Slot: lossless.Text, Rank: 5},
		}, items("/payload")...),
		MessageFields: []string{"type", "ordinal"},
	}
	execSchema = &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
		Message: []lossless.Rule{
			{Path: "/item/text", Slot: lossless.Text},
			{Path: "/item/aggregated_output", Slot: lossless.Text},
			{Path: "/item/message", Slot: lossless.Text},
			{Path: "/item/error/message", Slot: lossless.Text},
			{Path: "/item/result/content/[type=text]/text", Slot: lossless.Text},
			{Path: "/error/message", Slot: lossless.Text, Rank: 1},
			{Path: "/message", Slot: lossless.Text, Rank: 1},

			{Path: "/item/id", Slot: lossless.ToolID},
			{Path: "/item/tool", Slot: lossless.ToolName},
			{Path: "/item/type", Slot: lossless.ToolName, Rank: 1},
			{Path: "/item/arguments", Slot: lossless.ToolInput},
			{Path: "/item/command", Slot: lossless.ToolInput, Rank: 1},
			{Path: "/item/query", Slot: lossless.ToolInput, Rank: 2},
		},
		MessageFields: []string{"type", "item", "error", "thread_id", "usage"},
	}
	eventSchema = &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
		Message: []lossless.Rule{
			{Path: "/prompt", Slot: lossless.Text},
			{Path: "/msg/message", Slot: lossless.Text, Rank: 1},
			{Path: "/msg/text", Slot: lossless.Text, Rank: 2},
		},
		MessageFields: []string{"id", "msg"},
	}
)

// items are the rules of an item below a path. Fields that most items do not have are walked last,
// so that nothing has to be noted about their absence.
func items(at string) []lossless.Rule {
	return []lossless.Rule{
		{Path: at + "/content/[type=input_text]/text", Slot: lossless.Text},
		{Path: at + "/content/[type=output_text]/text", Slot: lossless.Text},
		{Path: at + "/content/[type=text]/text", Slot: lossless.Text},
		{Path: at + "/content/[type=refusal]/refusal", Slot: lossless.Text},
		{Path: at + "/output/[type=input_text]/text", Slot: lossless.Text},
		{Path: at + "/summary/[type=summary_text]/text", Slot: lossless.Text},
		{Path: at + "/content/[type=reasoning_text]/text", Slot: lossless.Text, Rank: 1},
		{Path: at + "/output", Slot: lossless.Text, Rank: 2},
		{Path: at + "/output/content", Slot: lossless.Text, Rank: 2},
		{Path: at + "/content", Slot: lossless.Text, Rank: 3},

		{Path: at + "/call_id", Slot: lossless.ToolID},
		{Path: at + "/name", Slot: lossless.ToolName},
		{Path: at + "/arguments", Slot: lossless.ToolInput, Form: argumentsForm},
		{Path: at + "/input", Slot: lossless.ToolInput, Rank: 1},
		{Path: at + "/action", Slot: lossless.ToolInput, Rank: 2},
	}
}

// argumentsForm writes the input of a call as the text of its JSON, which is how models give it.
var argumentsForm = lossless.Form{Write: func(dst []byte, v string) ([]byte, bool) {
	if len(v) > 0 && v[0] == '"' {
		return append(dst, v...), true
	}
	return pamio.AppendString(dst, v), true
}}

// input is the value of a call for its arguments: the object that the text is, where the same text
// can be written again, else the text.
func input(arguments jsonscan.Node) pamio.RawJSON {
	switch arguments.Kind() {
	case jsonscan.Object:
		return arguments.AppendCompact(nil)
	case jsonscan.String:
		text := arguments.Str()
		if d, err := jsonscan.Parse([]byte(text), maxInputDepth); err == nil && d.Root().Kind() == jsonscan.Object && !d.Root().Odd() {
			if compact := d.Root().AppendCompact(nil); string(compact) == text {
				return compact
			}
		}
		return pamio.AppendString(nil, text)
	}
	return nil
}

// maxInputDepth bounds the nesting of a text that is read as an object.
const maxInputDepth = 64
