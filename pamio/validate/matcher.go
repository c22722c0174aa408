package validate

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// matcher is a pattern as a table of states for ASCII text, which is what patterns of the schemas
// are about: it decides in one step a byte, without the bookkeeping of the regexp package.
type matcher struct {
	next   [][128]uint16 // the state behind a byte
	accept []bool        // a text that ends here matches
}

const (
	dead      = 0   // the state that nothing leads out of
	begin     = 1   // that in which nothing was read
	maxStates = 400 // beyond it a pattern is left to the regexp package
)

// newMatcher gives nil for a pattern that needs more than a table: one that is not anchored at both
// ends, or looks around itself.
func newMatcher(pattern string) *matcher {
	if !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") {
		return nil
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil
	}
	b := tableBuilder{prog: prog, states: map[string]uint16{}}
	b.addState(nil, false)
	if !b.state([]uint32{uint32(prog.Start)}, true) {
		return nil
	}
	for at := begin; at < len(b.sets); at++ {
		for c := range b.m.next[at] {
			var to []uint32
			for _, pc := range b.sets[at] {
				if in := &prog.Inst[pc]; isRune(in) && in.MatchRune(rune(c)) {
					to = append(to, in.Out)
				}
			}
			if len(to) == 0 {
				continue
			}
			if !b.state(to, false) {
				return nil
			}
			b.m.next[at][c] = b.last
		}
	}
	return &b.m
}

// match tells whether a text matches; known is false if that cannot be said of it.
func (m *matcher) match(text []byte) (matches, known bool) {
	at, all := uint16(begin), byte(0)
	for _, c := range text {
		at = m.next[at][c&127]
		all |= c
	}
	return m.accept[at], all < 128
}

func isRune(in *syntax.Inst) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// tableBuilder makes the states of a matcher: sets of places in the program of a pattern.
type tableBuilder struct {
	prog   *syntax.Prog
	states map[string]uint16
	sets   [][]uint32
	m      matcher
	last   uint16
}

// state finds or adds the state of some places; atBegin tells that nothing was read before. It is
// false if the pattern looks around itself, or has too many states.
func (b *tableBuilder) state(places []uint32, atBegin bool) bool {
	seen := map[uint32]bool{}
	accept, plain := false, true
	var visit func(pc uint32)
	visit = func(pc uint32) {
		if seen[pc] {
			return
		}
		seen[pc] = true
		switch in := &b.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			visit(in.Out)
			visit(in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			visit(in.Out)
		case syntax.InstEmptyWidth:
			switch syntax.EmptyOp(in.Arg) {
			case syntax.EmptyBeginText:
				if atBegin {
					visit(in.Out)
				}
			case syntax.EmptyEndText: // patterns end with it
				accept = accept || b.ends(in.Out)
				plain = plain && b.ends(in.Out)
			default:
				plain = false
			}
		case syntax.InstMatch:
			plain = false // it would match with anything behind
		}
	}
	for _, pc := range places {
		visit(pc)
	}
	if !plain {
		return false
	}
	var set []uint32
	var key []byte
	for pc := range seen {
		if isRune(&b.prog.Inst[pc]) {
			set = append(set, pc)
		}
	}
	slices.Sort(set)
	for _, pc := range set {
		key = append(strconv.AppendUint(key, uint64(pc), 10), ' ')
	}
	key = strconv.AppendBool(key, accept)
	if at, ok := b.states[string(key)]; ok {
		b.last = at
		return true
	}
	if len(b.sets) == maxStates {
		return false
	}
	b.last = uint16(len(b.sets)) //nolint:gosec // at most maxStates
	b.states[string(key)] = b.last
	b.addState(set, accept)
	return true
}

// addState adds a state from which every byte is dead as yet.
func (b *tableBuilder) addState(set []uint32, accept bool) {
	b.sets, b.m.next, b.m.accept = append(b.sets, set), append(b.m.next, [128]uint16{}), append(b.m.accept, accept)
}

// ends tells whether a place leads to the end of the pattern without reading anything.
func (b *tableBuilder) ends(pc uint32) bool {
	for {
		switch in := &b.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstCapture, syntax.InstNop:
			pc = in.Out
		default:
			return false
		}
	}
}
