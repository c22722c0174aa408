package openwebui

import (
	"strings"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/openwebui/chat"
	"github.com/pamline/pamline/providers/sqlite"
)

// decodeUnit makes the items of one unit.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	var files chat.Files
	if found, ok := u.Context.(*claimed); ok {
		files = found.files
	}
	switch {
	case u.Role == roleRow:
		items, err := dialect.Decode(u, files)
		for _, i := range items {
			version := &i.Conversation.Doc.Provider.ExportFormatVersion
			if rest, ok := strings.CutPrefix(*version, "chat-export"); ok {
				*version = formDatabase + rest
			}
		}
		return items, err
	case strings.HasPrefix(u.Role, roleTable):
		return records(u, strings.TrimPrefix(u.Role, roleTable))
	case u.Role == rolePassed:
		return passed(u)
	case u.Role == roleRest:
		return importer.Skipped("answer_status", "what stands around the list of chats: the status of a server's answer", 1), nil
	}
	return dialect.Decode(u, files)
}

// passed counts the rows of a table that is not kept.
func passed(u importer.Unit) ([]importer.Item, error) {
	table, rows, err := sqlite.PassedTable(u)
	if err != nil {
		return nil, err
	}
	why, known := passedTables[table]
	if !known {
		why.code, why.reason = "other_table", "this table of the server holds no chats"
		if len(table) <= 60 {
			why.reason = "table " + table + " of the server holds no chats"
		}
	}
	return importer.Skipped(why.code, why.reason, rows), nil
}
