package rules

import "github.com/pamline/pamline/extract/lexicon"

// tongues tells the languages of the tables apart by the words that each names as its marks.
type tongues struct {
	marks   *table  // of all languages together
	weights []uint8 // of each mark, count of them
	count   int
}

// exclusive is the weight of a mark that one language has; one that k languages have weighs
// exclusive/k in each.
const exclusive = 60

// doubt is how much less than the first another language may have to be looked at.
const doubt = exclusive / 4

// sample is how many bytes of a text its language is told by.
const sample = 600

func newTongues(heads []*head) *tongues {
	t := &table{elisions: map[string]bool{}, words: map[string]wordID{}}
	for _, h := range heads {
		for _, e := range h.Elisions {
			t.elisions[e] = true
		}
	}
	c := &compiler{t: t}
	c.id(nil)
	in := [][]bool{nil}
	for l, h := range heads {
		for _, m := range h.Marks.list {
			for _, id := range c.phrase(m.said) {
				for len(in) <= int(id) {
					in = append(in, make([]bool, len(heads)))
				}
				in[id][l] = true
			}
		}
	}
	t.lexicon, t.words = lexicon.NewWords(t.words), nil
	t.sortWords()
	out := &tongues{marks: t, count: len(heads), weights: make([]uint8, len(in)*len(heads))}
	for id, langs := range in {
		k := 0
		for _, yes := range langs {
			if yes {
				k++
			}
		}
		for l, yes := range langs {
			if yes {
				out.weights[id*len(heads)+l] = uint8(exclusive / k) //nolint:gosec // at most exclusive
			}
		}
	}
	return out
}

// score adds to sums how much each language is in a text, and gives the number of words it looked
// at.
func (t *tongues) score(s *scanner, text string, start, end int, sums []int) (words int) {
	s.reset(text, start, min(end, start+sample), t.marks)
	for s.next() {
		for i := range s.tokens {
			if s.tokens[i].kind != word {
				continue
			}
			words++
			if s.tokens[i].id == 0 {
				continue
			}
			at := int(s.tokens[i].id) * t.count
			for l, w := range t.weights[at : at+t.count] {
				sums[l] += int(w)
			}
		}
	}
	return words
}

// pick gives the language of a passage, -1 for none of them: that of the conversation, if the
// passage has not clearly the marks of another. At least a word in sixteen must be a mark of it
// alone.
func pick(own, conversation []int, words int) int {
	best := top(own)
	if best < 0 || own[best]*16 < words*exclusive {
		return -1
	}
	if c := top(conversation); c >= 0 && own[c] > 0 && own[best] < own[c]+exclusive {
		return c
	}
	return best
}

func top(sums []int) int {
	best := -1
	for l, n := range sums {
		if n > 0 && (best < 0 || n > sums[best]) {
			best = l
		}
	}
	return best
}
