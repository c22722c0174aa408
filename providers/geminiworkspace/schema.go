package geminiworkspace

import "github.com/pamline/pamline/providers/lossless"

// formatWorkspace is the export_format_version of a conversation of Gemini in Workspace.
const formatWorkspace = "workspace"

const pathTurns = "/conversation_turns"

// schema is the mapping of a conversation. A turn is an object with one key that says whose it is.
var schema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/title", Slot: lossless.Title},
		{Path: "/creation_time", Slot: lossless.Created, Form: lossless.ISOOffset},
		{Path: "/last_modification_time", Slot: lossless.Updated, Form: lossless.ISOOffset},
		{Path: pathTurns, Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/user_turn/turn_last_modified", Slot: lossless.Created, Form: lossless.ISOOffset},
		{Path: "/system_turn/turn_last_modified", Slot: lossless.Created, Form: lossless.ISOOffset},
		{Path: "/user_turn/prompt", Slot: lossless.Text},
		{Path: "/system_turn/model_thoughts/*/headline", Slot: lossless.Text},
		{Path: "/system_turn/model_thoughts/*/description", Slot: lossless.Text},
		{Path: "/system_turn/text/*/preamble", Slot: lossless.Text, Rank: 1},
		{Path: "/system_turn/text/*/data", Slot: lossless.Text, Rank: 1},
		{Path: "/system_turn/text/*/cards/*/content", Slot: lossless.Text, Rank: 1},
		{Path: "/system_turn/images/*", Slot: lossless.AttachID},
	},
	MessageFields: []string{"user_turn", "system_turn"},
	Fields:        []string{},
}
