package librechat

import "github.com/pamline/pamline/providers/lossless"

// Forms that are told apart, as provider.export_format_version has them.
const (
	formatTree    = "recursive" // LibreChat, answers nested in "children"
	formatFlat    = "flat"      // LibreChat, answers linked by parentMessageId
	formatChatbot = "chatbotui" // Chatbot UI
)

// rootID is what a message without a parent names as its parent; older exports have null.
const rootID = "00000000-0000-0000-0000-000000000000"

var schemas = lossless.Schemas{
	formatTree:    newSchema(lossless.Rule{Path: "/children", Slot: lossless.Nested}),
	formatFlat:    newSchema(),
	formatChatbot: chatbot,
}

func newSchema(links ...lossless.Rule) *lossless.Schema {
	return &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/conversationId", Slot: lossless.ConversationID},
			{Path: "/title", Slot: lossless.Title},
			{Path: "/options/model", Slot: lossless.Model},
			{Path: "/options/promptPrefix", Slot: lossless.System},
			{Path: "/messages", Slot: lossless.MessageList},
			{Path: "/messagesTree", Slot: lossless.MessageList},
		},
		Message: append([]lossless.Rule{
			{Path: "/messageId", Slot: lossless.ID},
			{Path: "/isCreatedByUser", Slot: lossless.Role, Form: lossless.FlagRole("user", "assistant")},
			{Path: "/createdAt", Slot: lossless.Created, Form: lossless.ISOMillis},
			{Path: "/model", Slot: lossless.Model},
			{Path: "/parentMessageId", Slot: lossless.Parent, Form: lossless.String.Or(`"` + rootID + `"`)},
			{Path: "/tokenCount", Slot: lossless.Tokens},
			{Path: "/text", Slot: lossless.Text, Rank: 1}, // repeats the content where there is one
			{Path: "/content/[type=text]/text", Slot: lossless.Text},
			{Path: "/content/[type=text]/text/value", Slot: lossless.Text},
			{Path: "/content/[type=think]/think", Slot: lossless.Text},
			{Path: "/content/[type=think]/think/value", Slot: lossless.Text},
			{Path: "/content/[type=tool_call]/tool_call/id", Slot: lossless.ToolID},
			{Path: "/content/[type=tool_call]/tool_call/name", Slot: lossless.ToolName},
			{Path: "/content/[type=tool_call]/tool_call/args", Slot: lossless.ToolInput},
			{Path: "/content/[type=tool_call]/tool_call/output", Slot: lossless.ToolOutput},
			{Path: "/files/*/file_id", Slot: lossless.AttachID},
			{Path: "/files/*/filename", Slot: lossless.AttachName},
			{Path: "/files/*/type", Slot: lossless.AttachMime},
			{Path: "/files/*/bytes", Slot: lossless.AttachSize},
		}, links...),
		Fields: []string{"endpoint", "exportAt", "branches", "recursive", "options"},
		MessageFields: []string{
			"_id", "__v", "conversationId", "updatedAt", "endpoint", "error", "unfinished", "sender", "user", "isEdited", "finish_reason", "promptTokens", "children",
			"content", "files", "attachments", "cancelled", "iconURL", "plugin", "plugins", "conversationSignature", "clientId", "invocationId",
			"thread_id", "feedback", "metadata", "depth", "siblingIndex", "expiredAt", "tokenCount", "_meiliIndex", "summary", "summaryTokenCount",
			"searchResult", "addedConvo", "contextMeta",
		},
	}
}

// chatbot is the form of Chatbot UI, whose exports LibreChat reads as well.
var chatbot = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/id", Slot: lossless.ConversationID},
		{Path: "/name", Slot: lossless.Title},
		{Path: "/model/id", Slot: lossless.Model},
		{Path: "/prompt", Slot: lossless.System},
		{Path: "/messages", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/role", Slot: lossless.Role},
		{Path: "/content", Slot: lossless.Text},
	},
	Fields:        []string{"model", "temperature", "folderId", "key"},
	MessageFields: []string{},
}
