// Package geminicli reads the sessions that Gemini CLI keeps on the person's own machine:
//
//	~/.gemini/tmp/<project>/chats/session-<time>-<id>.json    a session: one object ("gemini-cli")
//	~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl   a session of newer versions: a log ("gemini-cli-log")
//	~/.gemini/tmp/<project>/chats/<parent>/<id>.jsonl         a session of a subagent
//	~/.gemini/tmp/<project>/logs.json                         what was typed: counted, not kept
//
// The fields, from packages/core/src/services/chatRecordingTypes.ts and chatRecordingService.ts of
// github.com/google-gemini/gemini-cli:
//
//	session   sessionId, projectHash, startTime, lastUpdated, messages, summary?, directories?, kind? (main, subagent),
//	          memoryScratchpad?
//	message   id, timestamp, type (user, gemini, info, error, warning), content, displayContent?; of gemini also
//	          thoughts? [{subject, description, timestamp}], toolCalls?, tokens? {input, output, cached, thoughts?, tool?,
//	          total}, model?
//	content   a text, a part or a list of parts: {text}, {inlineData {mimeType, data}}, {fileData}, {functionCall},
//	          {functionResponse}
//	toolCall  id, name, args, result? [{functionResponse {id, name, response {output | error}}}], status, timestamp, …
//	log       a line with the session without messages, then a line for each state of a message; of several lines with one id
//	          the last counts. {"$set": {…}} changes the session; {"$rewindTo": id} takes back the message and all behind it.
//
// A thought becomes a message of its own before the answer, the output of a tool one behind it.
// What was taken back in a log stays as a branch. Restore gives the object, or the list of the
// lines.
package geminicli

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

const (
	name      = "geminicli"
	version   = "geminicli-importer/2026.12"
	sourceApp = "gemini-cli"
)

// The forms, as provider.export_format_version has them.
const (
	formatObject = sourceApp
	formatLog    = sourceApp + "-log"
)

// New returns the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: name, Release: version, File: "sessions.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeElement: decodeElement, RestoreElement: lossless.Schemas{formatLog: logSchema, "": objectSchema}.RestoreOr(""),
	}
}

// splitMember yields a unit for each session, one for each broken line of a log, and one for each
// counted file.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	switch u.Role {
	case roleLog:
		return cut.Lines(ctx, u, yield)
	case roleHistory:
		return cut.Counted(ctx, u, historySkip, yield)
	}
	return cut.Text(ctx, u, yield)
}
