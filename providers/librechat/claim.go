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

// Claim takes files by their shape.
func (librechat) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	err := localapp.Look(ctx, members, peek, func(m archive.Member, prefix []byte, err error) {
		if err != nil {
			return // the provider gives its files no name of their own
		}
		s := importer.Sniff(prefix)
		switch {
		case isConversation(s):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleConversation})
		case s.Has(history+"[") && (s.Has("folders[") || s.Has("prompts[")) && (isChatbotConversation(s, history+"[].") || !s.Has(history+"[]")):
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

// isChatbotConversation tells a conversation of Chatbot UI at a place.
func isChatbotConversation(s importer.Shape, at string) bool {
	return s.Has(at+"name") && s.Has(at+"messages[") && (s.Has(at+"folderId") || s.Has(at+"model{") || s.Has(at+"messages[].role"))
}
