package librechat

import (
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules that make ids. They are frozen: a better reader never renames what an older one made.

// name gives a conversation of LibreChat its own id.
func name(b *lossless.Builder) {
	b.IDIn(localapp.Space(app), b.Root().Get("conversationId").Str())
}

// nameChatbot gives a conversation of Chatbot UI its own id.
func nameChatbot(b *lossless.Builder) {
	b.IDIn(localapp.Space(appChatbot), b.Root().Get("id").Str())
}
