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
	"bytes"
	"context"
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Provider is the name in PAM (§11.4).
const Provider = "gemini"

// Version is the current version of the importer.
const Version = "geminiworkspace-importer/2026.11"

// New returns the importer in its current version.
func New() importer.Importer {
	return &cut.Format{
		Provider: "geminiworkspace", Release: Version, File: "conversations.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: restoreElement,
	}
}

// splitMember yields a file as one unit.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	return cut.Text(ctx, u, func(u importer.Unit, err error) bool {
		if u.Role == rolePage {
			u.Parts = bytes.Count(u.Raw, []byte(pageUser+":")) + bytes.Count(u.Raw, []byte(pageModel+":"))
		}
		return yield(u, err)
	})
}

// decodeUnit makes the conversation of a file.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	if u.Role == rolePage {
		return decodePage(u)
	}
	return decodeWorkspace(u)
}

// restoreElement gives the content of a workspace file back.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if doc.Provider.ExportFormatVersion == formatPage {
		return dst, fmt.Errorf("restore conversation %s of a page, which is in raw_metadata.source.html: %w", doc.ID, importer.ErrNoInverse)
	}
	return schema.Restore(dst, doc)
}
