// Package copilot reads what Microsoft's Privacy Dashboard gives a person of their Copilot: tables
// in CSV. They are told apart by the names of their columns, in any order and case, whatever the
// files are called:
//
//	activity-history   Conversation, Time, Author, Message          the consumer app: copilot-activity-history.csv
//	chat-activity      CreatedAt, MessageContent, Author, ChatName  copilot-chat-activity.csv, and in Microsoft 365 apps
//	windows-prompts    Timestamp, ClientApp, Prompt                 Windows apps: what was asked, never what was answered
//	unknown            columns that can be guessed, in a file with one of Copilot's own names
//
// Rows of one conversation stand together, newest first, and an answer stands before its question
// with the same second. So a run of rows with one title is a conversation, and it is read from its
// end. A title alone is no id: two talks may share it, and they stay two.
//
// There is no inverse: every message keeps its row as the file has it.
package copilot

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

// Provider is the name in PAM (§11.4).
const Provider = "copilot"

// Version is the current version of the importer.
const Version = "copilot-importer/2026.11"

// Importer reads Copilot exports. It has no state.
type Importer struct{}

var _ importer.Importer = Importer{}

// New returns the importer in its current version.
func New() importer.Importer { return Importer{} }

// Name is "copilot".
func (Importer) Name() string { return Provider }

// Version is "copilot-importer/2026.11".
func (Importer) Version() string { return Version }

// RestoreFile is the name of the export's main file, which is not written: see Restore.
func (Importer) RestoreFile() string { return "copilot-activity-history.csv" }

// Restore has no inverse to offer: the rows lie in raw_metadata of the messages.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return dst, fmt.Errorf("restore conversation %s of a CSV export, whose rows are in raw_metadata.source.row of its messages: %w", doc.ID, importer.ErrNoInverse)
}
