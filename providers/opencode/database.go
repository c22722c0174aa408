package opencode

import (
	"context"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/sqlite"
)

// Tables of the database.
const (
	tableSessions = "session"
	tableMessages = "message"
	tableParts    = "part"
)

// Roles of the units of a database.
const (
	roleRow    = "row"
	rolePassed = "passed"
	roleLost   = "lost"
)

func isDatabase(ctx context.Context, db *sqlite.DB) (bool, error) {
	for table, columns := range map[string][]string{
		tableSessions: {"id", "project_id", "title"}, tableMessages: {"id", "session_id", "data"}, tableParts: {"id", "message_id", "data"},
	} {
		if ok, err := db.HasColumns(ctx, table, columns...); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// units gives a unit for each session, then one for each other table, which is counted.
func units(r *sqlite.Units) bool {
	return r.EachGroup("a session", roleLost, sessionUnit,
		sqlite.Source{Table: tableSessions, Key: []string{"id"}, Of: -1},
		sqlite.Source{Table: tableMessages, Key: []string{"session_id"}, Of: -1, ID: "id"},
		sqlite.Source{Table: tableParts, Key: []string{"message_id"}, Of: 1},
	) && r.PassOthers(rolePassed, tableSessions, tableMessages, tableParts)
}

// sessionUnit gives the unit of a session. Messages whose session is gone still are a conversation.
func sessionUnit(r *sqlite.Units, g sqlite.Group) bool {
	info := []byte("{}")
	if id := g.Key[0]; id != sqlite.NoKey {
		info = append(pamio.AppendString([]byte(`{"id":`), id[1:]), '}')
	}
	if len(g.Rows[0]) > 0 {
		row, more := r.Object(g.Rows[0][0], sqlite.Columns{JSON: []string{"summary_diffs", "revert", "permission", "goal", "model"}})
		if !more {
			return false
		}
		if row != nil {
			info = row
		}
	}
	parts := map[string][][]byte{}
	for _, row := range g.Rows[2] {
		raw, more := r.Object(row, sqlite.Columns{JSON: []string{"data"}})
		if !more {
			return false
		}
		if raw != nil {
			part, message := inline(raw, "message_id")
			parts[message] = append(parts[message], part)
		}
	}
	raw := append(append([]byte(`{"info":`), info...), `,"messages":[`...)
	for i, row := range g.Rows[1] {
		m, more := r.Object(row, sqlite.Columns{JSON: []string{"data"}})
		if !more {
			return false
		}
		if m == nil {
			continue
		}
		if i > 0 && raw[len(raw)-1] != '[' {
			raw = append(raw, ',')
		}
		message, id := inline(m, "id")
		raw = append(append(append(raw, `{"info":`...), message...), `,"parts":[`...)
		for k, p := range parts[id] {
			if k > 0 {
				raw = append(raw, ',')
			}
			raw = append(raw, p...)
		}
		raw = append(raw, "]}"...)
	}
	return r.Give(roleRow, append(raw, "]}"...))
}

// inline gives a row with the fields of its data beside the columns, and the text of one column. A
// field with the name of a column stays in data.
func inline(row []byte, column string) (out []byte, text string) {
	d, err := jsonscan.Parse(row, 0)
	if err != nil {
		return row, "" // it was written as JSON
	}
	root := d.Root()
	data := root.Get("data")
	text = root.Get(column).Str()
	if data.Kind() != jsonscan.Object {
		return row, text
	}
	for k := range data.Fields() {
		if root.Get(k.Str()).Exists() {
			return row, text
		}
	}
	out = []byte{'{'}
	field := func(k, v jsonscan.Node) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = v.AppendCompact(append(append(out, k.Raw()...), ':'))
	}
	for k, v := range root.Fields() {
		if !k.Is("data") {
			field(k, v)
		}
	}
	for k, v := range data.Fields() {
		field(k, v)
	}
	return append(out, '}'), text
}
