package openwebui

import (
	"context"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/sqlite"
)

// Roles of the units of a database.
const (
	roleRow    = "row"    // a chat, with its messages where these have rows
	roleTable  = "table " // and the name of the table: a row that becomes a record
	rolePassed = "passed" // a table that is counted only
)

// chatColumns are columns of the table chat whose text is JSON, messageColumns those of the table
// chat_message.
var (
	chatColumns    = sqlite.Columns{JSON: []string{"chat", "meta", "tasks", "variables"}}
	messageColumns = sqlite.Columns{JSON: []string{"content", "output", "files", "sources", "embeds", "meta", "status_history", "error", "usage", "annotation"}}
)

// isDatabase tells whether a database is that of Open WebUI.
func isDatabase(ctx context.Context, db *sqlite.DB) (bool, error) {
	ok, err := db.HasColumns(ctx, tableChats, "id", "chat", "title")
	if err != nil || ok {
		return ok, err
	}
	return db.HasColumns(ctx, tableMessages, "id", "chat_id", "role", "parent_id")
}

// databaseUnits gives a unit for each chat, then one for each row of the other tables that are
// kept.
func databaseUnits(r *sqlite.Units) bool {
	chats := sqlite.Source{Table: tableChats, Key: []string{"id"}, Of: -1}
	messages := sqlite.Source{Table: tableMessages, Key: []string{"chat_id"}, Of: -1}
	if !r.EachGroup("a chat", "", rowUnits, chats, messages) {
		return false
	}
	for _, table := range r.DB.Tables() {
		more := true
		if t, keep := recordTables[table]; keep {
			more = r.Table(roleTable+table, table, sqlite.Columns{JSON: t.json, Without: t.without})
		} else if table != tableChats && table != tableMessages {
			more = r.Passed(rolePassed, table)
		}
		if !more {
			return false
		}
	}
	return true
}

// rowUnits gives the unit of a chat. Messages whose chat is gone still are a conversation; a second
// row with the same id stands alone.
func rowUnits(r *sqlite.Units, g sqlite.Group) bool {
	chats, messages := g.Rows[0], g.Rows[1]
	if len(chats) == 0 {
		orphan := []byte("{}")
		if id := g.Key[0]; id != sqlite.NoKey {
			orphan = append(pamio.AppendString([]byte(`{"id":`), id[1:]), '}')
		}
		raw, more := r.With(orphan, tableMessages, messages, messageColumns)
		return more && r.Give(roleRow, raw)
	}
	for _, row := range chats {
		raw, more := r.Object(row, chatColumns)
		if more && raw != nil && len(messages) > 0 {
			raw, more = r.With(raw, tableMessages, messages, messageColumns)
			messages = nil
		}
		if !more || raw != nil && !r.Give(roleRow, raw) {
			return false
		}
	}
	return true
}
