package rules

import (
	"hash/fnv"
	"slices"

	"github.com/pamline/pamline/extract/lexicon"
)

// anchors are words of which a text has one if it tells of a change or asks to forget. They lie
// beside the table of their language, so that it need not be opened for a text without them: to
// look for changes in the tables of all languages would bring them all into memory for one "ok".
type anchors struct {
	hashes []uint32 // of the words, in order
	// cuts is a table without words that cuts texts as the one of the language does.
	cuts *table
}

// anchorsName is the name of the frozen anchors of a language.
func anchorsName(language string) string { return tableName(language) + "-anchors" }

// anchors gives those of the changes of a table, nil for a table without changes or one of which a
// text may tell without any of its words.
func (t *table) anchors() *anchors {
	if t.change == nil || len(t.change.anchored) == 0 || t.proclitic != "" {
		return nil
	}
	return &anchors{t.change.anchored, &table{language: t.language, elisions: t.elisions, suffixed: t.suffixed, enumerates: t.enumerates}}
}

// stand tells whether one of the anchors stands in a range of a text; it does for nil.
func (a *anchors) stand(s *scanner, text string, start, end int) (found bool) {
	if a == nil {
		return true
	}
	s.meet = func(folded []byte) {
		if !found {
			_, found = slices.BinarySearch(a.hashes, hashAnchor(folded))
		}
	}
	defer func() { s.meet = nil }()
	s.reset(text, start, end, a.cuts)
	for !found && s.next() {
	}
	return found
}

// hashAnchor is what is kept of a word. Two words with the same open a table in vain.
func hashAnchor(folded []byte) uint32 {
	h := fnv.New32a()
	h.Write(folded) //nolint:errcheck // a hash takes everything
	return h.Sum32()
}

// anchoring collects the anchors of a table while it is compiled.
type anchoring struct {
	t     *table
	words map[wordID]bool
	// failed tells that something is told by words that are no anchors: by a number or a name
	// alone.
	failed bool
}

// add collects the words that leave some nodes of a trie and, behind what any words may stand for,
// those that come next.
func (a *anchoring) add(tr *trie, from ...int32) {
	leaving := map[int32][]wordID{}
	for k := range tr.words {
		leaving[int32(k>>32)] = append(leaving[int32(k>>32)], wordID(k)) //nolint:gosec // the halves of a key
	}
	seen := map[int32]bool{}
	for i := 0; i < len(from); i++ {
		at := from[i]
		if seen[at] {
			continue
		}
		seen[at] = true
		for _, id := range leaving[at] {
			if id == a.t.comma {
				from = append(from, a.pass(tr, tr.words[lexicon.EdgeKey(at, id)]))
			} else {
				a.words[id] = true
			}
		}
		n := &tr.nodes[at]
		a.addClasses(tr, n)
		for k := n.opens; k != 0; k = tr.opens[k].next {
			from = append(from, a.pass(tr, tr.opens[k].to))
		}
		for _, kinds := range [...]struct {
			first int32
			of    chains[int8]
		}{{n.numbers, tr.numbers}, {n.names, tr.names}} {
			for k := kinds.first; k != 0; k = kinds.of[k].next {
				from = append(from, a.pass(tr, kinds.of[k].to))
			}
		}
	}
}

// pass gives a node that no anchor leads to.
func (a *anchoring) pass(tr *trie, to int32) int32 {
	a.failed = a.failed || tr.nodes[to].ends != 0 || tr.nodes[to].free != 0
	return to
}

// addClasses collects the entries of the classes that leave a node, of a phrase its first word.
func (a *anchoring) addClasses(tr *trie, n *node) {
	var leaving classSet
	for k := n.classes; k != 0; k = tr.classes[k].next {
		leaving.add(tr.classes[k].edge.class)
	}
	for id := range a.t.member {
		if leaving.meets(&a.t.member[id]) || leaving.meets(&a.t.opens[id]) {
			a.words[wordID(id)] = true //nolint:gosec // a table is small
		}
	}
}

// hashes gives the anchors as they are kept, in all forms in which they are written; nil when there
// are none to tell by.
func (a *anchoring) hashes() (all []uint32) {
	for said, id := range a.t.words {
		if a.words[id] && !a.failed {
			all = append(all, hashAnchor([]byte(said)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
