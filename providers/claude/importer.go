// Package claude reads the data exports of Claude (claude.ai), of every form that there has been.
//
//	2024        conversations.json: a list of conversations whose messages have a text and no blocks
//	2025-06     messages have content blocks, and a text that repeats them, sometimes with the thoughts in it
//	2025-07     conversations have a summary
//	2026        messages name their parent: edited prompts and retried answers are branches
//	browser     what the web application itself reads and browser tools save: one conversation, with its model and settings
//	2026-design design_chats/<uuid>.json: talks about a canvas
//
// The archives around them: one zip until 2025; parts called …-batch-0000, -0001 since 2026; a zip
// for each category with a manifest since August 2026. Beside conversations there are projects,
// memories and the account, which become records, and published artifacts, whose pages are copied.
// The generation of a conversation is told from its own keys, not from the archive, because parts
// of several eras come together.
//
// One message of the source with thoughts, an answer and results of tools becomes several messages
// in a line: a thought is never part of the answer, and a result belongs to its tool. Uploaded
// files are in no export; only their names are, and the text that was read from documents.
package claude

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const provider = "claude"

// Version is the version of what this importer makes of an export. Golden files hold it.
const Version = "claude-importer/2026.11"

// New returns the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: Version, File: "conversations.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, SplitRest: splitRest, DecodeUnit: decodeUnit, BesideUnit: besideUnit, RestoreElement: restoreElement,
	}
}

// besideUnit names the kind of a conversation and its account: that is all that its document has
// from elsewhere.
func besideUnit(u importer.Unit) (name string, ok bool) {
	return u.Role + " " + joinedOf(u).onlyAccount(), u.Role == roleChats || u.Role == roleDesigns
}

// restoreElement appends the conversation element that a document was made of.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schemaOf(doc.Provider.ExportFormatVersion).Restore(dst, doc)
}
