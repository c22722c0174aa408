package claude

import (
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeProject reads a project. Its documents and its instructions (prompt_template) stay in the
// source of the record: the documents are files of the person and no statements about the person,
// and the instructions hold in the project only.
func decodeProject(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if root.Kind() != jsonscan.Object || !root.Get("uuid").Exists() && !root.Get("name").Exists() {
		return nil, lossless.Fail(u, "not_a_project", "the element is no project: it has neither uuid nor name")
	}
	r := record(u, importer.RecordProject, "", root)
	r.ID, r.Title, r.Text = root.Get("uuid").Str(), root.Get("name").Str(), root.Get("description").Str()
	r.CreatedAt, r.UpdatedAt = when(root.Get("created_at")), when(root.Get("updated_at"))
	return records(r), nil
}

// decodeAccount reads whose export this is. The name becomes a statement; the e-mail address and
// the telephone number stay in the source of the record and come into no document.
func decodeAccount(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if root.Kind() != jsonscan.Object || root.Len() == 0 {
		return nil, lossless.Fail(u, "not_an_account", "the element is no account")
	}
	r := record(u, importer.RecordProfile, "", root)
	r.ID = root.Get("uuid").Str()
	if r.ID != "" {
		r.AccountID = r.ID
	}
	if name := root.Get("full_name").Str(); name != "" {
		r.Text = "Name: " + name
	}
	return records(r), nil
}
