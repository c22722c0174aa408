package claude

import (
	"slices"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The names of the generations, as provider.export_format_version has them.
const (
	format2024    = "2024"
	format2025    = "2025-06"
	formatSummary = "2025-07"
	formatLinked  = "2026"
	formatBrowser = "browser"
	formatDesign  = "2026-design"
)

// schemaOf is the schema of a generation.
func schemaOf(format string) *lossless.Schema {
	switch format {
	case formatDesign:
		return designSchema
	case formatLinked, formatBrowser:
		return linkedSchema
	}
	return chatSchema
}

// chatSchema is one conversation whose messages name no parents, and linkedSchema one whose
// messages do.
var (
	chatSchema   = conversationSchema()
	linkedSchema = conversationSchema(lossless.Rule{Path: "/parent_message_uuid", Slot: lossless.Parent})
)

func conversationSchema(links ...lossless.Rule) *lossless.Schema {
	return &lossless.Schema{
		Conversation: conversations.Conversation, Message: slices.Concat(links, conversations.Message),
		Fields: conversations.Fields, MessageFields: conversations.MessageFields,
	}
}

// conversations is what all generations but those about a canvas have in common.
var conversations = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/uuid", Slot: lossless.ConversationID},
		{Path: "/name", Slot: lossless.Title},
		{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISOMicros},
		{Path: "/updated_at", Slot: lossless.Updated, Form: lossless.ISOMicros},
		{Path: "/account/uuid", Slot: lossless.Account},
		{Path: "/model", Slot: lossless.Model},
		{Path: "/chat_messages", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/uuid", Slot: lossless.ID},
		{Path: "/sender", Slot: lossless.Role, Form: senders},
		{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISOMicros},
		// Hardly a message was changed after it was made, so that this time is the same.
		{Path: "/updated_at", Slot: lossless.Created, Form: lossless.ISOMicros},
		{Path: "/text", Slot: lossless.Joined},

		{Path: "/content/[type=thinking]/thinking", Slot: lossless.Text},
		{Path: "/content/[type!=thinking|redacted_thinking|tool_use|tool_result|token_budget]/text", Slot: lossless.Text},
		{Path: "/content/[type=voice_note]/transcript", Slot: lossless.Text},
		{Path: "/content/[type=tool_result]/content", Slot: lossless.Text},
		{Path: "/content/[type=tool_result]/content/[type!=image|image_gallery|local_resource]/text", Slot: lossless.Text},

		{Path: "/content/[type=tool_use]/id", Slot: lossless.ToolID},
		{Path: "/content/[type=tool_use]/name", Slot: lossless.ToolName},
		{Path: "/content/[type=tool_use]/input", Slot: lossless.ToolInput, Form: toolInput},

		{Path: "/content/*/citations/[details=]/url", Slot: lossless.CiteURL},
		{Path: "/content/*/citations/[details=]/title", Slot: lossless.CiteTitle},
		{Path: "/content/*/citations/[details!=]/details/url", Slot: lossless.CiteURL},
		{Path: "/content/[type=tool_result]/content/[type=knowledge]/url", Slot: lossless.CiteURL},
		{Path: "/content/[type=tool_result]/content/[type=knowledge]/title", Slot: lossless.CiteTitle},

		// The results of tools come before the answer, which has the message's own files.
		{Path: "/content/[type=tool_result]/content/[type=local_resource]/name", Slot: lossless.AttachName},
		{Path: "/content/[type=tool_result]/content/[type=local_resource]/uuid", Slot: lossless.AttachID},
		{Path: "/content/[type=tool_result]/content/[type=local_resource]/mime_type", Slot: lossless.AttachMime},
		{Path: "/attachments/*/file_name", Slot: lossless.AttachName, Rank: 1},
		{Path: "/attachments/*/file_size", Slot: lossless.AttachSize, Rank: 1},
		{Path: "/attachments/*/file_type", Slot: lossless.AttachMime, Rank: 1},
		{Path: "/files/*/file_name", Slot: lossless.AttachName, Rank: 2},
		{Path: "/files/*/file_uuid", Slot: lossless.AttachID, Rank: 2},
	},
	Fields: []string{
		"summary", "account", "settings", "is_starred", "current_leaf_message_uuid", "project_uuid", "project", "platform", "is_temporary",
	},
	MessageFields: []string{
		"content", "parent_message_uuid", "attachments", "files", "files_v2", "sync_sources", "index", "truncated", "stop_reason", "input_mode",
		"compaction_summary", "feedback", "chat_feedback", "effective_thinking_mode",
	},
}

// designSchema is one conversation about a canvas.
var designSchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/uuid", Slot: lossless.ConversationID},
		{Path: "/title", Slot: lossless.Title},
		{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/updated_at", Slot: lossless.Updated, Form: lossless.ISO},
		{Path: "/messages", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/uuid", Slot: lossless.ID},
		{Path: "/role", Slot: lossless.Role, Form: lossless.Roles("user", "user", "assistant", "assistant")},
		{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/content/content", Slot: lossless.Joined},
		{Path: "/content", Slot: lossless.Text},
		{Path: "/content/contentBlocks/[type=thinking]/thinking", Slot: lossless.Text},
		{Path: "/content/contentBlocks/[type=error]/message", Slot: lossless.Text},
		{Path: "/content/contentBlocks/[type=user_interjection]/message", Slot: lossless.Text},
		{Path: "/content/contentBlocks/[type!=thinking|tool_call|error|user_interjection]/text", Slot: lossless.Text},
		{Path: "/content/contentBlocks/[type=tool_call]/toolCall/id", Slot: lossless.ToolID},
		{Path: "/content/contentBlocks/[type=tool_call]/toolCall/name", Slot: lossless.ToolName},
		{Path: "/content/contentBlocks/[type=tool_call]/toolCall/input", Slot: lossless.ToolInput, Form: toolInput},
		{Path: "/content/contentBlocks/[type=tool_call]/toolCall/output", Slot: lossless.ToolOutput},
		{Path: "/content/attachments/*/name", Slot: lossless.AttachName},
		{Path: "/content/attachments/*/id", Slot: lossless.AttachID},
	},
	Fields:        []string{"project"},
	MessageFields: []string{},
}

var senders = lossless.Roles("user", "human", "assistant", "assistant")

// toolInput is the input of a tool: an object or a text. What is neither, a list or a number,
// stands in the document as its own JSON text.
var toolInput = lossless.Form{
	Write: func(dst []byte, value string) ([]byte, bool) {
		d, err := jsonscan.Parse([]byte(value), 0)
		if err != nil {
			return dst, false
		}
		if text := d.Root(); text.Kind() == jsonscan.String {
			if inner, err := jsonscan.Parse([]byte(text.Str()), 0); err == nil && asText(inner.Root()) {
				return append(dst, text.Str()...), true
			}
		}
		return append(dst, value...), true
	},
}

// asText tells whether an input is one that the document has as text.
func asText(n jsonscan.Node) bool {
	return n.Kind() == jsonscan.Array || n.Kind() == jsonscan.Number || n.Kind() == jsonscan.Bool
}

// inputOf is the input of a tool for the document, nil for none.
func inputOf(n jsonscan.Node) pamio.RawJSON {
	switch {
	case n.Kind() == jsonscan.Object || n.Kind() == jsonscan.String:
		return n.AppendCompact(nil)
	case asText(n):
		return pamio.AppendString(nil, string(n.AppendCompact(nil)))
	}
	return nil
}
