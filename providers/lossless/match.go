package lossless

import (
	"bytes"
	"slices"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// lookup gives what the document has for rules of one object.
type lookup struct {
	set *ruleSet
	of  side

	values [sequences][]string // those that were asked for
	asked  [sequences]bool
	places places

	// Of the places that values were taken from.
	paths  []string
	byPath map[string]int // of many
}

// side is what the document has.
type side interface {
	// one gives the value of a slot that has one; json marks a value that is JSON text already.
	one(s Slot) (value string, has, json bool)
	// many gives the values of a sequence.
	many(s Slot) []string
}

// turnTo makes l the lookup of another object, with the memory that it has.
func (l *lookup) turnTo(set *ruleSet, of side) *lookup {
	l.set, l.of = set, of
	l.values, l.asked = [sequences][]string{}, [sequences]bool{}
	l.places.steps = l.places.steps[:0]
	return l
}

// many gives the values of a sequence.
func (l *lookup) many(s Slot) []string {
	k := s - Text
	if !l.asked[k] {
		l.values[k], l.asked[k] = l.of.many(s), true
	}
	return l.values[k]
}

// sequences is the number of slots that are sequences.
const sequences = MessageCreated - Text + 1

// turns are, for each sequence, which of its values its places have, in the order of the places;
// nil for one value after the other, which goes without saying.
type turns [sequences][]int

// given is what the document has for a slot with one value.
type given struct {
	value     string
	has, json bool
}

func (l *lookup) give(s Slot) (g given) {
	g.value, g.has, g.json = l.of.one(s)
	if !g.has {
		g.value = ""
	}
	return g
}

// write gives the value of a rule as the source writes it; ok is false where it writes nothing.
func (g given) write(r Rule) (text []byte, ok bool) {
	form := formOf(r)
	switch {
	case g.json:
		return []byte(g.value), g.has
	case !g.has:
		return form.none, form.none != nil
	}
	return form.Write(nil, g.value)
}

// isWritten tells whether the source writes something for the value of a rule.
func (g given) isWritten(r Rule) bool {
	if g.has && (g.json || formOf(r).plain) {
		return true
	}
	_, ok := g.write(r)
	return ok
}

// standsAt tells whether a source value is what the value of a rule is written as.
func (g given) standsAt(r Rule, n jsonscan.Node) bool {
	if g.has && !g.json {
		return standsFor(r, n, g.value)
	}
	text, ok := g.write(r)
	return ok && same(n, text)
}

// match finds the values of an object that the document gives back: the places they stand at, and
// for sequences which of the values each place has.
func (l *lookup) match(object jsonscan.Node) (taken []place, order turns) {
	var seen [sequences]pool
	for _, p := range l.places.find(l.set, object) {
		if !p.node.Exists() {
			continue
		}
		r := l.set.rules[p.rule]
		if !sequence(r.Slot) {
			if l.give(r.Slot).standsAt(r, p.node) {
				taken = append(taken, p)
			}
			continue
		}
		k := r.Slot - Text
		if seen[k].used == nil {
			seen[k].values = l.many(r.Slot)
			seen[k].used = make([]bool, len(seen[k].values))
		}
		if i, ok := seen[k].find(r, p.node); ok {
			p.index = i
			order[k] = append(order[k], i)
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
	for p.next < len(p.values) && p.used[p.next] {
		p.next++
	}
	if p.next < len(p.values) && standsFor(r, n, p.values[p.next]) {
		p.used[p.next] = true
		return p.next, true
	}
	if formOf(r).plain && n.Kind() != jsonscan.String {
		return 0, false
	}
	if p.byText == nil {
		p.byText = map[string][]int{}
		for i, v := range p.values {
			if !p.used[i] {
				if text, ok := writeValue(r, v); ok {
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

// filling is a value that is put into a residual: that of a slot with one value, or one of a
// sequence.
type filling struct {
	place
	given
}

// fill finds what must be put back into a residual. except is asked about every place at which
// something would be put and tells that nothing is.
func (l *lookup) fill(residual jsonscan.Node, order turns, except func(path string) bool) []filling {
	var out []filling
	var next [sequences]int
	for _, p := range l.places.find(l.set, residual) {
		r := l.set.rules[p.rule]
		if !sequence(r.Slot) {
			g := l.give(r.Slot)
			if !g.isWritten(r) || p.node.Exists() && isKept(r, p.node, g) || except(p.path(l.set)) {
				continue
			}
			out = append(out, filling{p, g})
			continue
		}
		if p.node.Exists() && !(p.hole && p.node.Is("")) {
			continue
		}
		s := r.Slot - Text
		k := next[s]
		p.index = k
		if order[s] != nil {
			if k >= len(order[s]) {
				continue
			}
			p.index = order[s][k]
		}
		if p.index >= len(l.many(r.Slot)) || except(p.path(l.set)) {
			continue
		}
		next[s]++
		out = append(out, filling{place: p})
	}
	return out
}

// put gives what must be put back into a residual as patches.
func (l *lookup) put(residual jsonscan.Node, order turns, except func(path string) bool) []normalize.Patch {
	var out []normalize.Patch
	for _, f := range l.fill(residual, order, except) {
		r := l.set.rules[f.rule]
		var text []byte
		var ok bool
		if sequence(r.Slot) {
			text, ok = writeValue(r, l.many(r.Slot)[f.index])
		} else {
			text, ok = f.write(r)
		}
		if ok {
			out = append(out, normalize.Patch{Path: f.path(l.set), Value: text})
		}
	}
	return out
}

// isKept tells whether a value that is still in the residual says what the document says, so that
// it stays as it is.
func isKept(r Rule, n jsonscan.Node, g given) bool {
	if g.standsAt(r, n) || r.Slot == Joined && n.Is("") {
		return true // an empty text beside the parts that have it says nothing, and stays so
	}
	read := r.Form.Read
	if read == nil {
		return false
	}
	got, ok := read(n)
	return ok && got == g.value
}

// divide takes what the document gives back out of an object. It gives the residual, with the
// values in cut left out as well, and the notes that the rules need to put everything back.
func (l *lookup) divide(object jsonscan.Node, cut []jsonscan.Node, left *int) (residual []byte, except []string, order turns) {
	taken, order := l.match(object)
	for slot := range order {
		if inTurn(order[slot]) {
			order[slot] = nil
		}
	}
	residual, except, ok := l.attempt(object, cut, taken, order, left)
	if !ok {
		// The rules do not lead back to what they took: then nothing is taken.
		order = turns{}
		residual, except, _ = l.attempt(object, cut, nil, order, left)
	}
	return residual, except, order
}

// manyPlaces is from how many places on they are looked up in a map.
const manyPlaces = 16

// index makes takenAt know the places that values were taken from.
func (l *lookup) index(taken []place) {
	l.paths, l.byPath = l.paths[:0], nil
	for i := range taken {
		l.paths = append(l.paths, taken[i].path(l.set))
	}
	if len(taken) < manyPlaces {
		return
	}
	l.byPath = make(map[string]int, len(taken))
	for i, path := range l.paths {
		l.byPath[path] = i
	}
}

// takenAt gives the number of the place with a path, -1 for one that nothing was taken from.
func (l *lookup) takenAt(path string) int {
	if l.byPath == nil {
		return slices.Index(l.paths, path)
	}
	if i, ok := l.byPath[path]; ok {
		return i
	}
	return -1
}

func (l *lookup) attempt(object jsonscan.Node, cut []jsonscan.Node, taken []place, order turns, left *int) (residual []byte, except []string, ok bool) {
	var t normalize.Taken
	t.Reset()
	for _, p := range taken {
		t.Take(p.node)
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
	l.index(taken)
	fillings := l.fill(doc.Root(), order, func(path string) bool {
		if l.takenAt(path) >= 0 {
			return false
		}
		except = append(except, path)
		return true
	})
	if len(fillings) != len(taken) {
		return residual, except, false
	}
	for i := range fillings {
		if !l.leadsBack(&fillings[i], &taken[l.takenAt(fillings[i].path(l.set))]) {
			return residual, except, false
		}
	}
	*left += n
	return residual, except, true
}

// leadsBack tells whether a filling puts back what was taken at its place.
func (l *lookup) leadsBack(f *filling, was *place) bool {
	r := l.set.rules[f.rule]
	switch {
	case !sequence(r.Slot):
		return f.rule == was.rule || f.standsAt(r, was.node)
	case f.rule == was.rule && f.index == was.index:
		return true // as it was matched
	}
	return standsFor(r, was.node, l.many(r.Slot)[f.index])
}

// bare tells whether a residual has nothing in it.
func bare(residual []byte) bool { return bytes.Equal(residual, []byte("{}")) }
