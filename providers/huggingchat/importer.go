// Package huggingchat reads the export of HuggingChat and of other servers with its program,
// chat-ui: conversations.json, a list of conversations; assistants.json, a list of the assistants
// that the person made; and the files of messages beside them, file-<conversation>-<id>.<ending>.
//
// One form is known ("chat-ui"). Newer conversations are trees: a message names its ancestors and
// children. Older ones are lists.
package huggingchat

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	app     = "huggingchat"
	version = "huggingchat-importer/2026.11"
	format  = "chat-ui"
)

// New makes the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: app, Release: version, File: "conversations.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeElement: decodeElement, RestoreElement: schema.Restore,
	}
}

// splitMember gives a unit for each conversation and each assistant.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	recognize := isConversation
	if u.Role == roleAssistants {
		recognize = isAssistant
	}
	return cut.Elements(ctx, u, cut.Options{Recognize: func(prefix []byte) bool { return recognize(importer.Sniff(prefix)) }}, yield)
}
