package cursor

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/sqlite"
)

// Tables, and the keys of chats in them.
const (
	tableKV     = "cursorDiskKV"
	tableItems  = "ItemTable"
	keyComposer = "composerData:"
	keyBubble   = "bubbleId:"
	keyTabs     = "workbench.panel.aichat.view.aichat.chatdata"
)

// Roles of units.
const (
	roleComposer = "composer"
	roleTab      = "tab"
	rolePassed   = "passed"
	roleBroken   = "broken" // a row that is not JSON
)

// sortBudget is how many bytes of keys are held in memory.
const sortBudget = 8 << 20

// units gives a unit for each chat of a database.
func units(r *sqlite.Units) bool {
	if r.DB.Has(tableKV) && !composers(r) {
		return false
	}
	return !r.DB.Has(tableItems) || tabs(r)
}

// chatRow is a row of a chat: its bubble is "" for the chat itself.
type chatRow struct {
	bubble string
	row    sqlite.Row
}

// composers gives the chats of the global database. Their rows lie anywhere in the table, and are
// sorted by chat.
func composers(r *sqlite.Units) bool {
	sorter := extsort.New(r.Limits().Scratch, sortBudget)
	defer sorter.Close() //nolint:errcheck // the scratch file is gone or the folder is emptied
	passed := 0
	for row, err := range r.DB.Keys(r.Ctx, tableKV, "key") {
		if err != nil {
			if !r.Fault(err) {
				return false
			}
			continue
		}
		key, ok := chatKey(row)
		if !ok {
			passed++
			continue
		}
		value := binary.AppendVarint(binary.AppendVarint(nil, row.ID), row.Size)
		if err := sorter.Add(key, value); err != nil {
			return r.Fault(fmt.Errorf("sort rows: %w", err))
		}
	}
	var rows []chatRow
	size, current, some := int64(0), "", false
	flush := func() bool {
		if !some {
			return true
		}
		if size > r.Limits().MaxConversation {
			return r.TooBig("a chat", size)
		}
		return composer(r, current, rows)
	}
	for rec, err := range sorter.Sorted() {
		if err != nil {
			return r.Fault(fmt.Errorf("sort rows: %w", err))
		}
		id, bubble, _ := strings.Cut(string(rec.Key), "\x00")
		if !some || id != current {
			if !flush() {
				return false
			}
			rows, size, current, some = rows[:0], 0, id, true
		}
		number, n := binary.Varint(rec.Value)
		bytes, _ := binary.Varint(rec.Value[n:])
		if size += bytes; size <= r.Limits().MaxConversation {
			rows = append(rows, chatRow{bubble, sqlite.Row{Table: tableKV, ID: number, Size: bytes}})
		}
	}
	return flush() && (passed == 0 || r.Give(rolePassed, fmt.Appendf(nil, `{"table":%q,"rows":%d}`, tableKV, passed)))
}

// chatKey is what the rows of chats are sorted by.
func chatKey(row sqlite.Keyed) ([]byte, bool) {
	if !row.Known || strings.Contains(row.Key, "\x00") {
		return nil, false
	}
	if id, ok := strings.CutPrefix(row.Key, keyComposer); ok && id != "" {
		return []byte(id + "\x00"), true
	}
	if rest, ok := strings.CutPrefix(row.Key, keyBubble); ok {
		if id, bubble, ok := strings.Cut(rest, ":"); ok && id != "" && bubble != "" {
			return []byte(id + "\x00" + bubble), true
		}
	}
	return nil, false
}

// composer gives the unit of a chat.
func composer(r *sqlite.Units, id string, rows []chatRow) bool {
	info := append(pamio.AppendString([]byte(`{"composerId":`), id), '}')
	bubbles := map[string][]byte{}
	var order []string
	for _, row := range rows {
		raw, more := value(r, row.row)
		if !more {
			return false
		}
		switch {
		case raw == nil:
		case row.bubble == "":
			info = withoutKeys(raw)
		default:
			bubbles[row.bubble] = raw
			order = append(order, row.bubble)
		}
	}
	out := append(append([]byte(`{"composer":`), info...), `,"bubbles":[`...)
	first := true
	give := func(bubble string) {
		if raw := bubbles[bubble]; raw != nil {
			if !first {
				out = append(out, ',')
			}
			first = false
			out = append(out, raw...)
			delete(bubbles, bubble)
		}
	}
	if d, err := jsonscan.Parse(info, 0); err == nil {
		for h := range d.Root().Get("fullConversationHeadersOnly").Items() {
			give(h.Get("bubbleId").Str())
		}
	}
	for _, bubble := range order {
		give(bubble) // one without a header
	}
	return r.Give(roleComposer, append(out, "]}"...))
}

// value reads the JSON object of a row, nil for a row that has none, which is counted or
// quarantined.
func value(r *sqlite.Units, row sqlite.Row) (raw []byte, more bool) {
	object, more := r.Object(row, sqlite.Columns{Only: []string{"value"}, JSON: []string{"value"}})
	if !more || object == nil {
		return nil, more
	}
	d, err := jsonscan.Parse(object, 0)
	if err != nil {
		return nil, r.Give(roleBroken, nil)
	}
	v := d.Root().Get("value")
	if v.IsNull() {
		return nil, true // a row that was emptied
	}
	if blob := v.Get("$blob"); blob.Kind() == jsonscan.String {
		text, err := base64.StdEncoding.DecodeString(blob.Str())
		if err != nil {
			return nil, r.Give(roleBroken, nil)
		}
		if d, err = jsonscan.Parse(text, r.Limits().MaxDepth); err != nil {
			return nil, r.Give(roleBroken, fmt.Appendf(nil, `{"row":%d}`, row.ID))
		}
		v = d.Root()
	}
	if v.Kind() != jsonscan.Object {
		return nil, r.Give(roleBroken, fmt.Appendf(nil, `{"row":%d}`, row.ID))
	}
	return v.AppendCompact(nil), true
}

// withoutKeys leaves the keys of encryption out of a chat.
func withoutKeys(raw []byte) []byte {
	d, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return raw // it was parsed before
	}
	out := []byte{'{'}
	for k, v := range d.Root().Fields() {
		if strings.HasSuffix(k.Str(), "EncryptionKey") {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = v.AppendCompact(append(append(out, k.Raw()...), ':'))
	}
	return append(out, '}')
}

// tabs gives the chats of the first versions, and counts the other rows.
func tabs(r *sqlite.Units) bool {
	passed := 0
	for row, err := range r.DB.Keys(r.Ctx, tableItems, "key") {
		if err != nil {
			if !r.Fault(err) {
				return false
			}
			continue
		}
		if row.Key != keyTabs {
			passed++
			continue
		}
		if row.Size > r.Limits().MaxConversation {
			if !r.TooBig("the list of chats", row.Size) {
				return false
			}
			continue
		}
		raw, more := value(r, row.Row)
		if !more {
			return false
		}
		d, err := jsonscan.Parse(raw, 0)
		if raw == nil || err != nil {
			continue
		}
		for tab := range d.Root().Get("tabs").Items() {
			if !r.Give(roleTab, tab.AppendCompact(nil)) {
				return false
			}
		}
	}
	return passed == 0 || r.Give(rolePassed, []byte(`{"table":"`+tableItems+`","rows":`+strconv.Itoa(passed)+`}`))
}
