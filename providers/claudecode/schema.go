package claudecode

import (
	"slices"

	"github.com/pamline/pamline/providers/lossless"
)

// roles are the roles as lines name them: results of tools and what the program injects stand in
// lines of the user.
var roles = lossless.Roles("user", "user", "assistant", "assistant", "tool", "user", "system", "user")

// schema says which value of a line is which field of the document.
var schema = &lossless.Schema{
	Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
	Message: []lossless.Rule{
		{Path: "/uuid", Slot: lossless.ID},
		{Path: "/parentUuid", Slot: lossless.Parent, Form: lossless.StringOrNull},
		{Path: "/timestamp", Slot: lossless.Created, Form: lossless.ISOMillis},
		{Path: "/type", Slot: lossless.Role, Form: roles},
		{Path: "/message/role", Slot: lossless.Role, Form: roles},
		{Path: "/message/model", Slot: lossless.Model},
		{Path: "/message/usage/output_tokens", Slot: lossless.Tokens},

		{Path: "/message/content", Slot: lossless.Text},
		{Path: "/message/content/[type=text]/text", Slot: lossless.Text},
		{Path: "/message/content/[type=thinking]/thinking", Slot: lossless.Text},
		{Path: "/message/content/[type=tool_result]/content", Slot: lossless.Text},
		{Path: "/message/content/[type=tool_result]/content/[type=text]/text", Slot: lossless.Text},

		{Path: "/content", Slot: lossless.Text, Rank: 1}, // of system lines; behind all others, for most lines have none

		{Path: "/message/content/[type=tool_use]/id", Slot: lossless.ToolID},
		{Path: "/message/content/[type=tool_use]/name", Slot: lossless.ToolName},
		{Path: "/message/content/[type=tool_use]/input", Slot: lossless.ToolInput},
		{Path: "/message/content/[type=server_tool_use]/id", Slot: lossless.ToolID},
		{Path: "/message/content/[type=server_tool_use]/name", Slot: lossless.ToolName},
		{Path: "/message/content/[type=server_tool_use]/input", Slot: lossless.ToolInput},

		{Path: "/message/content/[type=image]/source/media_type", Slot: lossless.AttachMime},
		{Path: "/message/content/[type=document]/source/media_type", Slot: lossless.AttachMime},
		{Path: "/message/content/[type=document]/title", Slot: lossless.AttachName},
		{Path: "/message/content/[type=tool_result]/content/[type=image]/source/media_type", Slot: lossless.AttachMime},
	},
	MessageFields: []string{
		"subtype", "level", "sessionId", "cwd", "gitBranch", "version", "isSidechain", "isMeta", "isCompactSummary",
		"isVisibleInTranscriptOnly", "isApiErrorMessage", "userType", "requestId", "toolUseID", "parentToolUseID", "toolUseResult",
		"sourceToolAssistantUUID", "sourceToolUseID", "logicalParentUuid", "agentId", "slug", "thinkingMetadata", "todos",
		"permissionMode", "entrypoint", "compactMetadata", "imagePasteIds", "error", "cause", "retryAttempt", "maxRetries",
		"retryInMs", "durationMs", "hookCount", "hookInfos", "hookErrors", "preventedContinuation", "stopReason", "hasOutput",
		"isReplay", "promptId", "teamName", "forkedFrom", "origin", "mcpMeta", "summarizeMetadata", "microcompactMetadata",
		"messageCount", "planContent", "url", "attachment", "data",
	},
}

// formatWrapped is the export_format_version of a session in an object.
const formatWrapped = sourceApp + "-loglines"

// wrappedSchema is the mapping of a session in an object.
var wrappedSchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/title", Slot: lossless.Title},
		{Path: "/" + keyLines, Slot: lossless.MessageList},
	},
	Message:       schema.Message,
	MessageFields: fieldsSince202612,
}

// fieldsSince202612 are the fields of a line with those of the stream that "claude -p" prints.
var fieldsSince202612 = append(slices.Clone(schema.MessageFields), "session_id", "parent_tool_use_id")

// logSchema is the mapping of a log: schema, with more fields known.
var logSchema = &lossless.Schema{Conversation: schema.Conversation, Message: schema.Message, MessageFields: fieldsSince202612}
