package lmstudio

import "github.com/pamline/pamline/providers/lossless"

// Paths of the content of a version: of a whole one, and of one that was made in steps.
const (
	whole = "/versions/*/content/"
	step  = "/versions/*/steps/*/content/"
)

var schema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/name", Slot: lossless.Title},
		{Path: "/createdAt", Slot: lossless.Created, Form: lossless.Millis},
		{Path: "/assistantLastMessagedAt", Slot: lossless.Updated, Form: lossless.Millis},
		{Path: "/systemPrompt", Slot: lossless.System, Form: lossless.StringOrEmpty},
		{Path: "/perChatPredictionConfig/fields/[key=" + systemPromptKey + "]/value", Slot: lossless.System},
		{Path: "/lastUsedModel/identifier", Slot: lossless.Model},
		{Path: "/messages", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/versions/*/role", Slot: lossless.Role},
		{Path: "/versions/*/senderInfo/senderName", Slot: lossless.MessageModel},
		{Path: "/versions/*/steps/*/genInfo/identifier", Slot: lossless.MessageModel},
		{Path: whole + "[type=text]/text", Slot: lossless.Text},
		{Path: step + "[type=text]/text", Slot: lossless.Text},
		{Path: step + "[type=toolCallResult]/content", Slot: lossless.Text},
		{Path: whole + "[type=file]/fileIdentifier", Slot: lossless.AttachID},
		{Path: whole + "[type=file]/sizeBytes", Slot: lossless.AttachSize},
		{Path: step + "[type=file]/fileIdentifier", Slot: lossless.AttachID},
		{Path: step + "[type=file]/sizeBytes", Slot: lossless.AttachSize},
		{Path: step + "[type=toolCallRequest]/toolCallRequestId", Slot: lossless.ToolID},
		{Path: step + "[type=toolCallRequest]/name", Slot: lossless.ToolName},
		{Path: step + "[type=toolCallRequest]/parameters", Slot: lossless.ToolInput},
	},
	Fields: []string{
		"pinned", "preset", "tokenCount", "userLastMessagedAt", "usePerChatPredictionConfig", "perChatPredictionConfig", "clientInput",
		"clientInputFiles", "userFilesSizeBytes", "lastUsedModel", "notes", "plugins", "pluginConfigs", "disabledPluginTools",
		"looseFiles",
	},
	MessageFields: []string{"currentlySelected"},
}
