package cursor

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/toolcall"
)

// numberedRole is a role as a number: 1 for the person, 2 for the assistant.
var numberedRole = lossless.Form{
	Write: func(dst []byte, role string) ([]byte, bool) {
		switch role {
		case normalize.RoleUser:
			return append(dst, '1'), true
		case normalize.RoleAssistant:
			return append(dst, '2'), true
		}
		return dst, false
	},
	Read: func(n jsonscan.Node) (string, bool) {
		role := bubbleRole(n)
		return role, role != ""
	},
}

// bubbleRole is the role of a bubble by its type, "" for one that is not known.
func bubbleRole(n jsonscan.Node) string {
	switch string(n.Raw()) {
	case "1":
		return normalize.RoleUser
	case "2":
		return normalize.RoleAssistant
	}
	return ""
}

// composerSchema maps a chat: thoughts stand before what was said, results behind it.
var composerSchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/composer/composerId", Slot: lossless.ConversationID},
		{Path: "/composer/name", Slot: lossless.Title},
		{Path: "/composer/createdAt", Slot: lossless.Created, Form: lossless.Millis},
		{Path: "/composer/lastUpdatedAt", Slot: lossless.Updated, Form: lossless.Millis},
		{Path: "/composer/isArchived", Slot: lossless.Archived},
		{Path: "/bubbles", Slot: lossless.MessageList},
		{Path: "/composer/conversation", Slot: lossless.MessageList},
		{Path: "/composer/conversationMap", Slot: lossless.MessageMap},
	},
	Message: []lossless.Rule{
		{Path: "/bubbleId", Slot: lossless.ID},
		{Path: "/type", Slot: lossless.Role, Form: numberedRole},
		{Path: "/createdAt", Slot: lossless.Created, Form: lossless.ISOMillis},
		{Path: "/modelInfo/modelName", Slot: lossless.Model},
		{Path: "/tokenCount/outputTokens", Slot: lossless.Tokens},

		{Path: "/thinking/text", Slot: lossless.Text},
		{Path: "/text", Slot: lossless.Text, Rank: 1},
		{Path: "/toolFormerData/result", Slot: lossless.Text, Rank: 2},

		{Path: "/toolFormerData/toolCallId", Slot: lossless.ToolID},
		{Path: "/toolFormerData/name", Slot: lossless.ToolName},
		{Path: "/toolFormerData/rawArgs", Slot: lossless.ToolInput, Form: toolcall.Text},
		{Path: "/toolFormerData/params", Slot: lossless.ToolInput, Form: toolcall.Text, Rank: 1},
	},
}

// tabSchema maps a chat of the first versions.
var tabSchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/tabId", Slot: lossless.ConversationID},
		{Path: "/chatTitle", Slot: lossless.Title},
		{Path: "/lastSendTime", Slot: lossless.Updated, Form: lossless.Millis},
		{Path: "/bubbles", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/id", Slot: lossless.ID},
		{Path: "/type", Slot: lossless.Role, Form: lossless.Roles(normalize.RoleUser, "user", normalize.RoleAssistant, "ai")},
		{Path: "/modelType", Slot: lossless.Model},
		{Path: "/text", Slot: lossless.Text},
		{Path: "/rawText", Slot: lossless.Text, Rank: 1},
	},
}
