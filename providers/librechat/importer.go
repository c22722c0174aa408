// Package librechat reads the JSON exports of LibreChat, one conversation a file, and those of
// Chatbot UI, which LibreChat reads as well.
//
// Of LibreChat two forms are known: answers nested in "children" ("recursive") and a list of
// messages that name their parent ("flat"); whether a message has children decides, not what the
// file says about itself. Its "exportAt" is a time of day without a date and stays in raw_metadata.
// Chatbot UI ("chatbotui") has all conversations in "history".
package librechat

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	app        = "librechat"
	appChatbot = "chatbotui"
	version    = "librechat-importer/2026.11"
)

// New makes the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: app, Release: version, File: "librechat.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: schemas.RestoreOr(formatFlat),
	}
}

// splitMember gives a unit for each conversation, and one for what stands around the conversations
// of Chatbot UI.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	if u.Role == roleChatbot {
		return cut.Elements(ctx, u, cut.Options{Wrappers: []string{history}, Rest: roleRest, Recognize: func(prefix []byte) bool {
			return isChatbotConversation(importer.Sniff(prefix), "")
		}}, yield)
	}
	return cut.Elements(ctx, u, cut.Options{Recognize: func(prefix []byte) bool {
		return isConversation(importer.Sniff(prefix))
	}}, yield)
}
