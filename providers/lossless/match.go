package lossless

import (
	"bytes"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// lookup gives what the document has for rules of one object.
type lookup struct {
	rules []Rule
	// one gives the value of a slot that has one; json marks a value that is JSON text already.
	one func(s Slot) (value string, has, json bool)
	// many gives the values of a sequence.
	many func(s Slot) []string
}

// text is a single rule's value as the source writes it.
func (l *lookup) text(r Rule) (text []byte, value string, ok bool) {
	value, has, json := l.one(r.Slot)
	if json {
		return []byte(value), value, has
	}
	f := r.Form
	if f.Write == nil {
		f = String
		switch r.Slot {
		case Archived:
			f = Flag
		case Tokens:
			f = Number
		}
	}
	if !has {
		if f.none == nil {
			return nil, "", false
		}
		return f.none, "", true
	}
	text, ok = f.Write(nil, value)
	return text, value, ok
}

// match finds the values of an object that the document gives back: the places they stand at, and
// for sequences which of the values each place has, in the order of the places.
func (l *lookup) match(object jsonscan.Node) (taken []place, order map[Slot][]int) {
	order = map[Slot][]int{}
	seen := map[Slot]*pool{}
	for _, p := range places(l.rules, object) {
		if !p.node.Exists() {
			continue
		}
		r := l.rules[p.rule]
		if !sequence(r.Slot) {
			if text, _, ok := l.text(r); ok && same(p.node, text) {
				taken = append(taken, p)
			}
			continue
		}
		if seen[r.Slot] == nil {
			seen[r.Slot] = &pool{values: l.many(r.Slot)}
		}
		if i, ok := seen[r.Slot].find(r, p.node); ok {
			order[r.Slot] = append(order[r.Slot], i)
			taken = append(taken, p)
		}
	}
	return taken, order
}

// pool is the values of a sequence, each of which stands at one place.
type pool struct {
	values []string
	used   []bool
	next   int
	byText map[string][]int // of the values that are searched for out of turn
}

// find gives the index of a value that stands at a place: the next one, or any other that nobody
// has.
func (p *pool) find(r Rule, n jsonscan.Node) (int, bool) {
	if p.used == nil {
		p.used = make([]bool, len(p.values))
	}
	for p.next < len(p.values) && p.used[p.next] {
		p.next++
	}
	if p.next < len(p.values) {
		if text, ok := written(r, p.values[p.next]); ok && same(n, text) {
			p.used[p.next] = true
			return p.next, true
		}
	}
	if p.byText == nil {
		p.byText = map[string][]int{}
		for i, v := range p.values {
			if !p.used[i] {
				if text, ok := written(r, v); ok {
					p.byText[string(text)] = append(p.byText[string(text)], i)
				}
			}
		}
	}
	text := string(n.AppendCompact(nil))
	if n.Kind() == jsonscan.String {
		text = string(pamio.AppendString(nil, n.Str()))
	}
	for len(p.byText[text]) > 0 {
		i := p.byText[text][0]
		p.byText[text] = p.byText[text][1:]
		if !p.used[i] {
			p.used[i] = true
			return i, true
		}
	}
	return 0, false
}

// inTurn tells whether the places of a sequence have its values one after the other, which goes
// without saying.
func inTurn(order []int) bool {
	for k, i := range order {
		if k != i {
			return false
		}
	}
	return true
}

// put finds what must be put back into a residual. except is asked about every place at which
// something would be put and tells that nothing is.
func (l *lookup) put(residual jsonscan.Node, order map[Slot][]int, except func(path string) bool) []normalize.Patch {
	var out []normalize.Patch
	next := map[Slot]int{}
	values := map[Slot][]string{}
	for _, p := range places(l.rules, residual) {
		r := l.rules[p.rule]
		if !sequence(r.Slot) {
			text, value, ok := l.text(r)
			if !ok || p.node.Exists() && kept(r, p.node, text, value) || except(p.path) {
				continue
			}
			out = append(out, normalize.Patch{Path: p.path, Value: text})
			continue
		}
		if p.node.Exists() && !(p.hole && p.node.Is("")) {
			continue
		}
		all, seen := values[r.Slot]
		if !seen {
			all = l.many(r.Slot)
			values[r.Slot] = all
		}
		k := next[r.Slot]
		i := k
		if turns, ok := order[r.Slot]; ok {
			if k >= len(turns) {
				continue
			}
			i = turns[k]
		}
		if i >= len(all) || except(p.path) {
			continue
		}
		next[r.Slot]++
		if text, ok := written(r, all[i]); ok {
			out = append(out, normalize.Patch{Path: p.path, Value: text})
		}
	}
	return out
}

// kept tells whether a value that is still in the residual says what the document says, so that it
// stays as it is.
func kept(r Rule, n jsonscan.Node, text []byte, value string) bool {
	if same(n, text) || r.Slot == Joined && n.Is("") {
		return true // an empty text beside the parts that have it says nothing, and stays so
	}
	read := r.Form.Read
	if read == nil {
		return false
	}
	got, ok := read(n)
	return ok && got == value
}

// divide takes what the document gives back out of an object. It gives the residual, with the
// values in cut left out as well, and the notes that the rules need to put everything back.
func (l *lookup) divide(object jsonscan.Node, cut []jsonscan.Node, left *int) (residual []byte, except []string, order map[Slot][]int) {
	taken, order := l.match(object)
	for slot, turns := range order {
		if inTurn(turns) {
			delete(order, slot)
		}
	}
	residual, except, ok := l.attempt(object, cut, taken, order, left)
	if !ok {
		// The rules do not lead back to what they took: then nothing is taken.
		order = nil
		residual, except, _ = l.attempt(object, cut, nil, order, left)
	}
	return residual, except, order
}

func (l *lookup) attempt(object jsonscan.Node, cut []jsonscan.Node, taken []place, order map[Slot][]int, left *int) (residual []byte, except []string, ok bool) {
	var t normalize.Taken
	t.Reset()
	was := make(map[string]jsonscan.Node, len(taken))
	for _, p := range taken {
		t.Take(p.node)
		was[p.path] = p.node
	}
	for _, n := range cut {
		t.Take(n)
	}
	n := 0
	residual = t.AppendResidual(nil, object, &n)
	doc, err := jsonscan.Parse(residual, anyDepth)
	if err != nil {
		return residual, nil, false
	}
	found := 0
	put := l.put(doc.Root(), order, func(path string) bool {
		if was[path].Exists() {
			found++
			return false
		}
		except = append(except, path)
		return true
	})
	if found != len(taken) {
		return residual, except, false
	}
	for _, p := range put {
		if n := was[p.Path]; !n.Exists() || !same(n, p.Value) {
			return residual, except, false
		}
	}
	*left += n
	return residual, except, true
}

// bare tells whether a residual has nothing in it.
func bare(residual []byte) bool { return bytes.Equal(residual, []byte("{}")) }
