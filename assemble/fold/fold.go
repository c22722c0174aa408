// Package fold makes one conversation out of the snapshots that several archives hold of it.
//
// A newer archive is not a superset of an older one: providers drop messages and fields from later
// exports. So messages and present fields are united; where two snapshots disagree the later one
// wins and the value that lost is kept in raw_metadata.conflicts, with its place and the snapshot
// it came from. Links are rebuilt over the union.
//
// The snapshots are added in one total order, oldest first. The result is a function of that
// sequence; equal snapshots add nothing to it.
package fold

import (
	"fmt"
	"reflect"

	"github.com/pamline/pamline/pamio"
)

// Rules is the version of what this package does. It is part of what identifies a folded file.
const Rules = 2

// version is what one snapshot says about something.
type version[T any] struct {
	order string // of the snapshot
	value T
}

// Folder takes snapshots of one conversation, oldest first. It keeps each distinct version of a
// message once, so that many snapshots of a conversation that grew take little more memory than the
// last one. The zero Folder is empty.
type Folder struct {
	only    *version[*pamio.Conversation] // while all snapshots are equal
	heads   []version[*pamio.Conversation]
	layouts []version[*layout]
	history map[string][]version[*pamio.Message]
}

// Fold folds snapshots with their orders, oldest first.
func Fold(orders []string, docs []*pamio.Conversation) (*pamio.Conversation, int64, error) {
	var f Folder
	for i, doc := range docs {
		if err := f.Add(orders[i], doc); err != nil {
			return nil, 0, err
		}
	}
	return f.Result()
}

// Add takes the next snapshot. order is its time in the fold order, "" when unknown; doc belongs to
// the Folder from then on. The import metadata of doc is ignored.
func (f *Folder) Add(order string, doc *pamio.Conversation) error {
	doc.Import = nil
	v := version[*pamio.Conversation]{order, doc}
	switch {
	case f.only == nil && f.heads == nil:
		f.only = &v
		return nil
	case f.only != nil:
		if doc.ID != f.only.value.ID {
			return fmt.Errorf("fold conversation %s: a snapshot of %s came with it", f.only.value.ID, doc.ID)
		}
		if reflect.DeepEqual(f.only.value, doc) {
			return nil
		}
		f.history = make(map[string][]version[*pamio.Message], len(doc.Messages))
		f.take(*f.only)
		f.only = nil
	case doc.ID != f.heads[0].value.ID:
		return fmt.Errorf("fold conversation %s: a snapshot of %s came with it", f.heads[0].value.ID, doc.ID)
	}
	f.take(v)
	return nil
}

// take splits a snapshot into its layout, its messages and the rest, and keeps what the snapshot
// before did not say.
func (f *Folder) take(v version[*pamio.Conversation]) {
	l := newLayout(v.value.Messages)
	if n := len(f.layouts); n == 0 || !reflect.DeepEqual(f.layouts[n-1].value.nodes, l.nodes) {
		f.layouts = append(f.layouts, version[*layout]{v.order, l})
	}
	for i := range v.value.Messages {
		m := &v.value.Messages[i]
		m.ParentID, m.ChildrenIDs = "", nil
		h := f.history[m.ID]
		if n := len(h); n > 0 && reflect.DeepEqual(h[n-1].value, m) {
			continue
		}
		// The copy lets go of the array that holds the messages which are not kept.
		kept := *m
		f.history[m.ID] = append(h, version[*pamio.Message]{v.order, &kept})
	}
	v.value.Messages = nil
	if n := len(f.heads); n == 0 || !reflect.DeepEqual(f.heads[n-1].value, v.value) {
		f.heads = append(f.heads, v)
	}
}

// Result is the folded conversation, without import metadata, and the number of values that lost.
// It may refer to the snapshots.
func (f *Folder) Result() (*pamio.Conversation, int64, error) {
	if f.only != nil {
		return f.only.value, 0, nil
	}
	if f.heads == nil {
		return nil, 0, fmt.Errorf("fold conversation: there is no snapshot")
	}
	m := new(merger)
	placed := arrange(m, f.layouts)
	messages := make([]pamio.Message, len(placed))
	for i, p := range placed {
		messages[i] = m.message(fmt.Sprintf("/messages/%d", i), f.history[p.id])
		messages[i].ParentID, messages[i].ChildrenIDs = p.parent, p.children
	}
	out := m.conversation(f.heads)
	out.Messages = messages
	raw, total, err := m.withConflicts(out.RawMetadata)
	if err != nil {
		return nil, 0, fmt.Errorf("fold conversation %s: %w", out.ID, err)
	}
	out.RawMetadata = raw
	return out, total, nil
}
