package anythingllm

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
)

// Tables of the database.
const (
	tableChats      = "workspace_chats"
	tableThreads    = "workspace_threads"
	tableWorkspaces = "workspaces"
)

// Roles of units of a database beside threads, whose role is formDatabase.
const (
	roleWorkspace = "workspace"
	rolePassed    = "passed"
)

// databaseUnits gives a unit for each thread, then one for each workspace and each table that is
// counted.
func databaseUnits(r *sqlite.Units) bool {
	var open sqlite.Group
	give := func() bool {
		switch {
		case open.Key == nil:
			return true
		case open.TooBig:
			return r.TooBig("a thread", open.Size)
		}
		return threadUnit(r, open)
	}
	for g, err := range r.DB.Groups(r.Ctx, sqlite.Source{Table: tableChats, Key: []string{"workspaceId", "thread_id", "user_id", "api_session_id"}, Of: -1}) {
		if err != nil {
			if !r.Fault(err) {
				return false
			}
			continue
		}
		// A thread is one, whoever wrote in it; without a thread, users and sessions have
		// conversations of their own.
		if open.Key != nil && open.Key[0] == g.Key[0] && open.Key[1] == g.Key[1] && g.Key[1] != sqlite.NoKey {
			open.Size += g.Size
			open.TooBig = open.TooBig || g.TooBig || open.Size > r.Limits().MaxConversation
			if !open.TooBig {
				open.Rows[0] = append(open.Rows[0], g.Rows[0]...)
			}
			continue
		}
		if !give() {
			return false
		}
		open = g
	}
	if !give() {
		return false
	}
	for _, table := range r.DB.Tables() {
		more := true
		switch table {
		case tableChats, tableThreads:
		case tableWorkspaces:
			more = r.Table(roleWorkspace, table, sqlite.Columns{})
		default:
			more = r.Passed(rolePassed, table)
		}
		if !more {
			return false
		}
	}
	return true
}

func threadUnit(r *sqlite.Units, g sqlite.Group) bool {
	raw := []byte("{}")
	for _, about := range []struct {
		name, table, key string
		only             []string
	}{
		{"workspace", tableWorkspaces, g.Key[0], []string{"id", "name", "slug", "openAiPrompt"}},
		{"thread", tableThreads, g.Key[1], nil},
	} {
		row, more := lookup(r, about.table, about.key, about.only)
		if !more {
			return false
		}
		if row != nil {
			raw = raw[:len(raw)-1]
			if len(raw) > 1 {
				raw = append(raw, ',')
			}
			raw = append(append(append(pamio.AppendString(raw, about.name), ':'), row...), '}')
		}
	}
	slices.SortFunc(g.Rows[0], func(a, b sqlite.Row) int { return cmp.Compare(a.ID, b.ID) }) // of several users
	raw, more := r.With(raw, "chats", g.Rows[0], sqlite.Columns{JSON: []string{"response"}})
	return more && r.Give(formDatabase, raw)
}

// lookup reads the row with a number; nil when there is none.
func lookup(r *sqlite.Units, table, key string, only []string) (row []byte, more bool) {
	if key == sqlite.NoKey || !r.DB.Has(table) {
		return nil, true
	}
	id, err := strconv.ParseInt(key[1:], 10, 64)
	if err != nil {
		return nil, true //nolint:nilerr // no number, no row
	}
	raw, err := r.DB.Object(r.Ctx, nil, sqlite.Row{Table: table, ID: id}, sqlite.Columns{Only: only})
	var bad *sqlite.Error
	switch {
	case errors.As(err, &bad):
		return nil, true // the chats tell the number; a row that cannot be read is reported with its table
	case err != nil:
		return nil, r.Fault(err)
	}
	doc, err := jsonscan.Parse(raw, 0)
	if err != nil || importer.Lexeme(doc.Root().Get("id")) != key[1:] {
		return nil, true //nolint:nilerr // another row has this number in the file
	}
	return raw, true
}
