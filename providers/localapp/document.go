// Package localapp holds what the importers of programs share that a person runs on their own
// machine or server (LM Studio, Jan, SillyTavern, …): in PAM they are all the provider "local", the
// program is named in raw_metadata, and their ids are told apart by a space for each program.
package localapp

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Provider is the identifier of all of them in PAM (§11.4).
const Provider = "local"

// Space is the space of a program's conversation ids. It is part of the frozen rules of every
// importer that uses it.
func Space(app string) string { return Provider + "/" + app }

// New starts the document of an element that a program wrote in a form known by version.
func New(s *lossless.Schema, src *lossless.Source, app, version string) *lossless.Builder {
	b := s.New(src, Provider)
	b.Doc.Provider.ExportFormatVersion = version
	b.Note("source_app", app)
	return b
}

// Finish gives the conversation of a builder as the only item of its unit. tree may be nil.
func Finish(b *lossless.Builder, tree *Tree) ([]importer.Item, error) {
	snap, err := b.Finish()
	if err != nil {
		return nil, fmt.Errorf("divide conversation: %w", err)
	}
	if tree != nil {
		tree.link(snap.Doc)
	}
	return []importer.Item{{Conversation: snap}}, nil
}

// Tree remembers what follows what, for sources that keep several versions of a turn in one object:
// the engine strings messages of one object in a line, but versions of a turn are siblings.
// Messages are added in the order of the document. It is for schemas without rules of links, to
// which the links make no difference.
type Tree struct{ parents []int }

// Add says that the next message of the document follows the one at index parent, -1 for none. It
// gives its own index.
func (t *Tree) Add(parent int) int {
	t.parents = append(t.parents, parent)
	return len(t.parents) - 1
}

// link replaces the links of a document that has any: links are for all messages of a conversation
// or for none.
func (t *Tree) link(doc *pamio.Conversation) {
	linked := false
	for i := range doc.Messages {
		linked = linked || doc.Messages[i].ParentID != ""
	}
	if !linked || len(t.parents) != len(doc.Messages) {
		return
	}
	for i := range doc.Messages {
		doc.Messages[i].ParentID, doc.Messages[i].ChildrenIDs = "", nil
	}
	for i, p := range t.parents {
		if p >= 0 {
			doc.Messages[i].ParentID = doc.Messages[p].ID
			doc.Messages[p].ChildrenIDs = append(doc.Messages[p].ChildrenIDs, doc.Messages[i].ID)
		}
	}
}
