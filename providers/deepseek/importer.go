// Package deepseek reads the export of chat.deepseek.com: conversations.json, a list of
// conversations whose messages are a tree below the node "root", and user.json, the account. There
// are two generations of messages and two of times; which a conversation has is told by its keys
// and named in provider.export_format_version:
//
//	fragments                a message is a list of fragments: REQUEST, THINK, RESPONSE; times are inserted_at, updated_at
//	content                  a message has a role and one text; times as above
//	fragments-create-time,   the same in what other programs save: times of the conversation are create_time,
//	content-create-time      update_time
//
// ChatGPT's export has a tree called mapping, too. What tells DeepSeek's apart is exact: the key
// inserted_at, fragments, or the node "root" where no message has an author. So this importer must
// be asked before that of ChatGPT.
package deepseek

import (
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

const (
	provider = "deepseek"
	version  = "deepseek-importer/2026.11"
)

// New gives the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "conversations.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeElement: decodeElement, RestoreElement: schemas.RestoreKnown(version),
	}
}

// The roles of members and of their units.
const (
	roleConversations = "conversations"
	roleUser          = "user"
)

// decodeElement turns a unit into an item.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	if u.Role == roleUser {
		return decodeUser(u, src)
	}
	return decodeConversation(u, src)
}
