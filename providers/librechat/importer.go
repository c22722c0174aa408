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
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	app        = "librechat"
	appChatbot = "chatbotui"
	version    = "librechat-importer/2026.11"
)

type librechat struct{}

// New makes the importer.
func New() importer.Importer { return librechat{} }

func (librechat) Name() string        { return app }
func (librechat) Version() string     { return version }
func (librechat) RestoreFile() string { return "librechat.json" }

// Split gives a unit for each conversation, and one for what stands around the conversations of
// Chatbot UI.
func (librechat) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		if u.Role == roleChatbot {
			return cut.Elements(ctx, u, cut.Options{Wrappers: []string{history}, Rest: roleRest, Recognise: func(prefix []byte) bool {
				return isChatbotConversation(importer.Sniff(prefix), "")
			}}, yield)
		}
		return cut.Elements(ctx, u, cut.Options{Recognise: func(prefix []byte) bool {
			return isConversation(importer.Sniff(prefix))
		}}, yield)
	})
}

func (librechat) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schemas.Restore(dst, doc, formatFlat)
}
