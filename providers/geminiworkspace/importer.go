// Package geminiworkspace reads two sister formats of Gemini that a Google Takeout may hold beside
// My Activity:
//
//	workspace    "Gemini in Workspace/Conversation History/conversation_<digits>.txt": one JSON object a file, an object with
//	             conversation_turns; its id stands only in its name, and the images beside it are named after it
//	notebooklm   "NotebookLM/<notebook>/Chat History/Chat Session - <uuid>.html": a page of paragraphs that begin with
//	             "USER:" or "MODEL:", without a time
//
// They are told apart by content. A page has no inverse; it is kept in raw_metadata.
package geminiworkspace

import (
	"context"
	"fmt"
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Provider is the name in PAM (§11.4).
const Provider = "gemini"

// Version is the current version of the importer.
const Version = "geminiworkspace-importer/2026.11"

// Importer reads conversations of Gemini in Workspace and of NotebookLM. It has no state.
type Importer struct{}

var _ importer.Importer = Importer{}

// New returns the importer in its current version.
func New() importer.Importer { return Importer{} }

// Name is "geminiworkspace".
func (Importer) Name() string { return "geminiworkspace" }

// Version is "geminiworkspace-importer/2026.11".
func (Importer) Version() string { return Version }

// RestoreFile is conversations.json: the files, each an element of a list.
func (Importer) RestoreFile() string { return "conversations.json" }

// Split gives a unit for each file.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return cut.Texts(ctx, c, limits)
}

// Decode makes the conversation of a file.
func (Importer) Decode(u importer.Unit) ([]importer.Item, error) {
	if u.Role == rolePage {
		return decodePage(u)
	}
	return decodeWorkspace(u)
}

// Restore gives the content of a workspace file back.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if doc.Provider.ExportFormatVersion == formatPage {
		return dst, fmt.Errorf("restore conversation %s of a page, which is in raw_metadata.source.html: %w", doc.ID, importer.ErrNoInverse)
	}
	return schema.Restore(dst, doc)
}
