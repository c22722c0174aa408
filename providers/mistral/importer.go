// Package mistral reads the export of Mistral's Le Chat: a file chat-<uuid>.json for each
// conversation, a list of its messages in no order, and a folder chat-<uuid>-files beside it with
// the files that were attached. There is one generation: elements with chatId, role and
// contentChunks or createdAt.
//
// The list has no object around it, so a conversation has no title and no times of its own.
// Messages are put in the order of their times. A regenerated answer stands beside the one that it
// replaces and has a version, or says over which it was preferred: only conversations with such
// answers are linked.
package mistral

import (
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "mistral"
	version  = "mistral-importer/2026.11"
)

// New gives the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "chats.json",
		ClaimMembers: claimMembers, SplitMember: cut.Text, DecodeElement: decodeElement, RestoreElement: schemas.RestoreKnown(version),
	}
}

const roleChat = "chat"
