package opencode

import "github.com/pamline/pamline/providers/lossless"

// schema maps a session in the form of the export.
var schema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/info/id", Slot: lossless.ConversationID},
		{Path: "/info/title", Slot: lossless.Title},
		{Path: "/info/time/created", Slot: lossless.Created, Form: lossless.Millis},
		{Path: "/info/time/updated", Slot: lossless.Updated, Form: lossless.Millis},
		{Path: "/messages", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/info/id", Slot: lossless.ID},
		{Path: "/info/role", Slot: lossless.Role},
		{Path: "/info/time/created", Slot: lossless.Created, Form: lossless.Millis},
		{Path: "/info/modelID", Slot: lossless.Model},
		{Path: "/info/tokens/output", Slot: lossless.Tokens},

		{Path: "/parts/[type=text]/text", Slot: lossless.Text},
		{Path: "/parts/[type=reasoning]/text", Slot: lossless.Text},
		{Path: "/parts/[type=tool]/state/output", Slot: lossless.Text},
		{Path: "/parts/[type=tool]/state/error", Slot: lossless.Text},

		{Path: "/parts/[type=tool]/callID", Slot: lossless.ToolID},
		{Path: "/parts/[type=tool]/tool", Slot: lossless.ToolName},
		{Path: "/parts/[type=tool]/state/input", Slot: lossless.ToolInput},
		{Path: "/parts/[type=file]/mime", Slot: lossless.AttachMime},
		{Path: "/parts/[type=file]/filename", Slot: lossless.AttachName},
	},
	Fields:        []string{"info"},
	MessageFields: []string{"info", "parts"},
}
