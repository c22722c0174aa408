// Package anythingllm reads the chats of AnythingLLM. There are these forms:
//
//	anythingllm.db   the database: a row of workspace_chats is a question and its answer; grouped by workspace and thread
//	json             "Export, JSON": a list of the same, with the workspace's name and without threads
//	csv              "Export, CSV": the same in a table, in which line ends have become spaces; it has no inverse
//	jsonl            "Export, JSONL (fine-tune)": a line for each workspace, with neither names nor times
//	alpaca           "Export, JSON (Alpaca)": questions and answers, with neither workspaces nor times
//
// The database is known by its tables, a file by the keys of its elements or columns. The last two
// are forms that others use as well: lines are taken only when their contents are lists of parts as
// AnythingLLM writes them, and Alpaca's elements when they have their three keys and no other.
package anythingllm

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const version = "anythingllm-importer/2026.11"

// The forms, as export_format_version says them.
const (
	formDatabase = "anythingllm.db"
	formJSON     = "json"
	formCSV      = "csv"
	formLines    = "jsonl"
	formAlpaca   = "alpaca"
)

// New makes an importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: "anythingllm", Release: version, File: "chats.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: restoreElement,
	}
}

// restoreElement gives the rows of an export with commas between them, or the line of a workspace.
// Databases and tables are not built again.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	form := doc.Provider.ExportFormatVersion
	s, ok := schemas[form]
	if !ok || form == formDatabase || form == formCSV {
		return dst, fmt.Errorf("restore conversation %s: it was rows of a database or table: %w", doc.ID, importer.ErrNoInverse)
	}
	return restore(dst, s, doc)
}
