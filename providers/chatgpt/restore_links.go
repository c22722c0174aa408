package chatgpt

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// The links of a source are in two places: those between messages in the document, and in
// raw_metadata those that the document has no place for (a parent without a message, a list of
// children that says something else). Where an edit or the fold of several snapshots changed the
// document, the rest of the source may contradict it: then the document is right.

// parentOf gives the parent that the source of a message had, when it is still to be written. It
// does not exist where the document's parent is the one to write.
func (w *restorer) parentOf(m *pamio.Message, beside jsonscan.Node) jsonscan.Node {
	own := beside.Get("parent")
	if !own.Exists() || m.ParentID == "" && !w.folded {
		return own
	}
	above, known := w.above(own)
	if known && above != m.ParentID {
		w.moved[m.ID] = true
		return jsonscan.Node{}
	}
	return own
}

// above follows a parent through the entries without a message up to the nearest message, "" for
// none. It is not known where an entry on the way does not name its own parent: that was taken from
// a list of children.
func (w *restorer) above(parent jsonscan.Node) (message string, known bool) {
	seen := map[string]bool{}
	for parent.Kind() == jsonscan.String {
		id := parent.Str()
		if _, ok := w.byID[id]; ok {
			return id, true
		}
		entry, ok := w.structural[id]
		if !ok || seen[id] {
			return "", true
		}
		seen[id] = true
		if parent = entry.Get("parent"); !parent.Exists() {
			return "", false
		}
	}
	return "", true
}

// readLinks finds, in a folded conversation, the parent of every entry. Its lists of children are
// made from them: what the lists of one snapshot say is not the whole.
func (w *restorer) readLinks() error {
	w.parents = make(map[string]string, len(w.byID)+len(w.structural))
	w.childrenOf = map[string][]string{}
	link := func(id, parent string) {
		w.parents[id] = parent
		w.childrenOf[parent] = append(w.childrenOf[parent], id)
	}
	for i := range w.doc.Messages {
		m := &w.doc.Messages[i]
		raw, err := w.rawOf(m)
		if err != nil {
			return fmt.Errorf("message %q: %w", m.ID, err)
		}
		parent := m.ParentID
		if own := w.parentOf(m, raw.Get(keyNode)); own.Kind() == jsonscan.String {
			parent = own.Str()
		}
		link(m.ID, parent)
	}
	for k, v := range w.raw.Get(keyStructural).Fields() {
		if id := k.Str(); w.structural[id].Exists() {
			link(id, v.Get("parent").Str())
		}
	}
	return nil
}

// rawOf reads the raw metadata of a message; what it gives is valid until the next call.
func (w *restorer) rawOf(m *pamio.Message) (jsonscan.Node, error) {
	if len(m.RawMetadata) == 0 {
		return jsonscan.Node{}, nil
	}
	if err := w.messageDoc.Parse(m.RawMetadata, maxRestoreDepth); err != nil {
		return jsonscan.Node{}, fmt.Errorf("read raw_metadata: %w", err)
	}
	return w.messageDoc.Root(), nil
}

// foldedChildren lists the children of an entry in a folded conversation: in the order of the
// source's list, then in the document's.
func (w *restorer) foldedChildren(id string, own jsonscan.Node, inDocument []string) []byte {
	list := []byte{'['}
	listed := map[string]bool{}
	add := func(child string) {
		if parent, ok := w.parents[child]; !ok || parent != id || listed[child] {
			return
		}
		listed[child] = true
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = pamio.AppendString(list, child)
	}
	for c := range own.Items() {
		if c.Kind() == jsonscan.String {
			add(c.Str())
		}
	}
	for _, c := range inDocument {
		add(c)
	}
	for _, c := range w.childrenOf[id] {
		add(c)
	}
	return append(list, ']')
}
