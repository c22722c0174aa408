// Package copilotchat reads the chats that Visual Studio Code keeps on the person's own machine,
// which are those of GitHub Copilot Chat:
//
//	User/workspaceStorage/<hash>/chatSessions/<uuid>.json     a session: one object ("vscode-chat")
//	User/workspaceStorage/<hash>/chatSessions/<uuid>.jsonl    a session of newer versions: a log of changes ("vscode-chat-log")
//	User/globalStorage/emptyWindowChatSessions/<uuid>.json…   the same, of windows without a folder
//	chat.json                                                 what "Chat: Export Chat…" writes: the object without a sessionId
//
// The fields, from src/vs/workbench/contrib/chat/common (chatModel.ts, chatService.ts and
// model/objectMutationLog.ts) of github.com/microsoft/vscode:
//
//	session   version, sessionId, creationDate, lastMessageDate (milliseconds), customTitle?, requesterUsername,
//	          responderUsername, initialLocation, isImported, inputState, requests
//	request   requestId, message (a text, or {text, parts}), variableData, response?, responseId?, agent?, slashCommand?,
//	          modelId?, timestamp?, result? {timings, metadata, errorDetails}, followups?, isCanceled?, vote?
//	response  a list of pieces: {value} and {kind: markdownContent | markdownVuln, content {value}} are Markdown; {kind: thinking,
//	          value (a text or a list of texts)}; {kind: toolInvocationSerialized, toolId, toolCallId, invocationMessage,
//	          pastTenseMessage, toolSpecificData?, resultDetails?, isComplete}; {kind: warning, content}; and pieces without
//	          words: inlineReference, textEditGroup, codeblockUri, undoStop, progressMessage, …
//	log       {"kind": 0, "v"} is the whole session, {"kind": 1, "k": path, "v"} sets a value, {"kind": 2, "k", "v"?, "i"?}
//	          cuts a list at i and appends to it, {"kind": 3, "k"} deletes
//
// A log is replayed: the unit is the object that its changes lead to, and Restore gives that
// object. States in between, which the program itself does not show any more, are not kept.
//
// A request becomes the message of the person and one or more of the assistant; a thought is a
// message of its own.
package copilotchat

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	name      = "copilotchat"
	version   = "copilotchat-importer/2026.12"
	sourceApp = "vscode-chat"
)

// The forms, as provider.export_format_version has them.
const (
	formatObject = sourceApp
	formatLog    = sourceApp + "-log"
)

// New returns the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: name, Release: version, File: "chat-sessions.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeElement: decodeElement, RestoreElement: schema.Restore,
	}
}

// splitMember yields a unit for each session, and one for each broken line of a log.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	if u.Role == roleLog {
		return replay(ctx, u, yield)
	}
	return cut.Text(ctx, u, yield)
}
