package librechat

import (
	"context"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of members and units.
const (
	roleConversation = "conversation"
	roleChatbot      = "chatbotui"
	roleRest         = "settings"
)

// history is the key of Chatbot UI's conversations.
const history = "history"

// claimMembers takes files by their shape.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		if err != nil {
			return // the provider gives its files no name of their own
		}
		switch {
		case isConversation(s):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleConversation})
		case isChatbot(s):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleChatbot})
		}
	})
	return c, err
}

// isConversation tells a conversation, or a list of them, from its first bytes.
func isConversation(s importer.Shape) bool {
	for _, at := range []string{"", "[]."} {
		if !s.Has(at + "conversationId") {
			continue
		}
		for _, list := range []string{"messages", "messagesTree"} {
			if s.Has(at+list+"[") && (s.Has(at+"exportAt") || s.Has(at+list+"[].isCreatedByUser") && s.Has(at+list+"[].messageId")) {
				return true
			}
		}
	}
	return false
}

// isChatbot tells an export of Chatbot UI from its first bytes. What stands behind the list of
// conversations cannot be seen of a long one, and of one with a broken conversation in it.
func isChatbot(s importer.Shape) bool {
	at := history + "[]."
	switch {
	case !s.Has(history + "["):
		return false
	case s.Has("folders[") || s.Has("prompts["):
		return isChatbotConversation(s, at) || !s.Has(history+"[]")
	}
	return isChatbotConversation(s, at) && (s.Root["version"] == '0' || s.Has(at+"folderId") && (s.Has(at+"model{") || s.Has(at+"prompt")))
}

// isChatbotConversation tells a conversation of Chatbot UI at a place.
func isChatbotConversation(s importer.Shape, at string) bool {
	return s.Has(at+"name") && s.Has(at+"messages[") && (s.Has(at+"folderId") || s.Has(at+"model{") || s.Has(at+"messages[].role"))
}
