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
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Provider is the name in PAM (§11.4).
const Provider = "copilot"

// Version is the current version of the importer.
const Version = "copilot-importer/2026.12"

// New returns the importer in its current version.
func New() importer.Importer {
	return &cut.Format{
		Provider: Provider, Release: Version, File: "copilot-activity-history.csv",
		Counted:      map[string]importer.Skip{roleEmpty: {Code: "no_rows", Reason: "a table of Copilot's that has the names of its columns and no rows", Count: 1}},
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeElement: decodeElement, RestoreElement: cut.WithoutInverse("its rows are in raw_metadata.source.row of the messages"),
	}
}
