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
	"iter"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
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

// Importer reads the databases. It has no state.
type Importer struct{}

// New returns the importer.
func New() importer.Importer { return Importer{} }

// Name is "cursor".
func (Importer) Name() string { return name }

// Version names the importer and its version.
func (Importer) Version() string { return version }

// RestoreFile is chats.json: a list of chats.
func (Importer) RestoreFile() string { return "chats.json" }

// logs are the files with the newest changes, by the index of their database.
type logs map[int]*archive.Member

// Claim takes databases by their tables, and those of workspaces by the key of the chats in them.
func (Importer) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	c, found, err := sqlite.Claim(ctx, members, peek, limits, isDatabase, func(name string) bool {
		return strings.EqualFold(path.Base(name), "state.vscdb") && strings.Contains(strings.ToLower(name), "cursor")
	})
	return importer.Claim{Members: c, Context: logs(found)}, err
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

// Split yields a unit for each chat, and the counts of the rest.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	found, _ := c.Context.(logs)
	return cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		switch u.Role {
		case sqlite.RoleDatabase:
			return sqlite.ReadUnits(ctx, u, found[u.Member.Index], yield, units)
		case sqlite.RoleBeside:
			return yield(u, nil)
		}
		return true // a log, which is read with its database
	})
}

// Restore appends the object of a chat.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if doc.Provider.ExportFormatVersion == formatTab {
		return tabSchema.Restore(dst, doc)
	}
	return composerSchema.Restore(dst, doc)
}
