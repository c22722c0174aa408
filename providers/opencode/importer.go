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

// New returns the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: name, Release: version, File: "sessions.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, SplitRest: splitStorage, DecodeUnit: decodeUnit, RestoreElement: schema.Restore,
	}
}

// splitMember yields a unit for each session of an export or database, and the counts of the rest.
// Files of the storage are read by session.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	found, _ := u.Context.(*claimed)
	u.Context = nil
	if u.Role == roleExport {
		return cut.Text(ctx, u, yield)
	}
	return sqlite.Split(ctx, u, found.logs, yield, units)
}

// splitStorage yields a unit for each session of the storage, and one for each of its files that
// cannot be read.
func splitStorage(ctx context.Context, c importer.Claim, limits importer.Limits, yield func(importer.Unit, error) bool) {
	if found, _ := c.Context.(*claimed); found != nil {
		found.storage.split(ctx, limits, yield)
	}
}
