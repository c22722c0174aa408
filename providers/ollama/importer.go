// Package ollama reads db.sqlite, the database of Ollama's desktop app. Its tables are chats,
// messages, tool_calls and attachments; their columns grow with the versions of the app, and all
// that are there are read. It is known by these tables and columns.
package ollama

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
)

const version = "ollama-importer/2026.11"

// New makes an importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: "ollama", Release: version, File: "chats.json",
		ClaimMembers: sqlite.ClaimDatabases(isDatabase, isNamed), SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: cut.WithoutInverse("it was rows of a database"),
	}
}

// isNamed tells whether a member bears the name of the program's database.
func isNamed(name string) bool {
	return strings.EqualFold(path.Base(name), "db.sqlite") && strings.EqualFold(path.Base(path.Dir(name)), "ollama")
}

// isDatabase tells whether a database is Ollama's.
func isDatabase(ctx context.Context, db *sqlite.DB) (bool, error) {
	if ok, err := db.HasColumns(ctx, tableChats, "id", "title", "created_at"); err != nil || !ok {
		return false, err
	}
	return db.HasColumns(ctx, tableMessages, "id", "chat_id", "role", "content", "model_name", "stream")
}

// splitMember gives a unit for each chat, then one for each other table, which is counted.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	logs, _ := u.Context.(sqlite.Logs)
	return sqlite.Split(ctx, u, logs, yield, units)
}
