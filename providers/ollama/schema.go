package ollama

import (
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/toolcall"
)

// schema divides the rows of a chat. Times stay as the app writes them, too: they come in several
// forms.
var schema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/id", Slot: lossless.ConversationID},
		{Path: "/title", Slot: lossless.Title},
		{Path: "/messages", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/id", Slot: lossless.ID, Form: lossless.Number},
		{Path: "/role", Slot: lossless.Role},
		{Path: "/model_name", Slot: lossless.Model, Form: lossless.StringOrNull},
		{Path: "/thinking", Slot: lossless.Text},
		{Path: "/content", Slot: lossless.Text},
		{Path: "/tool_calls/*/function_name", Slot: lossless.ToolName},
		{Path: "/tool_calls/*/function_arguments", Slot: lossless.ToolInput, Form: toolcall.Text},
		{Path: "/tool_calls/*/function_result", Slot: lossless.ToolOutput},
		{Path: "/attachments/*/filename", Slot: lossless.AttachName},
	},
	Fields: []string{"created_at", "browser_state"},
	MessageFields: []string{
		"chat_id", "stream", "model_cloud", "model_ollama_host", "created_at", "updated_at", "thinking_time_start", "thinking_time_end",
		"tool_result", "tool_calls", "attachments",
	},
}
