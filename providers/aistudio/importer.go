// Package aistudio reads the prompts that Google AI Studio keeps in the Drive folder of its name:
// one JSON file each, mostly without an ending, named as the prompt is. Four forms exist, told
// apart by what stands in them:
//
//	prompt      {"runSettings":…,"chunkedPrompt":{"chunks":[…],"pendingInputs":[…]}}   chunks have no ids
//	session     the same, and the chunks, or the whole, have ids
//	imagen      {"imagenPrompt":{"imagenTurns":[…]}}                                   images that were asked for
//	chunk-list  [{"text":…,"role":"user"},…]                                          the oldest: the chunks alone
//
// pendingInputs, which also stand at the root, are what was typed and not sent: messages marked as
// drafts. A file of settings alone is a conversation without messages.
package aistudio

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Provider is the name in documents. It is not one of those that PAM registers (§11.4).
const Provider = "google-ai-studio"

// Version is the current version of the importer.
const Version = "aistudio-importer/2026.11"

// New returns the importer in its current version.
func New() importer.Importer {
	return &cut.Format{
		Provider: "aistudio", Release: Version, File: "prompts.json",
		ClaimMembers: claimMembers, SplitMember: cut.Text, DecodeElement: decodeElement, RestoreElement: restoreElement,
	}
}

// restoreElement gives the content of the file back.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schemaOf(doc.Provider.ExportFormatVersion).Restore(dst, doc)
}
