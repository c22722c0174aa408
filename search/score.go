package search

// Weights of what makes a place relevant. They are compared with one another only.
const (
	weightWords   = 2.0 // all words are as they were given
	weightForms   = 1.0
	weightNear    = 0.8 // the words stand beside one another
	weightTitle   = 0.3 // a word is in the title, too
	weightMemory  = 0.4 // a memory is what a conversation comes to
	weightMeaning = 2.2 // times the likeness: a memory that is very like what was asked stands beside those with the words
	weightThought = -0.3
	// weightBest is for the conversation that the index says is the best; less for later ones.
	weightBest = 0.5
)

// roleWeights prefer the person's own words to those of machines.
var roleWeights = map[string]float64{"user": 0.15, "system": -0.2, "tool": -0.3}

// usualTokens is the length of a usual message; longer ones need to say a word more often.
const usualTokens = 80

// score says how well a text fits: every term counts the more often it is there, the shorter the
// text, and the nearer the terms are to one another.
func (f *found) score(loose looseness) float64 {
	var s float64
	for _, p := range f.places {
		n := float64(len(p))
		s += n / (n + 0.5 + 0.7*float64(f.tokens)/usualTokens)
	}
	s /= float64(len(f.places))
	switch loose {
	case allWords:
		s += weightWords
	case allForms:
		s += weightForms
	default:
		s += weightForms * float64(f.terms()) / float64(len(f.places))
	}
	if width, ok := f.nearest(); ok {
		s += weightNear / (1 + float64(width)/40)
	}
	return s
}

// nearest is the shortest stretch with every term that was found, less the terms themselves, in
// bytes; ok is false when there are not two.
func (f *found) nearest() (width int, ok bool) {
	window, own, ok := f.window()
	return max(0, window.end-window.start-own), ok
}

// window is the shortest stretch of the text with every term that was found, and how much of it
// the terms take.
func (f *found) window() (best span, own int, ok bool) {
	at := make([]int, len(f.places))
	some := 0
	for _, p := range f.places {
		if len(p) > 0 {
			some++
		}
	}
	for first := true; some > 0; first = false {
		var low, high span
		lowest, sum := -1, 0
		for i, p := range f.places {
			if len(p) == 0 {
				continue
			}
			s := p[at[i]]
			sum += s.end - s.start
			if lowest < 0 || s.start < low.start {
				low, lowest = s, i
			}
			if s.end > high.end {
				high = s
			}
		}
		if first || high.end-low.start < best.end-best.start {
			best, own = span{low.start, high.end}, sum
		}
		if at[lowest]++; at[lowest] == len(f.places[lowest]) {
			break
		}
	}
	return best, own, some > 1
}
