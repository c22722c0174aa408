package huggingchat

import "github.com/pamline/pamline/providers/lossless"

var schema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/_id", Slot: lossless.ConversationID},
		{Path: "/title", Slot: lossless.Title},
		{Path: "/model", Slot: lossless.Model},
		{Path: "/preprompt", Slot: lossless.System},
		{Path: "/userId", Slot: lossless.Account},
		{Path: "/createdAt", Slot: lossless.Created, Form: lossless.ISOMillis},
		{Path: "/updatedAt", Slot: lossless.Updated, Form: lossless.ISOMillis},
		{Path: "/messages", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/id", Slot: lossless.ID},
		{Path: "/from", Slot: lossless.Role},
		{Path: "/createdAt", Slot: lossless.Created, Form: lossless.ISOMillis},
		{Path: "/children", Slot: lossless.Children},
		{Path: "/content", Slot: lossless.Text},
		{Path: "/reasoning", Slot: lossless.Text, Rank: 1}, // seldom there, so it may not stand in the way
		{Path: "/files/*", Slot: lossless.AttachName},
		{Path: "/files/*/name", Slot: lossless.AttachName},
		{Path: "/files/*/mime", Slot: lossless.AttachMime},
		{Path: "/webSearch/sources/*/link", Slot: lossless.CiteURL},
		{Path: "/webSearch/sources/*/title", Slot: lossless.CiteTitle},
	},
	Fields: []string{
		"sessionId", "assistantId", "embeddingModel", "rootMessageId", "meta", "userAgent", "hasShare", "shareId", "mcp", "projectId",
		"webSearch",
	},
	MessageFields: []string{
		"updatedAt", "ancestors", "files", "webSearch", "webSearchId", "score", "interrupted", "reasoning", "updates", "toolUpdates",
		"routerMetadata", "websearch", "tools", "provider",
	},
}
