// Package codex reads the session logs ("rollouts") of the Codex CLI:
//
//	sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl   a session: one conversation; also in archived_sessions/
//	AGENTS.md                                         what the program was told to do always
//	history.jsonl, session_index.jsonl                counted, not kept
//
// Four generations are told apart by their lines:
//
//	codex-json      one object {"session":{…},"items":[…]}, of the first weeks
//	codex-lines     a first line {"id","timestamp","instructions","git"}, then bare items and {"record_type":"state"}
//	codex-items     bare items without a first line
//	codex-envelope  {"timestamp","type","payload"}, where type is session_meta, turn_context, response_item, event_msg, …
//
// A log becomes one unit, a JSON array of its lines byte for byte, so that Restore gives the array of the lines (of
// codex-json: the object): written one a line, they are the log again. Items become messages: messages, reasoning (thoughts), calls of tools and
// their outputs, each a message of its own. Everything else is kept in raw_metadata at its place in the list: above all the
// events, which tell the screen what the items say already. Only in a log without any message item they are read as
// messages.
//
// What the program put into the person's mouth (the environment, AGENTS.md) has the role system.
package codex

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

// Name is the name of the importer, and Version its current version.
const (
	Name    = "codex"
	Version = "codex-importer/2026.11"
)

// The provider in PAM (§11.4) and the program.
const (
	provider  = "local"
	sourceApp = "codex"
)

// Importer reads session logs. It has no state.
type Importer struct{}

var _ importer.Importer = Importer{}

// New returns the importer.
func New() importer.Importer { return Importer{} }

// Name is "codex".
func (Importer) Name() string { return Name }

// Version is "codex-importer/2026.11".
func (Importer) Version() string { return Version }

// RestoreFile is rollouts.json: a list of sessions, each the list of its lines.
func (Importer) RestoreFile() string { return "rollouts.json" }

// Restore appends the lines of a session as a JSON array, or the object of a session that is one.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schemaOf(doc.Provider.ExportFormatVersion).Restore(dst, doc)
}
