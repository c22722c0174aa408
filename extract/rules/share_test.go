package rules

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pamline/pamline/extract/lexicon"
)

// pathsOf gives every way through a trie in words, with the patterns that end there.
func pathsOf(t *trie, words map[uint64]int32) (all []string) {
	var walk func(at int32, path string)
	walk = func(at int32, path string) {
		n := &t.nodes[at]
		for k := n.ends; k != 0; k = t.ends[k].next {
			all = append(all, fmt.Sprint(path, " ends ", t.ends[k].edge))
		}
		for k := n.opens; k != 0; k = t.opens[k].next {
			walk(t.opens[k].to, fmt.Sprint(path, " open ", t.opens[k].edge))
		}
		for k := n.classes; k != 0; k = t.classes[k].next {
			walk(t.classes[k].to, fmt.Sprint(path, " class ", t.classes[k].edge))
		}
		for _, key := range slices.Sorted(maps.Keys(words)) {
			if key>>32 == uint64(at) { //nolint:gosec // never negative
				walk(words[key], fmt.Sprint(path, " ", uint32(key))) //nolint:gosec // the word
			}
		}
	}
	walk(0, "")
	return all
}

func TestShareKeepsEveryWay(t *testing.T) {
	tr := newTrie(1)
	behind := func(from int32, ids ...lexicon.ID) int32 {
		for _, id := range ids {
			from = tr.word(from, id)
		}
		return from
	}
	// Two subjects by three verbs by an optional word, then a class or what was said; another
	// pattern ends behind one of them alone.
	for _, subject := range []lexicon.ID{1, 2} {
		for _, verb := range []lexicon.ID{3, 4, 5} {
			for _, at := range []int32{behind(0, subject, verb), behind(0, subject, verb, 6)} {
				for _, to := range []int32{tr.class(at, 7, 0), tr.open(at, 1, 1, 4)} {
					tr.ends.add(&tr.nodes[to].ends, 10, to)
				}
			}
		}
	}
	other := behind(0, 2, 5)
	tr.ends.add(&tr.nodes[other].ends, 11, other)

	want := pathsOf(&tr, tr.words)
	before := len(tr.nodes)
	tr.share()
	if got := pathsOf(&tr, tr.words); !slices.Equal(got, want) || len(want) != 25 {
		t.Errorf("the ways through the trie are\n%q\nand were\n%q", got, want)
	}
	// The first node, one behind each subject, three behind verbs, and the end.
	if len(tr.nodes) != 7 || before != 39 {
		t.Errorf("%d nodes became %d, want 39 and 7", before, len(tr.nodes))
	}
}
