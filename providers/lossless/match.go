package lossless

import (
	"bytes"
	"slices"

	"github.com/pamline/pamline/normalize"
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

// lookahead is how many values of a sequence may stand nowhere in the source before one that does.
const lookahead = 64

// match finds the values of an object that the document gives back: the places they stand at, and the values of
// sequences that were passed over.
func (l *lookup) match(object jsonscan.Node) (taken []place, skip map[Slot][]int) {
	next := map[Slot]int{}
	values := map[Slot][]string{}
	skip = map[Slot][]int{}
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
		all, seen := values[r.Slot]
		if !seen {
			all = l.many(r.Slot)
			values[r.Slot] = all
		}
		from := next[r.Slot]
		for j := from; j < min(len(all), from+lookahead); j++ {
			text, ok := written(r, all[j])
			if !ok || !same(p.node, text) {
				continue
			}
			for k := from; k < j; k++ {
				skip[r.Slot] = append(skip[r.Slot], k)
			}
			next[r.Slot] = j + 1
			taken = append(taken, p)
			break
		}
	}
	for slot, all := range values {
		for k := next[slot]; k < len(all); k++ {
			skip[slot] = append(skip[slot], k)
		}
	}
	return taken, skip
}

// put finds what must be put back into a residual. except is asked about every place at which something would be put and
// tells that nothing is.
func (l *lookup) put(residual jsonscan.Node, skip map[Slot][]int, except func(path string) bool) []normalize.Patch {
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
			for i, v := range l.many(r.Slot) {
				if !slices.Contains(skip[r.Slot], i) {
					all = append(all, v)
				}
			}
			values[r.Slot] = all
		}
		if next[r.Slot] >= len(all) || except(p.path) {
			continue
		}
		text, ok := written(r, all[next[r.Slot]])
		next[r.Slot]++
		if ok {
			out = append(out, normalize.Patch{Path: p.path, Value: text})
		}
	}
	return out
}

// kept tells whether a value that is still in the residual says what the document says, so that it stays as it is.
func kept(r Rule, n jsonscan.Node, text []byte, value string) bool {
	if same(n, text) {
		return true
	}
	read := r.Form.Read
	if read == nil {
		return false
	}
	got, ok := read(n)
	return ok && got == value
}

// divide takes what the document gives back out of an object. It gives the residual, with the values in cut left out as
// well, and the notes that the rules need to put everything back.
func (l *lookup) divide(object jsonscan.Node, cut []jsonscan.Node, left *int) (residual []byte, except []string, skip map[Slot][]int) {
	taken, skip := l.match(object)
	residual, except, ok := l.attempt(object, cut, taken, skip, left)
	if !ok {
		// The rules do not lead back to what they took: then nothing is taken.
		skip = map[Slot][]int{}
		for _, r := range l.rules {
			if sequence(r.Slot) && skip[r.Slot] == nil {
				for i := range l.many(r.Slot) {
					skip[r.Slot] = append(skip[r.Slot], i)
				}
			}
		}
		residual, except, _ = l.attempt(object, cut, nil, skip, left)
	}
	return residual, except, skip
}

func (l *lookup) attempt(object jsonscan.Node, cut []jsonscan.Node, taken []place, skip map[Slot][]int, left *int) (residual []byte, except []string, ok bool) {
	var t normalize.Taken
	t.Reset()
	paths := make(map[string]bool, len(taken))
	for _, p := range taken {
		t.Take(p.node)
		paths[p.path] = true
	}
	for _, n := range cut {
		t.Take(n)
	}
	n := 0
	residual = t.AppendResidual(nil, object, &n)
	doc, err := jsonscan.Parse(residual, 0)
	if err != nil {
		return residual, nil, false
	}
	found := 0
	put := l.put(doc.Root(), skip, func(path string) bool {
		if paths[path] {
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
		i := slices.IndexFunc(taken, func(t place) bool { return t.path == p.Path })
		if i < 0 || !same(taken[i].node, p.Value) {
			return residual, except, false
		}
	}
	*left += n
	return residual, except, true
}

// bare tells whether a residual has nothing in it.
func bare(residual []byte) bool { return bytes.Equal(residual, []byte("{}")) }
