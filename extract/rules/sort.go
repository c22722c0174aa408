package rules

import "github.com/pamline/pamline/extract/lexicon"

// wordSort is what the classes of a table say of a word. Most words are like many others.
type wordSort struct{ member, opens classSet }

// sortWords files the words of a table by their sorts. No class gets another word any more.
func (t *table) sortWords() {
	places := map[wordSort]uint16{}
	t.sorts = make([]uint16, len(t.member))
	for id := range t.member {
		s := wordSort{t.member[id], t.opens[id]}
		place, known := places[s]
		if !known {
			place = uint16(len(t.sorted)) //nolint:gosec // at most as many as words, whose numbers have 16 bits in edges
			places[s], t.sorted = place, append(t.sorted, s)
		}
		t.sorts[id] = place
	}
	t.member, t.opens = nil, nil
}

// phraseIndex finds the phrases of classes by their first words.
type phraseIndex struct {
	places lexicon.Edges // lead from a class by a word to its place in lists
	lists  [][]phrase    // the first one is empty
}

// newPhraseIndex takes phrases over: by lexicon.EdgeKey, those of a class that begin with a word.
func newPhraseIndex(phrases map[uint64][]phrase) phraseIndex {
	x := phraseIndex{lists: make([][]phrase, 1)}
	places := map[uint64]int32{}
	for _, key := range sortedKeys(phrases) {
		places[key] = int32(len(x.lists)) //nolint:gosec // a table is small
		x.lists = append(x.lists, phrases[key])
	}
	x.places = lexicon.NewEdges(places)
	return x
}

// of gives the phrases of a class that begin with a word, the longest first.
func (x *phraseIndex) of(c classID, id wordID) []phrase { return x.lists[x.places.Step(int32(c), id)] }
