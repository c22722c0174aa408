// Package codex reads the session logs ("rollouts") of the Codex CLI:
//
//	sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl   a session: one conversation; also in archived_sessions/
//	AGENTS.md                                         what the program was told to do always
//	history.jsonl, session_index.jsonl                counted, not kept
//
// Six generations are told apart by their lines:
//
//	codex-json      one object {"session":{…},"items":[…]}, of the first weeks
//	codex-lines     a first line {"id","timestamp","instructions","git"}, then bare items and {"record_type":"state"}
//	codex-items     bare items without a first line
//	codex-envelope  {"timestamp","type","payload"}, where type is session_meta, turn_context, response_item, event_msg, …
//	codex-exec      what "codex exec --json" prints: {"type":"thread.started","thread_id"}, {"type":"item.completed","item":{…}}
//	codex-events    what it printed before that: {"model","workdir"}, {"prompt"}, {"id","msg":{"type","message"}}
//
// Version 2026.12 reads the last two, and envelopes without a timestamp on each line. The events of
// codex-exec are described in codex-rs/exec/src/exec_events.rs of github.com/openai/codex:
// thread.started {thread_id}, turn.started, turn.completed {usage}, turn.failed {error{message}},
// item.started, item.updated and item.completed {item}, error {message}; an item is an
// agent_message {text}, reasoning {text}, command_execution {command, aggregated_output, exit_code,
// status}, file_change {changes[{path, kind}], status}, mcp_tool_call {server, tool, arguments,
// result, error, status}, web_search {query}, todo_list {items[{text, completed}]} or error
// {message}, with an id that is unique in its thread.
//
// A log becomes one unit, a JSON array of its lines byte for byte, so that Restore gives the array
// of the lines (of codex-json: the object): written one a line, they are the log again. Items
// become messages: messages, reasoning (thoughts), calls of tools and their outputs, each a message
// of its own. Everything else is kept in raw_metadata at its place in the list: above all the
// events, which tell the screen what the items say already. Only in a log without any message item
// they are read as messages.
//
// What the program put into the person's mouth (the environment, AGENTS.md) has the role system.
package codex

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Name is the name of the importer, and Version its current version.
const (
	Name          = "codex"
	Version       = "codex-importer/2026.12"
	Version202611 = "codex-importer/2026.11"
)

// The provider in PAM (§11.4) and the program.
const (
	provider  = localapp.Provider
	sourceApp = "codex"
)

// reader reads session logs in one version.
type reader struct {
	// old is set for 2026.11, which reads the first four generations, with a timestamp on each
	// envelope.
	old bool
}

func (r reader) format(version string) importer.Importer {
	return &cut.Format{
		Provider: Name, Release: version, File: "rollouts.json",
		ClaimMembers: r.claimMembers, SplitMember: localapp.SplitLogs(roleLines), DecodeUnit: r.decodeUnit, RestoreElement: restoreElement,
	}
}

// New returns the importer in its current version.
func New() importer.Importer { return reader{}.format(Version) }

// New202611 returns the version of November 2026. What it makes of an archive never changes.
func New202611() importer.Importer { return reader{old: true}.format(Version202611) }

// Versions returns every released version, newest first.
func Versions() []importer.Importer { return []importer.Importer{New(), New202611()} }

// restoreElement appends the lines of a session as a JSON array, or the object that holds them.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schemaOf(doc.Provider.ExportFormatVersion).Restore(dst, doc)
}
