package ollama

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/sqlite"
)

// Tables of the database.
const (
	tableChats       = "chats"
	tableMessages    = "messages"
	tableCalls       = "tool_calls"
	tableAttachments = "attachments"
)

// Roles of units: a chat with its messages; a table that is counted; rows whose message is gone.
const (
	roleChat   = "chat"
	rolePassed = "passed"
	roleLost   = "lost"
)

// units gives a unit for each chat: its row, with "messages", and in each of them "tool_calls" and
// "attachments".
func units(r *sqlite.Units) bool {
	return r.EachGroup("a chat", roleLost, chatUnit,
		sqlite.Source{Table: tableChats, Key: []string{"id"}, Of: -1},
		sqlite.Source{Table: tableMessages, Key: []string{"chat_id"}, Of: -1, ID: "id"},
		sqlite.Source{Table: tableCalls, Key: []string{"message_id"}, Of: 1},
		sqlite.Source{Table: tableAttachments, Key: []string{"message_id"}, Of: 1},
	) && r.PassOthers(rolePassed, tableChats, tableMessages, tableCalls, tableAttachments)
}

// chatUnit gives the unit of a chat. Messages whose chat is gone still are a conversation; a second
// row with the same id stands alone.
func chatUnit(r *sqlite.Units, g sqlite.Group) bool {
	for _, row := range g.Rows[0][min(1, len(g.Rows[0])):] {
		if raw, more := r.Object(row, sqlite.Columns{}); !more || raw != nil && !r.Give(roleChat, raw) {
			return false
		}
	}
	raw := []byte("{}")
	if id := g.Key[0]; id != sqlite.NoKey {
		raw = append(pamio.AppendString([]byte(`{"id":`), id[1:]), '}')
	}
	if len(g.Rows[0]) > 0 {
		row, more := r.Object(g.Rows[0][0], sqlite.Columns{JSON: []string{"browser_state"}})
		if !more {
			return false
		}
		if row != nil {
			raw = row
		}
	}
	calls, more := byMessage(r, g.Rows[2])
	if !more {
		return false
	}
	files, more := byMessage(r, g.Rows[3])
	if !more {
		return false
	}
	raw = appendKey(raw, tableMessages)
	some := false
	for _, row := range g.Rows[1] {
		m, more := r.Object(row, sqlite.Columns{JSON: []string{"tool_result"}})
		if !more {
			return false
		}
		if m == nil {
			continue
		}
		id := key(m, "id")
		m = with(m, tableCalls, calls[id])
		m = with(m, tableAttachments, files[id])
		if some {
			raw = append(raw, ',')
		}
		raw, some = append(raw, m...), true
	}
	return r.Give(roleChat, append(raw, "]}"...))
}

// byMessage reads rows that hang on messages, by the id of the message.
func byMessage(r *sqlite.Units, rows []sqlite.Row) (map[string][][]byte, bool) {
	out := map[string][][]byte{}
	for _, row := range rows {
		raw, more := r.Object(row, sqlite.Columns{})
		if !more {
			return nil, false
		}
		if raw != nil {
			id := key(raw, "message_id")
			out[id] = append(out[id], raw)
		}
	}
	return out, true
}

// key is a value of a row as text, whatever its type.
func key(object []byte, name string) string {
	doc, err := jsonscan.Parse(object, 0)
	if err != nil {
		return ""
	}
	v := doc.Root().Get(name)
	if v.Kind() == jsonscan.String {
		return v.Str()
	}
	return string(v.Raw())
}

// with puts a list into an object, unless it is empty.
func with(object []byte, name string, list [][]byte) []byte {
	if len(list) == 0 {
		return object
	}
	object = appendKey(object, name)
	for i, v := range list {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(object, v...)
	}
	return append(object, "]}"...)
}

// appendKey opens a list in an object.
func appendKey(object []byte, name string) []byte {
	object = object[:len(object)-1]
	if len(object) > 1 {
		object = append(object, ',')
	}
	return append(pamio.AppendString(object, name), ":["...)
}
