package pam

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/schema"
	"github.com/pamline/pamline/providers/importer"
)

// decodeConversation makes a snapshot of a conversation document. A document of ours stays what it
// is, byte for byte.
func decodeConversation(u importer.Unit, j *joined) (*importer.Snapshot, error) {
	fail := func(err error) error {
		return &importer.UnitError{
			Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw)), Code: codeMisfit,
			Reason: "the conversation cannot go into a store: " + err.Error(),
		}
	}
	doc, err := parseOwn(u.Raw)
	if err != nil {
		if doc, err = parseForeign(u); err != nil {
			return nil, fail(err)
		}
	}
	j.linkFiles(u.Member.Name, u.Member.Part, doc)
	snap := &importer.Snapshot{Doc: doc, Import: doc.Import, Settled: j.isSettled(u.Member.Name)}
	doc.Import = nil
	for i := range doc.Messages {
		snap.Newest = max(snap.Newest, sortable(doc.Messages[i].CreatedAt))
	}
	snap.Order = snap.Newest
	snap.Newest = max(snap.Newest, sortable(doc.Temporal.CreatedAt), sortable(doc.Temporal.UpdatedAt))
	if doc.Temporal.UpdatedAt != "" {
		snap.Order = sortable(doc.Temporal.UpdatedAt)
	}
	return snap, nil
}

// isSettled tells whether a store lies beside a conversation.
func (j *joined) isSettled(name string) bool {
	return slices.ContainsFunc(j.settled, func(dir string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") })
}

// linkFiles lets references name the files of the bundle.
func (j *joined) linkFiles(name string, _ int, doc *pamio.Conversation) {
	root := path.Dir(name)
	if path.Base(root) == pamio.ConversationsFolder {
		root = path.Dir(root)
	}
	link := func(ref *string) {
		if *ref == "" {
			return
		}
		if m, ok := j.files[path.Join(root, *ref)]; ok {
			*ref = importer.MemberRef(m)
		}
	}
	for i := range doc.Messages {
		m := &doc.Messages[i]
		for k := range m.Attachments {
			link(&m.Attachments[k].Ref)
		}
		if m.Content != nil {
			for k := range m.Content.Parts {
				link(&m.Content.Parts[k].Ref)
			}
		}
	}
}

// parseOwn reads a document that is written exactly as we write it.
func parseOwn(raw []byte) (*pamio.Conversation, error) {
	doc, err := pamio.ParseConversation(raw)
	if err != nil {
		return nil, err
	}
	if err := doc.Check(); err != nil {
		return nil, err
	}
	if !bytes.Equal(doc.AppendJSON(nil), bytes.TrimSpace(raw)) {
		return nil, fmt.Errorf("parse conversation: it is written in another way")
	}
	return doc, nil
}

// parseForeign reads a document of any program. Members that PAM 1.0 does not know are kept in
// raw_metadata.
func parseForeign(u importer.Unit) (*pamio.Conversation, error) {
	o, err := readObject(u.Raw, u.Limits.MaxDepth)
	if err != nil {
		return nil, err
	}
	o["schema"], o["schema_version"] = pamio.ConversationSchema, pamio.SchemaVersion
	dropNulls(o, "raw_metadata", "input")
	times(o, "exported_at")
	created := ""
	if t, ok := o["temporal"].(map[string]any); ok {
		times(t, "created_at", "updated_at")
		created, _ = t["created_at"].(string)
	}
	if m, ok := o["import_metadata"].(map[string]any); ok {
		times(m, "imported_at")
	}
	list, _ := o[messagesKey].([]any)
	for i, one := range list {
		m, ok := one.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("message %d is not an object", i)
		}
		setDefault(m, "created_at", created)
		times(m, "created_at")
		dropEmpty(m, "parent_id")
		taken, err := fit(schema.Message, m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		keep(m, "raw_metadata", taken)
	}
	renameRepeated(list)
	o[messagesKey] = []any{}
	taken, err := fit(schema.ConversationDocument, o)
	if err != nil {
		return nil, err
	}
	keep(o, "raw_metadata", taken)
	o[messagesKey] = list
	doc, err := linkedConversation(o)
	if err != nil {
		return nil, err
	}
	changed, err := keepLost(o, doc)
	if err != nil || !changed {
		return doc, err
	}
	return linkedConversation(o)
}

// linkedConversation makes a document of an object, with links that agree.
func linkedConversation(o map[string]any) (*pamio.Conversation, error) {
	text, err := compact(o)
	if err != nil {
		return nil, err
	}
	doc, err := pamio.ParseConversation(text)
	if err != nil {
		return nil, err
	}
	if doc.Check() != nil {
		relink(doc.Messages)
	}
	return doc, doc.Check()
}

// relink makes links agree in both directions: the parents count. A parent that is not there is
// none; in a linear conversation the links say nothing.
func relink(all []pamio.Message) {
	at := map[string]int{}
	for i := range all {
		at[all[i].ID] = i
	}
	linked := false
	for i := range all {
		all[i].ChildrenIDs = nil
		if _, ok := at[all[i].ParentID]; !ok || all[i].ParentID == all[i].ID {
			all[i].ParentID = ""
		}
		linked = linked || all[i].ParentID != ""
	}
	if !linked {
		return
	}
	for i := range all {
		if p, ok := at[all[i].ParentID]; ok {
			all[p].ChildrenIDs = append(all[p].ChildrenIDs, all[i].ID)
		}
	}
}
