// Package claudecode reads the session logs that Claude Code keeps in its folder on the person's
// own machine:
//
//	projects/<slug>/<session>.jsonl                        a session: one conversation
//	projects/<slug>/<session>/subagents/agent-<id>.jsonl   a subagent: a conversation of its own (older: beside the session)
//	projects/<slug>/<session>/subagents/agent-<id>.meta.json
//	projects/<slug>/memory/*.md, CLAUDE.md                 what the program remembers, and what it was told to do always
//	history.jsonl, todos/*.json, projects/<slug>/sessions-index.json   counted, not kept
//
//	*.json {"loglines": […]}                               a session of Claude Code on the web, as its API gives it
//
// There is one form with two generations, which are told apart by the version of the program in the
// lines: before 2.0 subagents were written into the session itself, with isSidechain set, or into a
// file beside it; since then they have a folder. Both are read alike.
//
// Version 2026.12 also reads logs whose lines have no sessionId: logs of the first months, logs
// that were shortened, the lines of "claude -p --output-format stream-json" (which have
// session_id), and the list of such lines in loglines. The form of loglines is that of the fixtures
// of github.com/simonw/claude-code-transcripts: an object whose list has the lines {"type",
// "timestamp", "message": {"role", "content"}} of a log, mostly without uuid and parentUuid.
//
// A log becomes one unit, a JSON array of its lines byte for byte, so that Restore gives the array
// of the lines: written one a line, they are the log again, in the order of the log and equal as
// JSON values. Lines that carry a message become messages; all others (progress, snapshots of
// files, titles) are kept in raw_metadata at their place in the list.
//
// What the program put into the person's mouth is no message of the person: the results of tools
// have the role tool; what the program injected (isMeta, isCompactSummary), and what the assistant
// told a subagent to do, the role system.
package claudecode

import (
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// Name is the name of the importer, and Version its current version.
const (
	Name          = "claudecode"
	Version       = "claudecode-importer/2026.12"
	Version202611 = "claudecode-importer/2026.11"
)

// The provider in PAM (§11.4) and the program.
const (
	provider  = localapp.Provider
	sourceApp = "claude-code"
)

// reader reads session logs in one version.
type reader struct {
	// old is set for 2026.11, which reads only logs with a sessionId.
	old bool
}

func (r reader) format(version string) importer.Importer {
	return &cut.Format{
		Provider: Name, Release: version, File: "session.json",
		ClaimMembers: r.claimMembers, SplitMember: localapp.SplitLogs(roleSession), DecodeUnit: r.decodeUnit, RestoreElement: lossless.Schemas{formatWrapped: wrappedSchema, "": schema}.RestoreOr(""),
	}
}

// New returns the importer in its current version.
func New() importer.Importer { return reader{}.format(Version) }

// New202611 returns the version of November 2026. What it makes of an archive never changes.
func New202611() importer.Importer { return reader{old: true}.format(Version202611) }

// Versions returns every released version, newest first.
func Versions() []importer.Importer { return []importer.Importer{New(), New202611()} }
