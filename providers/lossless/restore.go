package lossless

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Restore appends the element that a document was made of, with what was edited in the document
// since: the inverse of [Builder.Finish].
func (s *Schema) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	root, err := parseRaw(doc.RawMetadata)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	r := &restorer{schema: s, doc: doc, done: map[*group][]byte{}}
	if err := r.group(); err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	restore := root.Get(keyRestore)
	out := r.conversation(root.Get(keySource), restore, root)
	if escrow := restore.Get(keyEscrow); escrow.Exists() {
		clean, err := jsonscan.Parse(out, anyDepth)
		if err != nil {
			return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
		}
		return normalize.Unclean(dst, clean.Root(), escrow), nil
	}
	return append(dst, out...), nil
}

func parseRaw(raw pamio.RawJSON) (jsonscan.Node, error) {
	if len(raw) == 0 {
		return jsonscan.Node{}, nil
	}
	d, err := jsonscan.Parse(raw, anyDepth)
	if err != nil {
		return jsonscan.Node{}, fmt.Errorf("read raw_metadata: %w", err)
	}
	return d.Root(), nil
}

type restorer struct {
	schema *Schema
	doc    *pamio.Conversation
	w      *world
	done   map[*group][]byte
}

// group collects the messages that one source object became.
func (r *restorer) group() error {
	var groups []*group
	main := map[string]*group{}
	var parts []*pamio.Message
	owner := map[*pamio.Message]string{}
	known := make(map[string]bool, len(r.doc.Messages))
	for i := range r.doc.Messages {
		known[r.doc.Messages[i].ID] = true
	}
	for i := range r.doc.Messages {
		m := &r.doc.Messages[i]
		raw, err := parseRaw(m.RawMetadata)
		if err != nil {
			return fmt.Errorf("message %s: %w", m.ID, err)
		}
		of := partOf(m.ID)
		if n := raw.Get(keyRestore).Get(keyOf); n.Kind() == jsonscan.String {
			of = n.Str()
		} else if !known[of] {
			of = ""
		}
		if of != "" && of != m.ID {
			owner[m] = of
			parts = append(parts, m)
			continue
		}
		g := &group{main: m, raw: raw, timed: !raw.Get(keyTimeFrom).Exists(), joinAll: raw.Get(keyRestore).Get(keyJoined).Is("all")}
		main[m.ID] = g
		groups = append(groups, g)
	}
	for _, m := range parts {
		if main[owner[m]] == nil {
			return errors.New("message " + m.ID + " belongs to one that is not there")
		}
	}
	for i := range r.doc.Messages {
		m := &r.doc.Messages[i]
		id := m.ID
		if of, ok := owner[m]; ok {
			id = of
		}
		main[id].messages = append(main[id].messages, m)
	}
	r.w = newWorld(groups)
	return nil
}

// object gives the source object of a group.
func (r *restorer) object(g *group, depth int) []byte {
	if out, ok := r.done[g]; ok {
		return out
	}
	restore := g.raw.Get(keyRestore)
	look := new(lookup).turnTo(r.schema.messageRules(), r.w.sideOf(g))
	residual := g.raw.Get(keySource)
	if !residual.Exists() {
		residual = jsonOf([]byte("{}"))
	}
	patches := look.put(residual, readOrders(restore), exceptions(restore))
	for _, rule := range r.schema.Message {
		if rule.Slot != Nested || valueAt(residual, rule.Path).Exists() {
			continue
		}
		others := restore.Get(keyOthers).Get(rule.Path)
		if len(g.children) == 0 && !others.Exists() && slices.Contains(readTexts(restore.Get(keyExcept)), rule.Path) {
			continue
		}
		var items [][]byte
		for _, c := range g.children {
			if depth < len(r.w.groups) {
				items = append(items, r.object(c, depth+1))
			}
		}
		patches = append(patches, normalize.Patch{Path: rule.Path, Value: list(items, others)})
	}
	out := normalize.AppendOverlay(nil, residual, patches)
	r.done[g] = out
	return out
}

// list writes elements with those that are no messages at their indexes.
func list(items [][]byte, others jsonscan.Node) []byte {
	out := []byte{'['}
	used := 0
	fixed := map[string]jsonscan.Node{}
	for index, o := range others.Fields() {
		fixed[index.Str()] = o
	}
	total := len(items) + others.Len()
	for i := 0; i < total; i++ {
		if i > 0 {
			out = append(out, ',')
		}
		if o := fixed[strconv.Itoa(i)]; o.Exists() {
			out = o.AppendCompact(out)
			continue
		}
		if used < len(items) {
			out = append(out, items[used]...)
			used++
			continue
		}
		out = append(out, "null"...) // an index of others that lies behind the end
	}
	return append(out, ']')
}

func (r *restorer) conversation(residual, restore, raw jsonscan.Node) []byte {
	look := new(lookup).turnTo(r.schema.conversationRules(), conversationSide{r.doc, raw})
	if !residual.Exists() {
		residual = jsonOf([]byte("{}"))
	}
	except := exceptions(restore)
	patches := look.put(residual, readOrders(restore), except)
	nested := slices.ContainsFunc(r.schema.Message, func(rule Rule) bool { return rule.Slot == Nested })
	first := r.schema.firstContainer()
	byID := map[string]*group{}
	for _, rule := range r.schema.Conversation {
		if rule.Slot != MessageList && rule.Slot != MessageMap {
			continue
		}
		var in []*group
		for _, g := range r.w.groups {
			container := first
			if c := g.raw.Get(keyRestore).Get(keyIn); c.Kind() == jsonscan.String {
				container = c.Str()
			}
			byID[sourceID(g.main)] = g
			if container == rule.Path && !(nested && r.w.of[g.first().ParentID] != nil) {
				in = append(in, g)
			}
		}
		if rule.Slot == MessageMap {
			for _, g := range in {
				key := sourceID(g.main)
				if k := g.raw.Get(keyRestore).Get(keyKey); k.Exists() {
					key = k.Str()
				}
				patches = append(patches, normalize.Patch{Path: rule.Path + "/" + normalize.EscapePointer(key), Value: r.object(g, 0)})
			}
			continue
		}
		others := restore.Get(keyOthers).Get(rule.Path)
		if len(in) == 0 && !others.Exists() && (rule.Path != first || valueAt(residual, rule.Path).Exists() && rule.Path != "" || except(rule.Path)) {
			continue
		}
		slices.SortStableFunc(in, func(a, b *group) int { return at(a) - at(b) })
		items := make([][]byte, len(in))
		for i, g := range in {
			items[i] = r.object(g, 0)
		}
		patches = append(patches, normalize.Patch{Path: rule.Path, Value: list(items, others)})
	}
	for path, twin := range restore.Get(keyTwins).Fields() {
		out := []byte{'['}
		i := 0
		for v := range twin.Items() {
			if i > 0 {
				out = append(out, ',')
			}
			i++
			if g := byID[v.Str()]; v.Kind() == jsonscan.String && g != nil {
				out = append(out, r.object(g, 0)...)
				continue
			}
			text := v.AppendCompact(nil)
			if v.Kind() == jsonscan.Array && len(text) > 2 {
				out = append(out, text[1:len(text)-1]...)
			} else {
				out = append(out, "null"...)
			}
		}
		patches = append(patches, normalize.Patch{Path: path.Str(), Value: append(out, ']')})
	}
	return normalize.AppendOverlay(nil, residual, patches)
}

func at(g *group) int {
	n, err := strconv.Atoi(string(g.raw.Get(keyRestore).Get(keyAt).Raw()))
	if err != nil {
		return 0
	}
	return n
}

func exceptions(restore jsonscan.Node) func(string) bool {
	all := map[string]bool{}
	for _, path := range readTexts(restore.Get(keyExcept)) {
		all[path] = true
	}
	return func(path string) bool { return all[path] }
}

func readTexts(list jsonscan.Node) []string {
	var out []string
	for v := range list.Items() {
		out = append(out, v.Str())
	}
	return out
}

func readOrders(restore jsonscan.Node) (out turns) {
	order := restore.Get(keyOrder)
	if !order.Exists() {
		return out
	}
	for slot, name := range slotNames {
		for v := range order.Get(name).Items() {
			if n, err := strconv.Atoi(string(v.Raw())); err == nil && n >= 0 {
				out[slot-Text] = append(out[slot-Text], n)
			}
		}
	}
	return out
}
