package lexicon

// Phrases finds phrases in texts: sequences of words, some of them one of several, optional, or
// with other words before them. A Builder makes it; it is plain data (package frozen).
type Phrases struct {
	tokenizer  Tokenizer
	proclitics []string
	words      Words
	open       openWords
	edges      Edges // by words that stand side by side
	nodes      []node
	steps      []step
}

// node is a place in phrases: what stands before it was found.
type node struct {
	phrase int32 // that is complete here, 0 for none
	steps  int32 // the first of those that leave it and are no edges, 0 for none
	leaf   bool  // nothing leaves it
}

// step is a Step, compiled.
type step struct {
	any           IDs
	gap, to, next int32
	optional, end bool
}

// maxSpan is how many words a phrase spans at most.
const maxSpan = 48

// walk looks for the phrases that go on from a node at a word. It tells whether one ends that has
// nodes of its own: other ways to its end need no look.
func (s *Scan) walk(at int32, i int) (found bool) {
	p := s.phrases
	for {
		n := &p.nodes[at]
		if n.phrase != 0 {
			s.addHit(int(n.phrase), i)
		}
		if n.leaf {
			return true
		}
		t := s.Token(i)
		for k := n.steps; k != 0; k = p.steps[k].next {
			found = s.takeStep(&p.steps[k], t, i)
		}
		if t == nil || t.apart && at != 0 {
			return found
		}
		for k := t.also; k < t.alsoEnd; k++ {
			if to := p.edges.Step(at, s.also[k]); to != 0 {
				s.walk(to, i+1)
			}
		}
		if t.ID == 0 {
			return found
		}
		if at = p.edges.Step(at, t.ID); at == 0 {
			return found
		}
		i++
	}
}

// takeStep goes on behind a step at a word: the end of a clause first, then the nearest word.
func (s *Scan) takeStep(st *step, t *Token, i int) bool {
	if st.end && (t == nil || t.Clause) && s.walk(st.to, i) {
		return true
	}
	for gap := 0; t != nil; {
		if st.any.Has(t.ID) && s.walk(st.to, i+gap+1) {
			return true
		}
		if gap++; gap > int(st.gap) {
			break
		}
		if t = s.Token(i + gap); t == nil || t.Sentence {
			break
		}
	}
	return st.optional && s.walk(st.to, i)
}
