package claude

import (
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules in this file are frozen: documents that were named by them keep their names.
//
//   - A conversation, also one about a canvas, is named by its uuid. Without one it is named by its
//     digest.
//   - Of the messages that one source message became, the last that is an answer has its uuid;
//     without an answer, the last one. The others, in their order, have the uuid with #0, #1, …
//     behind it.

// nameConversation sets the document's id.
func nameConversation(b *lossless.Builder, root jsonscan.Node) { b.ID(root.Get("uuid").Str()) }

// otherID is the id of the n-th message of a source message that does not have the uuid itself; ""
// without a uuid, and then the engine names it.
func otherID(uuid string, n int) string {
	if uuid == "" {
		return ""
	}
	return uuid + "#" + strconv.Itoa(n)
}
