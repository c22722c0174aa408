package zed

import "github.com/pamline/pamline/providers/lossless"

// The forms, as provider.export_format_version has them.
const (
	formatThread = "zed-thread"
	formatLegacy = "zed-thread-legacy"
)

func schemaOf(format string) *lossless.Schema {
	if format == formatLegacy {
		return legacySchema
	}
	return threadSchema
}

var conversationRules = []lossless.Rule{
	{Path: "/id", Slot: lossless.ConversationID},
	{Path: "/summary", Slot: lossless.Title},
	{Path: "/thread/title", Slot: lossless.Title},
	{Path: "/thread/summary", Slot: lossless.Title},
	{Path: "/thread/model/model", Slot: lossless.Model},
	{Path: "/thread/messages", Slot: lossless.MessageList},
}

var rowFields = []string{"updated_at", "created_at", "parent_id", "folder_paths", "folder_paths_order", "thread", "workspace_id"}

// threadSchema maps threads of version 0.3.0. The results of tools stand behind what was said.
var threadSchema = &lossless.Schema{
	Conversation: conversationRules,
	Message: []lossless.Rule{
		{Path: "/User/id", Slot: lossless.ID},
		{Path: "/User/content/*/Text", Slot: lossless.Text},
		{Path: "/Agent/content/*/Text", Slot: lossless.Text},
		{Path: "/Agent/content/*/Thinking/text", Slot: lossless.Text},
		{Path: "/Agent/tool_results/*/content/Text", Slot: lossless.Text, Rank: 1},
		{Path: "/Agent/tool_results/*/content/*/Text", Slot: lossless.Text, Rank: 1},
		{Path: "/Agent/tool_results/*/content", Slot: lossless.Text, Rank: 1},
		{Path: "/Agent/content/*/ToolUse/id", Slot: lossless.ToolID},
		{Path: "/Agent/content/*/ToolUse/name", Slot: lossless.ToolName},
		{Path: "/Agent/content/*/ToolUse/input", Slot: lossless.ToolInput},
	},
	Fields:        rowFields,
	MessageFields: []string{"User", "Agent"},
}

// legacySchema maps threads of older versions.
var legacySchema = &lossless.Schema{
	Conversation: conversationRules,
	Message: []lossless.Rule{
		{Path: "/role", Slot: lossless.Role, Form: lossless.Roles("user", "user", "assistant", "assistant", "system", "system")},
		{Path: "/segments/*/text", Slot: lossless.Text},
		{Path: "/tool_results/*/content", Slot: lossless.Text, Rank: 1},
		{Path: "/tool_results/*/content/Text", Slot: lossless.Text, Rank: 1},
		{Path: "/tool_uses/*/id", Slot: lossless.ToolID},
		{Path: "/tool_uses/*/name", Slot: lossless.ToolName},
		{Path: "/tool_uses/*/input", Slot: lossless.ToolInput},
	},
	Fields:        rowFields,
	MessageFields: []string{"id", "segments", "tool_uses", "tool_results", "context", "creases", "is_hidden"},
}
