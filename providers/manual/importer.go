// Package manual reads what a person saved by hand: the answer of an assistant to the question what
// it remembers, as a text or Markdown file (PAM §20.1, "memory prompt"). Any text file could be
// one, so that this importer is used only when it is asked for by name.
//
// A file is read as a list of statements: a bullet, a numbered or dated line, or a paragraph each.
// Headings, and lines that end with a colon above a list, say what the statements below are about.
// Where assistants are asked for an export of their memories they answer with categories
// (instructions, identity, career, projects, preferences), with entries of the form "[2026-01-02] -
// …", and with all of it in one block of code; that block is opened, and what the assistant says
// around it is kept as a remark, not as a memory. Other blocks of code belong to the statement that
// they follow.
//
// The text of a record is that of the file without the mark of the list and the date; its source
// has the lines as they are.
package manual

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

const provider = "manual"

// Version is the version of what this importer makes of a file. Golden files hold it.
const Version = "manual-importer/2026.11"

// Importer reads saved answers. The zero value works, and does not know whose answers they are.
type Importer struct {
	source string // the provider whose assistant answered, "" when nobody says
}

// New gives the importer. It claims any text file: register it so that only a pin selects it.
func New() importer.Importer { return Importer{} }

// Name is "manual".
func (Importer) Name() string { return provider }

// Version is Version, with the source behind it.
func (i Importer) Version() string {
	if i.source != "" {
		return Version + importer.SourceMark + i.source
	}
	return Version
}

// OfSource gives the importer for answers of an assistant.
func (Importer) OfSource(source string) importer.Importer { return Importer{source} }

// RestoreFile is never written: text has no inverse.
func (Importer) RestoreFile() string { return "memories.md" }

// Restore gives importer.ErrNoInverse: there are no conversations in these files.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return dst, fmt.Errorf("restore conversation %s: saved texts hold no conversations: %w", doc.ID, importer.ErrNoInverse)
}

// OnlyNamed says that any text would do, so that a person has to say what it is.
func (Importer) OnlyNamed() {}
