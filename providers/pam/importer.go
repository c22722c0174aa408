// Package pam reads Portable AI Memory itself: memory stores, conversations and embeddings, alone or
// as bundles, full and incremental, of pamline and of any other program that keeps to PAM 1.x.
//
// Elements go into the owner's store as they are: nothing is renamed, reworded or judged again. What
// PAM 1.0 leaves open is written in one way (no nulls, defaults of status, tags and access given,
// times in UTC). A value that the schema does not know or allow is moved to
// metadata.unknown_members of its memory, or to raw_metadata.unknown_members of its conversation or
// message, so that the store stays valid and nothing is lost.
//
// A document is recognized by its schema field. The signature of a store is verified before an
// element is read: an invalid one refuses the input, unless Limits.AnySignature is set.
package pam

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "pam"
	version  = "pam-importer/2026.11"
)

// New gives the importer. Its name is not a provider's: conversations and memories keep the platform
// that they name.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "conversations.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit,
		RestoreElement: func(dst []byte, doc *pamio.Conversation) ([]byte, error) { return doc.AppendJSON(dst), nil },
	}
}

// The roles of members, and of their units.
const (
	roleStore        = "store"
	roleConversation = "conversation"
	roleEmbeddings   = "embeddings"
	roleSums         = "sums" // nothing is read of it
)

// The collections of documents are the roles of their elements.
const (
	memories    = "memories"
	relations   = "relations"
	indexed     = "conversations_index"
	embeddings  = "embeddings"
	messagesKey = "messages"
)

// decodeUnit turns a unit into an item.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	j := u.Context.(*joined)
	if u.Role == roleConversation {
		snap, err := decodeConversation(u, j)
		if err != nil {
			return nil, err
		}
		return []importer.Item{{Conversation: snap}}, nil
	}
	return decodeElement(u, j)
}
