package copilotchat

import "github.com/pamline/pamline/providers/lossless"

var schema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/sessionId", Slot: lossless.ConversationID},
		{Path: "/customTitle", Slot: lossless.Title},
		{Path: "/creationDate", Slot: lossless.Created, Form: lossless.Millis},
		{Path: "/lastMessageDate", Slot: lossless.Updated, Form: lossless.Millis},
		{Path: "/requests", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/requestId", Slot: lossless.ID},
		{Path: "/timestamp", Slot: lossless.Created, Form: lossless.Millis},
		{Path: "/modelId", Slot: lossless.MessageModel},

		{Path: "/message/text", Slot: lossless.Text},
		{Path: "/message", Slot: lossless.Text},
		{Path: "/response/[kind=]/value", Slot: lossless.Text, Rank: 1},
		{Path: "/response/[kind=thinking]/value", Slot: lossless.Text, Rank: 1},
		{Path: "/response/[kind=thinking]/value/*", Slot: lossless.Text, Rank: 1},
		{Path: "/response/[kind=markdownContent]/content/value", Slot: lossless.Text, Rank: 1},
		{Path: "/response/[kind=markdownVuln]/content/value", Slot: lossless.Text, Rank: 1},
		{Path: "/response/[kind=warning]/content/value", Slot: lossless.Text, Rank: 1},

		{Path: "/response/[kind=toolInvocationSerialized]/toolCallId", Slot: lossless.ToolID},
		{Path: "/response/[kind=toolInvocationSerialized]/toolId", Slot: lossless.ToolName},
		{Path: "/response/[kind=toolInvocationSerialized]/toolSpecificData", Slot: lossless.ToolInput},
		{Path: "/response/[kind=toolInvocationSerialized]/resultDetails/input", Slot: lossless.ToolInput, Rank: 1},
	},
	Fields: []string{
		"version", "requesterUsername", "responderUsername", "requesterAvatarIconUri", "responderAvatarIconUri", "initialLocation",
		"isImported", "inputState", "welcomeMessage", "hasPendingEdits", "pendingRequests", "repoData", "isNew", "mode",
		"selectedModel", "permissionLevel", "workingFolder",
	},
	MessageFields: []string{
		"message", "variableData", "response", "responseId", "agent", "slashCommand", "result", "followups", "isCanceled", "vote",
		"voteDownReason", "isHidden", "shouldBeRemovedOnSend", "shouldBeBlocked", "responseMarkdownInfo", "contentReferences",
		"codeCitations", "confirmation", "editedFileEvents", "editedFileEventsBeforeSend", "workingSet", "usedContext", "isSystemInitiated",
		"responseTimestamp", "modelState", "timeSpentWaiting", "completionTokens", "elapsedMs", "modeInfo", "promptTokenDetails",
	},
}
