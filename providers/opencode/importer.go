// Package opencode reads the sessions of OpenCode, which keeps them in one of three forms:
//
//	opencode-storage   ~/.local/share/opencode/storage: session/<project>/<session>.json, message/<session>/<message>.json,
//	                   part/<message>/<part>.json; older: session/info/<session>.json, session/message/…, session/part/…
//	opencode-db        ~/.local/share/opencode/opencode.db, with the tables session, message and part
//	opencode-export    what "opencode export" writes
//
// The fields, from packages/opencode/src/session (message-v2.ts and session.sql.ts) of
// github.com/anomalyco/opencode:
//
//	session   id, title, version, projectID, directory, parentID?, time {created, updated} (milliseconds), summary?, share?
//	message   id, sessionID, role (user, assistant), time {created, completed?}; of an assistant also parentID, modelID,
//	          providerID, mode, cost, tokens {input, output, reasoning, cache}, error?
//	part      id, sessionID, messageID, type: text {text, synthetic?}, reasoning {text}, tool {callID, tool, state {status, input,
//	          output | error, title, metadata, time}}, file {mime, filename?, url}, and parts without words: step-start,
//	          step-finish, snapshot, patch, agent, subtask, retry, compaction
//	rows      the columns id, session_id, message_id, time_created, time_updated, and data, the JSON of the rest
//
// Whatever the form, a session becomes one unit in the form of the export, {"info": session,
// "messages": [{"info": message, "parts": [part…]}]}, and Restore gives that object, which
// "opencode import" reads. In it, a row is its columns with the fields of data beside them.
//
// A thought and the output of a tool become messages of their own. Texts that the program put into
// the person's mouth (synthetic) have the role system.
package opencode

import (
	"context"
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
)

const (
	name    = "opencode"
	version = "opencode-importer/2026.12"
)

// The forms, as provider.export_format_version has them.
const (
	formatStorage = "opencode-storage"
	formatDB      = "opencode-db"
	formatExport  = "opencode-export"
)

// Importer reads the sessions. It has no state.
type Importer struct{}

// New returns the importer.
func New() importer.Importer { return Importer{} }

// Name is "opencode".
func (Importer) Name() string { return name }

// Version names the importer and its version.
func (Importer) Version() string { return version }

// RestoreFile is sessions.json: a list of sessions as the program exports them.
func (Importer) RestoreFile() string { return "sessions.json" }

// Split yields a unit for each session, one for each file that cannot be read, and the counts of
// the rest.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	found, _ := c.Context.(*claimed)
	return func(yield func(importer.Unit, error) bool) {
		each := cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
			u.Context = nil
			switch u.Role {
			case roleExport:
				return cut.Text(ctx, u, yield)
			case sqlite.RoleDatabase:
				return sqlite.ReadUnits(ctx, u, found.logs[u.Member.Index], yield, units)
			case sqlite.RoleBeside:
				return yield(u, nil)
			}
			return true // files of the storage, which are read by session, and logs of databases
		})
		for u, err := range each {
			if !yield(u, err) {
				return
			}
		}
		if found != nil {
			found.storage.split(ctx, limits.WithDefaults(), yield)
		}
	}
}

// Restore appends a session as the program exports it.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schema.Restore(dst, doc)
}
