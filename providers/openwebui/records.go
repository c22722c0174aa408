package openwebui

import (
	"fmt"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// records makes the records of a row of a table.
func records(u importer.Unit, table string) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	row, t := src.Root, recordTables[table]
	r := importer.Record{
		Kind: t.kind, Provider: localapp.Provider, ID: importer.Lexeme(row.Get("id")),
		Title: at(row, t.title), Text: at(row, t.text), AccountID: row.Get("user_id").Str(),
		CreatedAt: lossless.TimeText(row.Get("created_at")), UpdatedAt: lossless.TimeText(row.Get("updated_at")),
		Raw: row.AppendCompact(nil),
	}
	if r.ID == "" {
		r.ID = importer.Lexeme(row.Get("command")) // what older servers name a prompt by
	}
	r.Pointer = fmt.Sprintf("/%s/%s", table, normalize.EscapePointer(r.ID))
	if table == "user" {
		r.AccountID = r.ID
	}
	items := []importer.Item{{Record: &r}}
	if system := row.Get("settings").Get("ui").Get("system"); table == "user" && system.Kind() == jsonscan.String && system.Str() != "" {
		items = append(items, importer.Item{Record: &importer.Record{
			Kind: importer.RecordInstruction, Provider: localapp.Provider, ID: r.ID, Pointer: r.Pointer + "/settings/ui/system",
			Text: system.Str(), AccountID: r.ID, UpdatedAt: r.UpdatedAt, Raw: system.AppendCompact(nil),
		}})
	}
	return items, nil
}
