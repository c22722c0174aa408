package jan

import (
	"slices"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// Forms of the messages: by the name of the field that has their time.
const (
	formatCreated   = "created"    // older: milliseconds
	formatCreatedAt = "created_at" // newer: seconds, later milliseconds
)

var schemas = lossless.Schemas{
	formatCreated:   newSchema("/created"),
	formatCreatedAt: newSchema("/created_at"),
}

func newSchema(created string) *lossless.Schema {
	return &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/thread/id", Slot: lossless.ConversationID},
			{Path: "/thread/title", Slot: lossless.Title},
			{Path: "/thread/created", Slot: lossless.Created, Form: localapp.SecondsOrMillis},
			{Path: "/thread/updated", Slot: lossless.Updated, Form: localapp.SecondsOrMillis},
			{Path: "/thread/assistants/*/model/id", Slot: lossless.Model},
			{Path: "/thread/assistants/*/instructions", Slot: lossless.System},
			{Path: "/messages", Slot: lossless.MessageList},
		},
		Message: []lossless.Rule{
			{Path: "/id", Slot: lossless.ID},
			{Path: "/role", Slot: lossless.Role},
			{Path: created, Slot: lossless.Created, Form: localapp.SecondsOrMillis},
			{Path: "/model", Slot: lossless.Model},
			{Path: "/content", Slot: lossless.Text},
			{Path: "/content/[type=text]/text/value", Slot: lossless.Text},
			{Path: "/content/[type=reasoning]/text/value", Slot: lossless.Text},
			{Path: "/content/[type=tool_call]/tool_call_id", Slot: lossless.ToolID},
			{Path: "/content/[type=tool_call]/tool_name", Slot: lossless.ToolName},
			{Path: "/content/[type=tool_call]/input", Slot: lossless.ToolInput},
			{Path: "/content/[type=tool_call]/output", Slot: lossless.ToolOutput, Form: textOrJSON},
			{Path: "/attachments/*/file_id", Slot: lossless.AttachID},
		},
		Fields: []string{"thread", "messages"},
		MessageFields: []string{
			"object", "type", "thread_id", "assistant_id", "status", "created", "created_at", "completed_at", "updated", "metadata", "attachments",
			"error_code", "content", "tool_call_id",
		},
	}
}

// textOrJSON is the output of a tool: a string, or an object or list whose compact text is the
// value.
var textOrJSON = lossless.Form{
	Write: func(dst []byte, v string) ([]byte, bool) {
		if d, err := jsonscan.Parse([]byte(v), 0); err == nil && structured(d.Root()) && !d.Root().Odd() {
			return append(dst, v...), true
		}
		return pamio.AppendString(dst, v), true
	},
	Read: outputText,
}

func structured(n jsonscan.Node) bool {
	return slices.Contains([]jsonscan.Kind{jsonscan.Object, jsonscan.Array}, n.Kind())
}

// outputText gives the output of a tool as text.
func outputText(n jsonscan.Node) (string, bool) {
	if structured(n) {
		return string(n.AppendCompact(nil)), true
	}
	return n.Str(), n.Kind() == jsonscan.String
}
