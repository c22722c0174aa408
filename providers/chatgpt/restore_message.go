package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// entry writes one mapping entry.
func (w *restorer) entry(r *object, m *pamio.Message) error {
	raw, err := w.rawOf(m)
	if err != nil {
		return err
	}
	absent := w.usual
	if own := raw.Get(keyAbsent); own.Exists() {
		absent = parseShape(own, messageShape)
	}
	beside := raw.Get(keyNode)
	r.open()
	if id := beside.Get("id"); id.Exists() || absent&noNodeID != 0 {
		r.copy("id", id)
	} else {
		r.text("id", m.ID)
	}
	r.key("message")
	if err := w.message(r, m, raw, absent); err != nil {
		return err
	}
	switch parent := w.parentOf(m, beside); {
	case parent.Exists():
		r.copy("parent", parent)
	case absent&noParent != 0:
	case m.ParentID == "":
		r.key("parent")
		r.buf = append(r.buf, "null"...)
	default:
		r.text("parent", m.ParentID)
	}
	w.children(r, m, beside.Get("children"), absent)
	var none normalize.Loss
	for k, v := range beside.Fields() {
		if !k.Is("id") && !k.Is("parent") && !k.Is("children") {
			r.verbatim(k, v, &none)
		}
	}
	r.buf = append(r.buf, '}')
	r.first = false
	return nil
}

// children writes the list of an entry: the document's, or the source's own with what was removed
// and added since.
func (w *restorer) children(r *object, m *pamio.Message, own jsonscan.Node, absent shape) {
	switch {
	case own.Exists() && own.Kind() != jsonscan.Array:
		r.copy("children", own)
		return
	case !own.Exists() && absent&noChildren != 0:
		return
	case w.folded:
		r.key("children")
		r.buf = append(r.buf, w.foldedChildren(m.ID, own, m.ChildrenIDs)...)
		return
	}
	var list []byte
	listed := map[string]bool{}
	if own.Exists() {
		list = w.remaining(nil, own)
		for c := range own.Items() {
			listed[c.Str()] = true
		}
	}
	for _, id := range m.ChildrenIDs {
		if own.Exists() && (listed[id] || !w.added(m, id)) {
			continue
		}
		if len(list) > 0 {
			list = append(list, ',')
		}
		list = pamio.AppendString(list, id)
	}
	r.key("children")
	r.buf = append(append(append(r.buf, '['), list...), ']')
}

// added tells whether a child hangs directly on m and its absence from m's own list is no fact of
// the source.
func (w *restorer) added(m *pamio.Message, child string) bool {
	at, ok := w.byID[child]
	if !ok {
		return false
	}
	raw := jsonscan.Node{}
	if c := &w.doc.Messages[at]; len(c.RawMetadata) > 0 {
		doc, err := jsonscan.Parse(c.RawMetadata, maxRestoreDepth)
		if err != nil {
			return false
		}
		raw = doc.Root()
	}
	absent := w.usual
	if own := raw.Get(keyAbsent); own.Exists() {
		absent = parseShape(own, messageShape)
	}
	if raw.Get(keyUnlisted).True() || absent&noParent != 0 {
		return false
	}
	parent := w.parentOf(&w.doc.Messages[at], raw.Get(keyNode))
	return !parent.Exists() || parent.Is(m.ID)
}

// message writes the message of an entry.
func (w *restorer) message(r *object, m *pamio.Message, raw jsonscan.Node, absent shape) error {
	r.open()
	switch id := raw.Get("id"); {
	case m.ProviderMessageID != "":
		r.text("id", m.ProviderMessageID)
	case id.Exists() || absent&noMessageID != 0:
		r.copy("id", id)
	default:
		r.text("id", m.ID)
	}
	restoreAuthor(r, m, raw, absent)
	r.time("create_time", m.CreatedAt, raw.Get("create_time"), w.inherited(m.CreatedAt, raw))
	if err := restoreContent(r, m, raw, absent); err != nil {
		return err
	}
	restoreMetadata(r, m, raw)
	var none normalize.Loss
	for k, v := range raw.Fields() {
		switch {
		case messageKeys[k.Str()], k.Is("id"), k.Is("author"), k.Is("create_time"), k.Is("content"), k.Is("metadata"):
		default:
			r.verbatim(k, v, &none)
		}
	}
	for k, v := range raw.Get(keyShadowed).Fields() {
		r.verbatim(k, v, &none)
	}
	r.buf = append(r.buf, '}')
	r.first = false
	return nil
}

func restoreAuthor(r *object, m *pamio.Message, raw jsonscan.Node, absent shape) {
	author := raw.Get("author")
	role := m.Role
	if original := raw.Get(keyRole); original.Exists() {
		if r, _ := normalize.Role(original.Str()); r == m.Role {
			role = original.Str()
		}
	}
	// Without a role in the source the document says system; anything else was written into it
	// later.
	silent := m.Role == normalize.RoleSystem && (absent&(noAuthor|noRole) != 0 || author.Get("role").Exists() || author.Exists() && author.Kind() != jsonscan.Object)
	patch := []normalize.Patch{{Path: "/role", Value: pamio.AppendString(nil, role)}}
	switch {
	case author.Exists() && silent:
		r.copy("author", author)
	case author.Exists():
		r.key("author")
		r.buf = normalize.AppendOverlay(r.buf, author, patch)
	case silent && absent&noAuthor != 0:
	case silent:
		r.key("author")
		r.buf = append(r.buf, '{', '}')
	default:
		r.key("author")
		r.buf = normalize.AppendOverlay(r.buf, jsonscan.Node{}, patch)
	}
}
