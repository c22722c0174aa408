package anythingllm

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/sqlite"
)

// claimMembers takes databases by their tables and exports by the keys of their elements. The role
// of an export is its form.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	c, err := sqlite.ClaimDatabases(isDatabase, isNamed)(ctx, members, peek, limits)
	if err != nil {
		return c, err
	}
	taken := map[int]bool{}
	for _, m := range c.Members {
		taken[m.Member.Index] = true
	}
	err = localapp.LookInto(ctx, members, peek, importer.Shape.Other, func(m archive.Member, s importer.Shape, prefix []byte, err error) {
		if err != nil || taken[m.Index] || sqlite.Is(prefix) {
			return // what cannot be read is reported by whoever knows it
		}
		if form := formOf(s, prefix); form != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: form})
		}
	})
	return c, err
}

// isNamed tells whether a member bears the name of AnythingLLM's database.
func isNamed(name string) bool { return strings.EqualFold(path.Base(name), "anythingllm.db") }

// isDatabase tells whether a database is AnythingLLM's.
func isDatabase(ctx context.Context, db *sqlite.DB) (bool, error) {
	return db.HasColumns(ctx, tableChats, "id", "workspaceId", "prompt", "response")
}

// formOf recognizes an export, "" for none.
func formOf(s importer.Shape, prefix []byte) string {
	switch {
	case s.Top == 0:
		if isTable(prefix) {
			return formCSV
		}
	case s.At([]string{"[]."}, "prompt", "response", "workspace", "sent_at"):
		return formJSON
	case s.Top == '[' && mostly(s.Objects, "input", "instruction", "output"):
		return formAlpaca
	case s.Top == '{' && isLines(s):
		return formLines
	}
	return ""
}

// isLines tells whether objects are lines as AnythingLLM writes them: messages and nothing else, of
// roles with lists of parts.
func isLines(s importer.Shape) bool {
	at := ""
	objects := s.Objects
	if s.Lines {
		at = "[]."
	} else {
		objects = []map[string]byte{s.Root}
	}
	return mostly(objects, "messages") && s.Has(at+"messages[].role") && s.Has(at+"messages[].content[].text") && s.Has(at+"messages[].content[].type") &&
		!s.Has(at+"messages[].id") && !s.Has(at+"messages[].tool_calls")
}

// mostly tells whether at least half of the objects have these keys and no other. A broken one
// among them does not make a file unknown; the last one may be cut short and does not count beside
// others.
func mostly(objects []map[string]byte, keys ...string) bool {
	if len(objects) > 1 {
		objects = objects[:len(objects)-1]
	}
	n := 0
	for _, o := range objects {
		if len(o) == len(keys) && !slices.ContainsFunc(keys, func(k string) bool { return o[k] == 0 }) {
			n++
		}
	}
	return n > 0 && 2*n >= len(objects)
}

// isTable tells whether the first line of a file names the columns of an export.
func isTable(prefix []byte) bool {
	head, err := io.ReadAll(importer.UTF8(bytes.NewReader(prefix[:min(len(prefix), 2000)])))
	if err != nil {
		return false
	}
	first, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n"))
	columns, err := csv.NewReader(bytes.NewReader(first[:min(len(first), 1000)])).Read()
	if err != nil {
		return false
	}
	for _, want := range []string{"prompt", "response", "sent_at", "workspace"} {
		if !slices.Contains(columns, want) {
			return false
		}
	}
	return true
}
