// Package chatgpt reads the data exports of OpenAI ChatGPT, from 2023 to the slim form of July 2026, and writes them back.
//
// A conversation element becomes one document. Every value of the element that has a field in PAM is kept there and
// nowhere else; the rest lies in raw_metadata in the nesting of the source: raw_metadata.author, raw_metadata.content,
// raw_metadata.metadata and so on of a message, the unmapped keys of the conversation at the document's own level. So
// Restore gives the element back, equal as a JSON value, and what was edited in the document is edited in the element.
//
// Besides the source's own keys, raw_metadata has a few of ours; keys.go lists them. A source key of the same name is
// kept in raw_metadata.shadowed.
package chatgpt

import (
	"github.com/pamline/pamline/providers/importer"
)

// Provider is the name in PAM (§11.4).
const Provider = "chatgpt"

// Version is the current version of the importer.
const Version = "chatgpt-importer/2026.07"

// Importer reads ChatGPT exports. It has no state.
type Importer struct{}

var _ importer.Importer = Importer{}

// New returns the importer in its current version.
func New() Importer { return Importer{} }

// Name is "chatgpt".
func (Importer) Name() string { return Provider }

// Version is "chatgpt-importer/2026.07".
func (Importer) Version() string { return Version }

// RestoreFile is conversations.json.
func (Importer) RestoreFile() string { return "conversations.json" }
