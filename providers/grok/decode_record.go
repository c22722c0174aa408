package grok

import (
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// The names under which the elements of projects, tasks and media posts have had their parts.
// Nobody has described these lists, so several are known and everything is kept as it is.
var (
	recordIDs    = []string{"id", "_id", "project_id", "workspace_id", "task_id", "post_id", "generation_id"}
	recordTitles = []string{"name", "title"}
	recordTimes  = []string{"create_time", "created_at"}
	recordEdits  = []string{"modify_time", "update_time", "updated_at"}
	instructions = []string{"instructions", "custom_instructions", "custom_personality", "system_prompt", "preferred_instructions"}
)

// decodeRecord makes records of an element that is no conversation.
func decodeRecord(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	n := src.Root
	if n.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_a_record", "the element of the list is no object")
	}
	if u.Role == roleRest {
		if blank(n) {
			return []importer.Item{{Skip: &importer.Skip{Code: "empty-lists", Reason: "what stands beside the lists of the export is empty", Count: 1}}}, nil
		}
		return []importer.Item{{Record: record(importer.RecordSetting, "", n)}}, nil
	}
	pointer, _ := u.Context.(place)
	r := record(importer.RecordSetting, string(pointer), n)
	r.ID = importer.FirstText(n, recordIDs...)
	r.AccountID = importer.FirstText(n, "user_id")
	r.CreatedAt, r.UpdatedAt = firstTime(n, recordTimes), firstTime(n, recordEdits)
	switch u.Role {
	case rolePost, roleGeneration:
		// What was asked of the picture maker says nothing about the person: it stays in Raw.
	case roleTask:
		r.Title, r.Text = importer.FirstText(n, recordTitles...), importer.FirstText(n, "prompt", "description")
	case roleProject:
		r.Kind, r.Title, r.Text = importer.RecordProject, importer.FirstText(n, recordTitles...), importer.FirstText(n, "description", "summary")
		for _, key := range instructions {
			text := n.Get(key)
			if text.Kind() != jsonscan.String || text.Is("") {
				continue
			}
			i := record(importer.RecordInstruction, r.Pointer+"/"+key, text)
			i.ID, i.Title, i.Text = r.ID, r.Title, text.Str()
			i.CreatedAt, i.UpdatedAt, i.AccountID = r.CreatedAt, r.UpdatedAt, r.AccountID
			return []importer.Item{{Record: r}, {Record: i}}, nil
		}
	}
	return []importer.Item{{Record: r}}, nil
}

func record(kind, pointer string, n jsonscan.Node) *importer.Record {
	return &importer.Record{Kind: kind, Provider: provider, Pointer: pointer, Raw: n.AppendCompact(nil)}
}

func firstTime(n jsonscan.Node, keys []string) string {
	for _, k := range keys {
		if t, ok := lossless.ReadTime(n.Get(k)); ok {
			return t.String()
		}
	}
	return ""
}

// blank tells whether an object has nothing but nulls and empty lists, objects and texts in it.
func blank(n jsonscan.Node) bool {
	for _, v := range n.Fields() {
		switch v.Kind() {
		case jsonscan.Null:
		case jsonscan.Array, jsonscan.Object:
			if v.Len() > 0 {
				return false
			}
		default:
			if !v.Is("") {
				return false
			}
		}
	}
	return true
}
