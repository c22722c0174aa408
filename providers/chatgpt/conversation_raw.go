package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// rawExtras is what goes into raw_metadata beside the residual.
type rawExtras struct {
	escrow    []byte
	quirk     string
	links     []byte // links that lead to several files, comma-joined
	synthetic bool
	feedback  []byte
	shared    []byte
}

// conversationRaw writes the residual of the conversation level.
func (d *decoder) conversationRaw(root jsonscan.Node, f fields, doc *pamio.Conversation, created instant, usual shape, x rawExtras) pamio.RawJSON {
	r := object{buf: d.raw[:0]}
	r.open()
	var absent shape
	for _, a := range []struct {
		n   jsonscan.Node
		bit shape
	}{{f.conversationID, noConversationID}, {f.id, noID}, {f.archived, noArchived}, {f.mapping, noMapping}} {
		if !a.n.Exists() {
			absent |= a.bit
		}
	}
	var shadowed []jsonscan.Node
	for k, v := range root.Fields() {
		mapped := false
		switch string(nameOf(k)) {
		case "title":
			mapped = doc.Title != nil
		case "create_time":
			mapped = created.from == "" && exactTime(v, created.t)
		case "update_time":
			t, ok := readTime(v)
			mapped = ok && doc.Temporal.UpdatedAt != "" && exactTime(v, t)
		case "conversation_id", "id":
			mapped = !x.synthetic && v.Is(doc.Provider.ConversationID)
		case "is_archived":
			mapped = v.Kind() == jsonscan.Bool
		case "default_model_slug":
			mapped = doc.Model != ""
		case "mapping":
			if v.Kind() == jsonscan.Object {
				if v.Len() == 0 {
					d.loss.Mapped++
				}
				continue
			}
		default:
			if conversationKeys[string(nameOf(k))] {
				shadowed = append(shadowed, k, v)
				continue
			}
		}
		if mapped {
			d.loss.Mapped++
		} else {
			r.verbatim(k, v, &d.loss)
		}
	}
	r.shadow(shadowed, &d.loss)
	d.structural(&r)
	if absent != 0 || usual != 0 {
		r.key(keyAbsent)
		r.open()
		if absent != 0 {
			r.key("conversation")
			r.buf = absent.append(r.buf, conversationShape)
		}
		if usual != 0 {
			r.key("message")
			r.buf = usual.append(r.buf, messageShape)
		}
		r.buf = append(r.buf, '}')
		r.first = false
	}
	if created.from != "" {
		r.text(keyTimeFrom, created.from)
	}
	if created.from == fromMessages || created.from == fromUpdate || d.inherited {
		r.text(keyInherited, doc.Temporal.CreatedAt)
	}
	if x.synthetic {
		r.key(keySynthetic)
		r.buf = append(r.buf, "true"...)
	}
	if x.quirk != "" || len(x.links) > 0 {
		r.key(keyQuirks)
		r.buf = append(r.buf, '[')
		if x.quirk != "" {
			r.buf = append(append(append(r.buf, '"'), x.quirk...), '"')
		}
		if x.quirk != "" && len(x.links) > 0 {
			r.buf = append(r.buf, ',')
		}
		r.buf = append(append(r.buf, x.links...), ']')
	}
	for _, extra := range []struct {
		key  string
		text []byte
	}{{keyFeedback, x.feedback}, {keyShared, x.shared}, {keyVerbatim, x.escrow}} {
		if len(extra.text) > 0 {
			r.key(extra.key)
			r.buf = append(append(append(r.buf, '['), extra.text...), ']')
		}
	}
	return r.close(0)
}

// structural keeps the mapping entries that carry no message, verbatim under their keys, and the
// names in lists of children that no entry has.
func (d *decoder) structural(r *object) {
	opened := false
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.message.Exists() {
			continue
		}
		if !opened {
			r.key(keyStructural)
			r.open()
			opened = true
		}
		if !r.first {
			r.buf = append(r.buf, ',')
		}
		r.first = false
		r.buf = append(pamio.AppendString(r.buf, n.key), ':')
		r.buf = n.value.AppendCompact(r.buf)
		d.loss.Raw += normalize.Leaves(n.value)
	}
	if opened {
		r.buf = append(r.buf, '}')
		r.first = false
	}
	if d.anomalies["dangling_child"] == 0 {
		return
	}
	r.key(keyDangling)
	r.buf = append(r.buf, '[')
	seen := map[string]bool{}
	for i := range d.nodes {
		for c := range d.nodes[i].children.Items() {
			if _, ok := d.find(c); ok || c.Kind() != jsonscan.String || seen[c.Str()] {
				continue
			}
			if len(seen) > 0 {
				r.buf = append(r.buf, ',')
			}
			seen[c.Str()] = true
			r.buf = pamio.AppendString(r.buf, c.Str())
		}
	}
	r.buf = append(r.buf, ']')
}
