package lossless

import (
	"maps"
	"slices"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Finish links, orders and times the messages, divides the element and gives the snapshot. An
// element that is not of the kind that the schema is for gives an *importer.UnitError.
func (b *Builder) Finish() (*importer.Snapshot, error) {
	want, called := jsonscan.Object, "an object"
	if b.schema.isList() {
		want, called = jsonscan.Array, "a list"
	}
	if b.src.Root.Kind() != want {
		return nil, Fail(b.src.unit, CodeForeign, "the element is not %s", called)
	}
	if b.Doc.ID == "" {
		b.ID("")
	}
	b.name()
	order, moved := b.arrange()
	moved = moved || !ascending(order)
	b.times(order)
	b.unknownKeys()

	groups := make([]*group, len(order))
	at := map[*Object]*group{}
	n := 0
	for _, o := range order {
		n += len(o.messages)
	}
	b.Doc.Messages = make([]pamio.Message, 0, n)
	roles := map[string]bool{}
	newest := normalize.Epoch
	for i, o := range order {
		g := &group{timed: o.main().TimeFrom == "", joinAll: o.joinAll}
		for _, m := range o.messages {
			b.Doc.Messages = append(b.Doc.Messages, m.Message)
			p := &b.Doc.Messages[len(b.Doc.Messages)-1]
			g.messages = append(g.messages, p)
			if m == o.main() {
				g.main = p
			}
			roles[m.Role] = true
			if m.Time.Compare(newest) > 0 {
				newest = m.Time
			}
		}
		groups[i] = g
		at[o] = g
	}
	for _, role := range normalize.Roles {
		if roles[role] && !slices.ContainsFunc(b.Doc.Participants, func(p pamio.Participant) bool { return p.Role == role }) {
			b.Doc.Participants = append(b.Doc.Participants, pamio.Participant{Role: role})
		}
	}
	left := 0
	w := newWorld(groups)
	for _, o := range order {
		b.message(w, o, at[o], moved, &left)
	}
	b.conversation(order, &left)
	snap := &importer.Snapshot{Doc: b.Doc, Anomalies: b.Anomalies, Assets: b.assets}
	total := normalize.Leaves(b.src.Root)
	snap.Loss = normalize.Loss{Mapped: max(total-left, 0), Raw: min(left, total)}
	switch {
	case b.Doc.Temporal.UpdatedAt != "":
		snap.Order = b.Updated.Six()
	default:
		snap.Order = newest.Six()
	}
	if b.newest != normalize.Epoch {
		snap.Newest = b.newest.Six()
	}
	return snap, nil
}

// Items is Finish for units with nothing but the conversation in them.
func (b *Builder) Items() ([]importer.Item, error) {
	snap, err := b.Finish()
	if err != nil {
		return nil, err
	}
	return []importer.Item{{Conversation: snap}}, nil
}

// ascending tells whether the objects of each list come in the order of the list. An importer may
// add them in another one, that of their times for example.
func ascending(order []*Object) bool {
	last := map[string]int{}
	for _, o := range order {
		if o.at < 0 || o.of != nil {
			continue
		}
		if before, ok := last[o.container]; ok && o.at < before {
			return false
		}
		last[o.container] = o.at
	}
	return true
}

// unknownKeys counts keys that the schema does not name.
func (b *Builder) unknownKeys() {
	check := func(n jsonscan.Node, set *ruleSet) {
		if set.known == nil || n.Kind() != jsonscan.Object {
			return
		}
		for k := range n.Fields() {
			if !set.knows(k) {
				b.Unknown("unknown_key")
			}
		}
	}
	check(b.src.Root, b.schema.conversationRules())
	for _, o := range b.objects {
		check(o.node, b.schema.messageRules())
	}
}

// message writes the raw_metadata of the messages of one object.
func (b *Builder) message(w *world, o *Object, g *group, moved bool, left *int) {
	var cut []jsonscan.Node
	var r object
	others, absent := b.nested(o, &cut, left)
	residual, except, order := b.look.turnTo(b.schema.messageRules(), w.sideOf(g)).divide(o.node, cut, left)
	r.open()
	if p := partOf(g.main.ID); p != "" && w.of[p] != nil {
		r.text(keyOf, g.main.ID) // it only looks like a part of another
	}
	if o.of == nil && o.container != b.schema.firstContainer() {
		r.text(keyIn, o.container)
	}
	if o.at >= 0 && moved && o.of == nil {
		r.put(keyAt, strconv.AppendInt(nil, int64(o.at), 10))
	}
	if o.at < 0 && o.key != sourceID(g.main) {
		r.text(keyKey, o.key)
	}
	if o.joinAll {
		r.text(keyJoined, "all")
	}
	r.exceptions(append(absent, except...), order, others)
	restore := r.close()
	for i, m := range o.messages {
		r = object{}
		r.open()
		for _, n := range m.notes {
			r.put(n.key, n.value)
		}
		switch {
		case m != o.main():
			if partOf(m.ID) != g.main.ID {
				r.put(keyRestore, append(pamio.AppendString([]byte(`{"of":`), g.main.ID), '}'))
			}
		default:
			if !bare(residual) {
				r.put(keySource, residual)
			}
			if !bare(restore) {
				r.put(keyRestore, restore)
			}
		}
		if raw := r.close(); !bare(raw) {
			g.messages[i].RawMetadata = raw
		}
	}
}

// nested cuts the children that stand inside an object out of it.
func (b *Builder) nested(o *Object, cut *[]jsonscan.Node, left *int) (others []byte, absent []string) {
	for _, rule := range b.schema.Message {
		if rule.Slot != Nested {
			continue
		}
		list := valueAt(o.node, rule.Path)
		if list.Kind() != jsonscan.Array {
			if !list.Exists() {
				absent = append(absent, rule.Path)
			}
			continue
		}
		used := map[int]bool{}
		for _, c := range o.inside {
			if len(c.messages) > 0 {
				used[c.at] = true
			}
		}
		*cut = append(*cut, list)
		others = remaining(others, rule.Path, list, used, left)
	}
	return others, absent
}

// remaining appends the elements of a list that are no messages, as a field of "others".
func remaining(dst []byte, path string, list jsonscan.Node, used map[int]bool, left *int) []byte {
	var r object
	r.open()
	i := 0
	for v := range list.Items() {
		if !used[i] {
			r.put(strconv.Itoa(i), v.AppendCompact(nil))
			*left += normalize.Leaves(v)
		}
		i++
	}
	rest := r.close()
	if bare(rest) {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	dst = append(pamio.AppendString(dst, path), ':')
	return append(dst, rest...)
}

// empty appends a field of "others" for a list without elements.
func empty(dst []byte, path string) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	return append(pamio.AppendString(dst, path), ":{}"...)
}

// conversation writes the raw_metadata of the conversation.
func (b *Builder) conversation(order []*Object, left *int) {
	var cut []jsonscan.Node
	var others []byte
	var except []string
	counts := map[string]int{}
	for _, o := range order {
		if o.of == nil {
			counts[o.container]++
		}
	}
	for _, rule := range b.schema.Conversation {
		container := valueAt(b.src.Root, rule.Path)
		switch rule.Slot {
		case MessageList:
			if container.Kind() != jsonscan.Array {
				if counts[rule.Path] == 0 && !container.Exists() && rule.Path == b.schema.firstContainer() {
					except = append(except, rule.Path)
				}
				continue
			}
			used := map[int]bool{}
			for _, o := range order {
				if o.container == rule.Path && o.of == nil {
					used[o.at] = true
				}
			}
			cut = append(cut, container)
			if container.Len() == 0 && rule.Path != b.schema.firstContainer() {
				others = empty(others, rule.Path) // an empty list is told from none
				continue
			}
			others = remaining(others, rule.Path, container, used, left)
		case MessageMap:
			for _, o := range order {
				if o.container == rule.Path {
					cut = append(cut, o.node)
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b.twins)) {
		list := valueAt(b.src.Root, path)
		cut = append(cut, list)
		for v := range jsonOf(b.twins[path]).Items() {
			if v.Kind() == jsonscan.Array {
				*left += normalize.Leaves(v)
			}
		}
	}
	notes := object{}
	notes.open()
	for _, n := range b.notes {
		notes.put(n.key, n.value)
	}
	raw := notes.buf
	look := b.look.turnTo(b.schema.conversationRules(), conversationSide{b.Doc, jsonOf(append(slices.Clip(raw), '}'))})
	var residual []byte
	var inOrder turns
	var more []string
	if root := b.src.Root; root.Kind() == jsonscan.Object {
		residual, more, inOrder = look.divide(root, cut, left)
	} else {
		residual = []byte("{}")
	}
	var r object
	r.open()
	r.exceptions(append(except, more...), inOrder, others)
	if len(b.twins) > 0 {
		var t object
		t.open()
		for _, path := range slices.Sorted(maps.Keys(b.twins)) {
			t.put(path, b.twins[path])
		}
		r.put(keyTwins, t.close())
	}
	if len(b.src.escrow) > 0 {
		r.put(keyEscrow, append(append([]byte{'['}, b.src.escrow...), ']'))
	}
	restore := r.close()
	if !bare(residual) {
		notes.put(keySource, residual)
	}
	if !bare(restore) {
		notes.put(keyRestore, restore)
	}
	if out := notes.close(); !bare(out) {
		b.Doc.RawMetadata = out
	}
}

// jsonOf parses text that we wrote.
func jsonOf(text []byte) jsonscan.Node {
	d, err := jsonscan.Parse(text, anyDepth)
	if err != nil {
		return jsonscan.Node{}
	}
	return d.Root()
}
