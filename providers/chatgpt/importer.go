// Package chatgpt reads the data exports of OpenAI ChatGPT, from 2023 to the slim form of July
// 2026, and writes them back.
//
// A conversation element becomes one document. Every value of the element that has a field in PAM
// is kept there and nowhere else; the rest lies in raw_metadata in the nesting of the source:
// raw_metadata.author, raw_metadata.content, raw_metadata.metadata and so on of a message, the
// unmapped keys of the conversation at the document's own level. So Restore gives the element back,
// equal as a JSON value, and what was edited in the document is edited in the element.
//
// Three versions are released. 2026.07 counts the files of an export and most of its sidecars;
// 2026.11 names the files in the documents (see assets.go), and keeps the sidecars as records and
// the Codex cloud tasks as conversations; 2026.12 takes from chat.html the conversations that the
// JSON files lack (see twins.go). All give every conversation and message the same id.
//
// Besides the source's own keys, raw_metadata has a few of ours; keys.go lists them. A source key
// of the same name is kept in raw_metadata.shadowed.
package chatgpt

import (
	"github.com/pamline/pamline/providers/importer"
)

// Provider is the name in PAM (§11.4).
const Provider = "chatgpt"

// The released versions.
const (
	Version202607 = "chatgpt-importer/2026.07"
	Version202611 = "chatgpt-importer/2026.11"
	Version202612 = "chatgpt-importer/2026.12"
)

// Version is the current version of the importer.
const Version = Version202612

// Importer reads ChatGPT exports in one version. It has no state.
type Importer struct {
	// old is set for 2026.07, which neither names files nor keeps sidecars.
	old bool
	// unpaired is set for the versions before 2026.12, which do not read a page beside JSON files.
	unpaired bool
}

var _ importer.Importer = Importer{}

// New returns the importer in its current version.
func New() Importer { return Importer{} }

// New202607 returns the version of July 2026. What it makes of an archive never changes.
func New202607() Importer { return Importer{old: true, unpaired: true} }

// New202611 returns the version of November 2026. What it makes of an archive never changes.
func New202611() Importer { return Importer{unpaired: true} }

// Versions returns every released version, newest first.
func Versions() []importer.Importer { return []importer.Importer{New(), New202611(), New202607()} }

// Name is "chatgpt".
func (Importer) Name() string { return Provider }

// Version is "chatgpt-importer/2026.12" or an older one.
func (i Importer) Version() string {
	switch {
	case i.old:
		return Version202607
	case i.unpaired:
		return Version202611
	}
	return Version202612
}

// RestoreFile is conversations.json.
func (Importer) RestoreFile() string { return "conversations.json" }
