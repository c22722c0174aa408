package copilotchat

import (
	"context"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Kinds of the lines of a log.
const (
	opInitial = "0"
	opSet     = "1"
	opPush    = "2"
	opDelete  = "3"
)

// replay yields one unit with the object that the changes of a log lead to. A line that cannot be
// read is quarantined alone. It tells whether to go on.
func replay(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	return cut.Lines(ctx, u, func(unit importer.Unit, err error) bool {
		if err != nil || unit.Err != nil {
			return yield(unit, err)
		}
		d, err := jsonscan.Parse(unit.Raw, unit.Limits.WithDefaults().MaxDepth)
		if err != nil {
			return yield(importer.Unit{}, err) // its lines were parsed before
		}
		var state *tree
		for line := range d.Root().Items() {
			state = state.apply(line)
		}
		if state == nil {
			unit.Err = &importer.UnitError{
				Member: u.Member.Name, Size: int64(len(unit.Raw)), Code: "not_a_conversation",
				Reason: "the log does not begin with the state of a session, so that its changes lead nowhere",
			}
			unit.Raw = nil
			return yield(unit, nil)
		}
		unit.Raw = state.append(nil)
		return yield(unit, nil)
	})
}

// tree is a JSON value that changes: an object, a list, or the text of any other value.
type tree struct {
	kind   jsonscan.Kind
	text   []byte
	keys   []string
	fields map[string]*tree
	items  []*tree
}

func newTree(n jsonscan.Node) *tree {
	t := &tree{kind: n.Kind()}
	switch t.kind {
	case jsonscan.Object:
		t.fields = make(map[string]*tree, n.Len())
		for k, v := range n.Fields() {
			t.set(k.Str(), newTree(v))
		}
	case jsonscan.Array:
		for v := range n.Items() {
			t.items = append(t.items, newTree(v))
		}
	default:
		t.text = append([]byte(nil), n.Raw()...)
	}
	return t
}

func (t *tree) set(key string, v *tree) {
	if _, there := t.fields[key]; !there {
		t.keys = append(t.keys, key)
	}
	t.fields[key] = v
}

func (t *tree) remove(key string) {
	if _, there := t.fields[key]; !there {
		return
	}
	delete(t.fields, key)
	for i, k := range t.keys {
		if k == key {
			t.keys = append(t.keys[:i:i], t.keys[i+1:]...)
			return
		}
	}
}

// child is the value at a key of an object or an index of a list, nil when there is none.
func (t *tree) child(key jsonscan.Node) *tree {
	switch {
	case t == nil:
	case t.kind == jsonscan.Object:
		return t.fields[keyText(key)]
	case t.kind == jsonscan.Array:
		if i, ok := index(key); ok && i < len(t.items) {
			return t.items[i]
		}
	}
	return nil
}

func keyText(key jsonscan.Node) string {
	if key.Kind() == jsonscan.String {
		return key.Str()
	}
	return string(key.Raw())
}

func index(key jsonscan.Node) (int, bool) {
	i, err := strconv.Atoi(keyText(key))
	return i, err == nil && i >= 0
}

// apply gives the state behind a line. A change of what is not there changes nothing.
func (t *tree) apply(line jsonscan.Node) *tree {
	op := string(line.Get("kind").Raw())
	if op == opInitial {
		if v := line.Get("v"); v.Exists() {
			return newTree(v)
		}
		return t
	}
	var path []jsonscan.Node
	for k := range line.Get("k").Items() {
		path = append(path, k)
	}
	if t == nil || len(path) == 0 {
		return t
	}
	holder := t
	for _, k := range path[:len(path)-1] {
		holder = holder.child(k)
	}
	last := path[len(path)-1]
	switch {
	case holder == nil:
	case op == opPush:
		holder.child(last).push(line.Get("v"), line.Get("i"))
	case op == opSet && line.Get("v").Exists():
		holder.put(last, newTree(line.Get("v")))
	case op == opSet, op == opDelete:
		if holder.kind == jsonscan.Object {
			holder.remove(keyText(last))
		}
	}
	return t
}

// put sets a key of an object, or an index of a list up to the first free one.
func (t *tree) put(key jsonscan.Node, v *tree) {
	switch t.kind {
	case jsonscan.Object:
		t.set(keyText(key), v)
	case jsonscan.Array:
		i, ok := index(key)
		switch {
		case !ok:
		case i < len(t.items):
			t.items[i] = v
		case i == len(t.items):
			t.items = append(t.items, v)
		}
	}
}

// push cuts a list and appends to it.
func (t *tree) push(values, from jsonscan.Node) {
	if t == nil || t.kind != jsonscan.Array {
		return
	}
	if i, ok := index(from); ok && from.Kind() == jsonscan.Number && i < len(t.items) {
		t.items = t.items[:i]
	}
	for v := range values.Items() {
		t.items = append(t.items, newTree(v))
	}
}

// append writes the value.
func (t *tree) append(dst []byte) []byte {
	switch t.kind {
	case jsonscan.Object:
		dst = append(dst, '{')
		for i, k := range t.keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(pamio.AppendString(dst, k), ':')
			dst = t.fields[k].append(dst)
		}
		return append(dst, '}')
	case jsonscan.Array:
		dst = append(dst, '[')
		for i, v := range t.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, t.text...)
}
