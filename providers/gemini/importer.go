// Package gemini reads the log of Gemini in Google's My Activity, as Google Takeout exports it. It
// is no list of conversations but of exchanges and events, and has two forms:
//
//   - takeout-json: MyActivity.json, a list of rows with header, title, time and safeHtmlItem. Rows
//     of newer exports name their conversation in details or titleUrl; those of older ones do not,
//     and are a conversation each.
//   - takeout-html: MyActivity.html, a page with an outer-cell for each row. takeout-html-header is
//     a layout of it that has verb and time in the header-cell.
//
// What a row is, which conversation it belongs to and what its messages are called follow from its
// time in whole seconds and its text, so that both forms of one account give the same
// conversations: see ids.go.
//
// Some rows hold their exchanges in userInteractions, as texts or as serialized JSON (see
// interactions.go); version 2026.11 kept those as events.
//
// Beside the log, Takeout has pages about the Gems and scheduled actions that the person made
// (records), and the attached files (assets).
package gemini

import (
	"bytes"
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

const (
	name          = "gemini"
	version202611 = "gemini-importer/2026.11"
	version202612 = "gemini-importer/2026.12"
)

// The generations, as provider.export_format_version has them.
const (
	formatJSON       = "takeout-json"
	formatHTML       = "takeout-html"
	formatHTMLHeader = "takeout-html-header"
)

// Importer reads the log in one version. It has no state.
type Importer struct {
	// old is set for 2026.11, which does not read userInteractions.
	old bool
}

// New gives the importer in its current version.
func New() importer.Importer { return Importer{} }

// New202611 gives the version of November 2026. What it makes of an archive never changes.
func New202611() importer.Importer { return Importer{old: true} }

// Versions gives every released version, newest first.
func Versions() []importer.Importer { return []importer.Importer{New(), New202611()} }

// Name is the provider's identifier in PAM (§11.4).
func (Importer) Name() string { return name }

// Version names the importer and its version.
func (i Importer) Version() string {
	if i.old {
		return version202611
	}
	return version202612
}

// RestoreFile is the name of the log that rows are restored to.
func (Importer) RestoreFile() string { return "MyActivity.json" }

// Restore appends the rows of a conversation, with commas between them. Cells of a page are not
// rows: they give an error that wraps importer.ErrNoInverse.
func (i Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if hasOnlyCells(doc) {
		return dst, fmt.Errorf("restore conversation %s: it was read from MyActivity.html, whose cells are kept in raw_metadata: %w", doc.ID, importer.ErrNoInverse)
	}
	element, err := i.schema().Restore(nil, doc)
	if err != nil {
		return dst, err
	}
	parsed, err := jsonscan.Parse(element, 0)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	return appendRows(dst, parsed.Root()), nil
}

// hasOnlyCells tells whether a message comes from a cell of a page and from no row.
func hasOnlyCells(doc *pamio.Conversation) bool {
	for i := range doc.Messages {
		raw := doc.Messages[i].RawMetadata
		if !bytes.Contains(raw, []byte(noteCell)) {
			continue
		}
		parsed, err := jsonscan.Parse(raw, 0)
		if err != nil {
			continue // Restore of the schema says so
		}
		if root := parsed.Root(); root.Get(noteCell).Exists() && !root.Get("source").Exists() {
			return true
		}
	}
	return false
}
