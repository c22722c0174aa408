// Package ollama reads db.sqlite, the database of Ollama's desktop app. Its tables are chats,
// messages, tool_calls and attachments; their columns grow with the versions of the app, and all
// that are there are read. It is known by these tables and columns.
package ollama

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
)

const version = "ollama-importer/2026.11"

// Importer reads Ollama's desktop app.
type Importer struct{}

// New makes an importer.
func New() importer.Importer { return Importer{} }

// Name is the importer's name. In PAM the provider is "local".
func (Importer) Name() string { return "ollama" }

// Version is the importer's version.
func (Importer) Version() string { return version }

// RestoreFile names the file that would be restored, if the database had an inverse.
func (Importer) RestoreFile() string { return "chats.json" }

// Restore gives an error: a database is not built again. Its rows are kept in raw_metadata.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return dst, fmt.Errorf("restore conversation %s: it was rows of a database: %w", doc.ID, importer.ErrNoInverse)
}

// logs are the files with the newest changes, by the index of their database.
type logs map[int]*archive.Member

// Claim takes databases by their tables.
func (Importer) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	c, found, err := sqlite.Claim(ctx, members, peek, limits, isDatabase, func(name string) bool {
		return strings.EqualFold(path.Base(name), "db.sqlite") && strings.EqualFold(path.Base(path.Dir(name)), "ollama")
	})
	return importer.Claim{Members: c, Context: logs(found)}, err
}

// isDatabase tells whether a database is Ollama's.
func isDatabase(ctx context.Context, db *sqlite.DB) (bool, error) {
	if ok, err := db.HasColumns(ctx, tableChats, "id", "title", "created_at"); err != nil || !ok {
		return false, err
	}
	return db.HasColumns(ctx, tableMessages, "id", "chat_id", "role", "content", "model_name", "stream")
}

// Split gives a unit for each chat, then one for each other table, which is counted.
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
