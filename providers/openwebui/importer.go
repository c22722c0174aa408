// Package openwebui reads the chats of Open WebUI, and what it keeps beside them. There are these
// forms:
//
//	chat-export         rows of the table chat as JSON, one or many: "Export chats", an export of all chats by an administrator
//	chat-export-list    the same, with messages only and without history: old rows
//	chat-object         one chat without the row around it
//	chat-object-list    the same, with messages only
//	webui-db            webui.db, the database: the same rows, and those of memories, models, prompts, folders, …
//	webui-db-messages   the same of newer servers, which have a row for each message in the table chat_message
//
// A file is known by what is in its elements, the database by its tables. Row and export of one
// chat give the same conversation id and the same message ids.
//
// Exports of Qwen Chat have the same skeleton and are told apart by what its messages hold: see
// package qwen, which must be asked first.
package openwebui

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const version = "openwebui-importer/2026.11"

// New makes an importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: "openwebui", Release: version, File: "chat-export.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: restoreElement,
	}
}

// restoreElement gives the row of a chat as an export has it. A database is not built again.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if strings.HasPrefix(doc.Provider.ExportFormatVersion, formDatabase) {
		return dst, fmt.Errorf("restore conversation %s: it was a row of a database: %w", doc.ID, importer.ErrNoInverse)
	}
	return dialect.Restore(dst, doc)
}
