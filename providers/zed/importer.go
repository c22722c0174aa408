// Package zed reads the agent threads of the editor Zed, which lie in a SQLite database:
//
//	threads/threads.db    macOS: ~/Library/Application Support/Zed, Linux: ~/.local/share/zed, Windows: %LOCALAPPDATA%\Zed
//
// Its table threads has id, summary, updated_at, data_type (json, zstd), data, and in newer
// versions parent_id, folder_paths and created_at. data is a JSON object, compressed with Zstandard
// or not. Its forms, from crates/agent/src/db.rs, thread.rs and legacy_thread.rs of
// github.com/zed-industries/zed:
//
//	zed-thread          version 0.3.0: title, updated_at, model {provider, model}, messages, which are
//	                    {"User": {id, content [{"Text"} | {"Mention" {uri, content}} | {"Image"}]}},
//	                    {"Agent": {content [{"Text"} | {"Thinking" {text, signature}} | {"RedactedThinking"} |
//	                    {"ToolUse" {id, name, raw_input, input}}], tool_results {id: {tool_use_id, tool_name, is_error,
//	                    content, output}}}} and "Resume"
//	zed-thread-legacy   older versions: summary, messages [{id, role, segments [{type: text | thinking, text}], tool_uses
//	                    [{id, name, input}], tool_results [{tool_use_id, is_error, content}], context}]
//
// A row becomes a unit, {…the columns without data…, "thread": {…}}, and Restore gives that object;
// the database is not built again. A thought and the result of a tool become messages of their own.
package zed

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/sqlite"
)

const (
	name    = "zed"
	version = "zed-importer/2026.12"
)

// Roles of units beside those of package sqlite.
const (
	roleThread = "thread"
	rolePassed = "passed"
)

const tableThreads = "threads"

// New returns the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: name, Release: version, File: "threads.json",
		ClaimMembers: sqlite.ClaimDatabases(isDatabase, isNamed), SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: restoreElement,
	}
}

// isNamed tells whether a member bears the name of the program's database.
func isNamed(name string) bool {
	return strings.EqualFold(path.Base(name), "threads.db")
}

func isDatabase(ctx context.Context, db *sqlite.DB) (bool, error) {
	return db.HasColumns(ctx, tableThreads, "id", "summary", "updated_at", "data_type", "data")
}

// splitMember yields a unit for each thread, then one for each other table, which is counted.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	logs, _ := u.Context.(sqlite.Logs)
	return sqlite.Split(ctx, u, logs, unpacked(yield), units)
}

// unpacked gives a yield that unpacks the data of threads.
func unpacked(yield func(importer.Unit, error) bool) func(importer.Unit, error) bool {
	return func(u importer.Unit, err error) bool {
		if err != nil || u.Err != nil || u.Role != roleThread {
			return yield(u, err)
		}
		raw, err := unpack(u)
		var bad *importer.UnitError
		switch {
		case errors.As(err, &bad):
			u.Raw, u.Err = nil, bad
		case err != nil:
			return yield(importer.Unit{}, err)
		default:
			u.Raw = raw
		}
		return yield(u, nil)
	}
}

func units(r *sqlite.Units) bool {
	return r.Table(roleThread, tableThreads, sqlite.Columns{}) && r.PassOthers(rolePassed, tableThreads)
}

// restoreElement appends the row of a thread, with its data as the JSON that it holds.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schemaOf(doc.Provider.ExportFormatVersion).Restore(dst, doc)
}
