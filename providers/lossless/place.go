package lossless

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// place is where a rule leads in one source object.
type place struct {
	rule int
	node jsonscan.Node // zero where the last field is missing
	hole bool          // an element of an array of texts, which leaves an empty string behind
	vary []step        // what stands for the variable segments
	// index is that of the value that stands there, of a sequence.
	index int
}

// step is an index or a key.
type step struct {
	index int
	key   string
	named bool // it is a key
}

func compareSteps(a, b []step) int {
	return slices.CompareFunc(a, b, func(x, y step) int {
		if x.index != y.index {
			return x.index - y.index
		}
		return strings.Compare(x.key, y.key)
	})
}

// path is the JSON pointer of the place inside the object.
func (p *place) path(set *ruleSet) string {
	if set.paths[p.rule].fixed {
		return set.rules[p.rule].Path
	}
	var out []byte
	vary := p.vary
	for _, s := range set.paths[p.rule].segments {
		out = append(out, '/')
		switch {
		case !s.variable:
			out = append(out, s.text...)
		case vary[0].named:
			out, vary = append(out, normalize.EscapePointer(vary[0].key)...), vary[1:]
		default:
			out, vary = strconv.AppendInt(out, int64(vary[0].index), 10), vary[1:]
		}
	}
	return string(out)
}

// places finds where rules lead in an object.
type places struct {
	found []place
	steps []step // of the places found so far, one behind the other
	way   []step // to where the search is
}

// find gives the places of some rules in an object, in the order in which sequences are walked: by
// rank, by what their variable segments stand for, then by the order of the rules. It is the same
// for a source object and for its residual. They are valid until the next call, their steps longer.
func (p *places) find(set *ruleSet, object jsonscan.Node) []place {
	p.found = p.found[:0]
	for i, r := range set.rules {
		if r.Slot != MessageList && r.Slot != MessageMap {
			p.way = p.way[:0]
			p.follow(i, set.paths[i].segments, object)
		}
	}
	slices.SortStableFunc(p.found, func(a, b place) int {
		if c := set.rules[a.rule].Rank - set.rules[b.rule].Rank; c != 0 {
			return c
		}
		if c := compareSteps(a.vary, b.vary); c != 0 {
			return c
		}
		return a.rule - b.rule
	})
	return p.found
}

// follow adds the places that a path leads to.
func (p *places) follow(rule int, segments []segment, n jsonscan.Node) {
	for len(segments) > 0 && !segments[0].variable {
		if n.Kind() != jsonscan.Object {
			return
		}
		n = n.Get(segments[0].key)
		if segments = segments[1:]; !n.Exists() && len(segments) > 0 {
			return
		}
	}
	if len(segments) == 0 {
		start := len(p.steps)
		p.steps = append(p.steps, p.way...)
		p.found = append(p.found, place{rule: rule, node: n, vary: p.steps[start:len(p.steps):len(p.steps)]})
		return
	}
	head, rest := segments[0], segments[1:]
	depth := len(p.way)
	switch n.Kind() {
	case jsonscan.Array:
		i := 0
		for v := range n.Items() {
			if fits(head.text, v) {
				p.way = append(p.way[:depth], step{index: i})
				before := len(p.found)
				p.follow(rule, rest, v)
				if len(rest) == 0 && len(p.found) > before {
					p.found[len(p.found)-1].hole = true
				}
			}
			i++
		}
	case jsonscan.Object:
		if head.text != "*" {
			break
		}
		for k, v := range n.Fields() {
			p.way = append(p.way[:depth], step{key: k.Str(), named: true})
			p.follow(rule, rest, v)
		}
	}
	p.way = p.way[:depth]
}

// fits tells whether an element of an array fits a segment: "*", "[key=value]" or
// "[key!=value|value]".
func fits(segment string, v jsonscan.Node) bool {
	if segment == "*" {
		return true
	}
	key, want, _ := strings.Cut(strings.Trim(segment, "[]"), "=")
	if v.Kind() != jsonscan.Object {
		return false
	}
	key, not := strings.CutSuffix(key, "!")
	got := v.Get(key)
	if want == "" {
		return got.Exists() == not
	}
	if !not {
		return got.Is(want)
	}
	for w := range strings.SplitSeq(want, "|") {
		if got.Is(w) {
			return false
		}
	}
	return true
}

// valueAt gives the value at a pointer without variable segments.
func valueAt(n jsonscan.Node, path string) jsonscan.Node {
	if path == "" {
		return n
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if n.Kind() != jsonscan.Object {
			return jsonscan.Node{}
		}
		n = n.Get(normalize.UnescapePointer(segment))
	}
	return n
}
