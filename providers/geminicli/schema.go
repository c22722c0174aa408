package geminicli

import "github.com/pamline/pamline/providers/lossless"

// roles are the roles as messages name them.
var roles = lossless.Roles("user", "user", "assistant", "gemini", "system", "info", "system", "error", "system", "warning")

// messageRules map a message. The texts of thoughts stand before the answer, the outputs of tools
// behind it.
var messageRules = []lossless.Rule{
	{Path: "/id", Slot: lossless.ID},
	{Path: "/timestamp", Slot: lossless.Created, Form: lossless.ISOMillis},
	{Path: "/type", Slot: lossless.Role, Form: roles},
	{Path: "/model", Slot: lossless.Model},
	{Path: "/tokens/output", Slot: lossless.Tokens},

	{Path: "/thoughts/*/subject", Slot: lossless.Text},
	{Path: "/thoughts/*/description", Slot: lossless.Text},
	{Path: "/content", Slot: lossless.Text, Rank: 1},
	{Path: "/content/text", Slot: lossless.Text, Rank: 1},
	{Path: "/content/*/text", Slot: lossless.Text, Rank: 1},
	{Path: "/toolCalls/*/result/*/functionResponse/response/output", Slot: lossless.Text, Rank: 2},
	{Path: "/toolCalls/*/result/*/functionResponse/response/error", Slot: lossless.Text, Rank: 2},

	{Path: "/toolCalls/*/id", Slot: lossless.ToolID},
	{Path: "/toolCalls/*/name", Slot: lossless.ToolName},
	{Path: "/toolCalls/*/args", Slot: lossless.ToolInput},
	{Path: "/content/*/inlineData/mimeType", Slot: lossless.AttachMime},
	{Path: "/content/inlineData/mimeType", Slot: lossless.AttachMime},
}

var messageFields = []string{"content", "displayContent", "thoughts", "toolCalls", "tokens"}

var objectSchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/sessionId", Slot: lossless.ConversationID},
		{Path: "/summary", Slot: lossless.Title},
		{Path: "/startTime", Slot: lossless.Created, Form: lossless.ISOMillis},
		{Path: "/lastUpdated", Slot: lossless.Updated, Form: lossless.ISOMillis},
		{Path: "/messages", Slot: lossless.MessageList},
	},
	Message:       messageRules,
	Fields:        []string{"projectHash", "directories", "kind", "activeExtensionName", "memoryScratchpad"},
	MessageFields: messageFields,
}

var logSchema = &lossless.Schema{
	Conversation:  []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
	Message:       messageRules,
	MessageFields: messageFields,
}
