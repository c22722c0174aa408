package mistral

import (
	"path"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// nameConversation gives the document its id. The rules are FROZEN: a document that was named once
// keeps its name.
//
//  1. chatId of the first message in the file that has one;
//  2. else the UUID in the name of the file, chat-<uuid>.json;
//  3. else the digest of the list.
func nameConversation(b *lossless.Builder, list jsonscan.Node, member string) {
	for m := range list.Items() {
		if id := m.Get("chatId").Str(); id != "" {
			b.ID(id)
			return
		}
	}
	b.ID(chatInName(member))
}

// chatInName is the UUID in the name of a chat's file, "" for other names. A browser may have put a
// number behind it.
func chatInName(member string) string {
	s, ok := strings.CutPrefix(path.Base(member), "chat-")
	if !ok || len(s) < 36 || !strings.HasSuffix(s, ".json") {
		return ""
	}
	for i, c := range []byte(s[:36]) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return ""
		}
	}
	return s[:36]
}
