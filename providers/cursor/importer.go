// Package cursor reads the chats of the editor Cursor, which lie in SQLite databases of keys and
// values:
//
//	User/globalStorage/state.vscdb             table cursorDiskKV: the chats
//	User/workspaceStorage/<hash>/state.vscdb   table ItemTable: the chats of the first versions
//
// The directory User is ~/.config/Cursor/User, ~/Library/Application Support/Cursor/User or
// %APPDATA%\Cursor\User. Cursor is not open source; the forms are those that tools agree on which
// read its databases, such as github.com/kenn-io/agentsview (cursor_vscdb.go),
// github.com/michaeldhood/chatrxiv (docs/cursor/storage-reference.md) and
// github.com/thomas-pedersen/cursor-chat-browser:
//
//	cursor-composer   composerData:<composer>: composerId, name, createdAt, lastUpdatedAt (milliseconds),
//	                  fullConversationHeadersOnly [{bubbleId, type}], modelConfig, …; older: the bubbles themselves, in the list
//	                  conversation or in conversationMap. bubbleId:<composer>:<bubble>: bubbleId, type (1 the person, 2 the
//	                  assistant), text, createdAt, thinking {text}, toolFormerData {name, toolCallId, rawArgs, params, result,
//	                  status}, modelInfo {modelName}, tokenCount {inputTokens, outputTokens}
//	cursor-tab        workbench.panel.aichat.view.aichat.chatdata: {tabs [{tabId, chatTitle, lastSendTime, bubbles [{id, type
//	                  (user, ai), text, rawText}]}]}
//
// A chat becomes a unit: {"composer": {…}, "bubbles": [{…}]}, the bubbles in the order of the
// headers, or a tab. Restore gives that object; the database is not built again. A thought and the
// result of a tool become messages of their own. Keys of encryption, and all other rows, among them
// those of the account, are not kept.
package cursor

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/sqlite"
)

const (
	name    = "cursor"
	version = "cursor-importer/2026.12"
)

// The forms, as provider.export_format_version has them.
const (
	formatComposer = "cursor-composer"
	formatTab      = "cursor-tab"
)

// New returns the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: name, Release: version, File: "chats.json",
		ClaimMembers: sqlite.ClaimDatabases(isDatabase, isNamed), SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: lossless.Schemas{formatTab: tabSchema, "": composerSchema}.RestoreOr(""),
	}
}

// isNamed tells whether a member bears the name of the program's database.
func isNamed(name string) bool {
	return strings.EqualFold(path.Base(name), "state.vscdb") && strings.Contains(strings.ToLower(name), "cursor")
}

func isDatabase(ctx context.Context, db *sqlite.DB) (bool, error) {
	if ok, err := db.HasColumns(ctx, tableKV, "key", "value"); err != nil || ok {
		return ok, err
	}
	if ok, err := db.HasColumns(ctx, tableItems, "key", "value"); err != nil || !ok {
		return false, err
	}
	for row, err := range db.Keys(ctx, tableItems, "key") {
		if err != nil {
			return false, err
		}
		if row.Key == keyTabs {
			return true, nil
		}
	}
	return false, nil
}

// splitMember yields a unit for each chat, and the counts of the rest.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	logs, _ := u.Context.(sqlite.Logs)
	return sqlite.Split(ctx, u, logs, yield, units)
}
