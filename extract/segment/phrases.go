package segment

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// phrases is a tree of folded words, with a filter before it: most words of a text begin no phrase,
// and of those inside a sentence fewer matter. The filter lets all first words of phrases through,
// and some others.
type phrases struct {
	words   lexicon.Words
	edges   lexicon.Edges
	classes []class   // of the nodes; the first is the root
	leaf    []bool    // whether no longer phrase goes through a node
	leads   [256]bool // first bytes of phrases, in either case
	// lengths holds, for the ends of a word, which lengths words of phrases have in bytes; the
	// second those of phrases that may stand anywhere.
	lengths [2][1 << 12]uint32
}

// newPhrases makes the tree of phrases and their classes.
func newPhrases(list []phrase) (*phrases, error) {
	p := &phrases{classes: make([]class, 1)}
	words, edges := map[string]lexicon.ID{}, map[uint64]int32{}
	for _, f := range list {
		var buf [maxWord]byte
		node, count := int32(0), 0
		for at := 0; ; count++ {
			start, end := nextWord(f.words, at)
			if start == end {
				break
			}
			folded, ok := foldWord(buf[:0], f.words[start:end])
			if !ok {
				return nil, fmt.Errorf("add phrase %q: a word is longer than %d bytes", f.words, maxWord)
			}
			if node == 0 {
				p.letThrough(f.words[start:end], string(folded), f.class)
			}
			id, known := words[string(folded)]
			if !known {
				id = lexicon.ID(len(words) + 1) //nolint:gosec // bounded by the tables
				words[string(folded)] = id
			}
			key := lexicon.EdgeKey(node, id)
			if edges[key] == 0 {
				edges[key] = int32(len(p.classes)) //nolint:gosec // bounded by the tables
				p.classes = append(p.classes, 0)
			}
			node, at = edges[key], end
		}
		if count == 0 {
			return nil, fmt.Errorf("add phrase %q: it has no word", f.words)
		}
		p.classes[node] |= f.class
	}
	p.leaf = make([]bool, len(p.classes))
	for i := range p.leaf {
		p.leaf[i] = true
	}
	for key := range edges {
		p.leaf[key>>32] = false
	}
	p.words, p.edges = lexicon.NewWords(words), lexicon.NewEdges(edges)
	return p, nil
}

// letThrough opens the filter to a word, with all of its accents, some, or none.
func (p *phrases) letThrough(word, folded string, c class) {
	shortest, longest := min(len(word), len(folded)), max(len(word), len(folded))+2*strings.Count(folded, "'")
	for _, head := range []string{word, folded} {
		p.leads[head[0]] = true
		for _, end := range []string{word, folded} {
			k := filterKey(head[0], second(head), end[len(end)-1])
			for n := shortest; n <= longest; n++ {
				p.lengths[0][k] |= lengthBit(n)
				if c&(anywhere|first) != 0 {
					p.lengths[1][k] |= lengthBit(n)
				}
			}
		}
	}
}

// mayStart tells whether a word may begin a phrase; inside a sentence, one that may stand anywhere.
func (p *phrases) mayStart(word string, inside bool) bool {
	i := 0
	if inside {
		i = 1
	}
	return p.lengths[i][filterKey(word[0], second(word), word[len(word)-1])]&lengthBit(len(word)) != 0
}

// lengthBit is the bit of a length; all of 31 bytes and more have the same.
func lengthBit(n int) uint32 { return 1 << min(n, 31) }

// second is the second byte of a word, 0 when it has none. All apostrophes are the same.
func second(word string) byte {
	switch {
	case len(word) < 2:
		return 0
	case word[1] >= 0x80 && apostrophe(word[1:]) > 0:
		return '\''
	}
	return word[1]
}

// filterKey mixes the first two bytes and the last one. The bit 0x20 is the case of letters, of
// Latin ones beyond ASCII too.
func filterKey(a, b, z byte) uint16 {
	return uint16((uint32(a|0x20)<<16 | uint32(b|0x20)<<8 | uint32(z|0x20)) * 2654435761 >> 20)
}

// match walks the tree from the word [at, stop). It gives the classes of the longest phrase and
// where that ends. A word of the first person counts whatever longer phrase it begins.
func (p *phrases) match(text string, at, stop int) (cls class, end int) {
	var buf [maxWord]byte
	node := int32(0)
	var person class
	from := at
	for {
		word, ok := foldWord(buf[:0], text[from:stop])
		if !ok {
			break
		}
		id := p.words.Find(word)
		if id == 0 {
			break
		}
		if node = p.edges.Step(node, id); node == 0 {
			break
		}
		if c := p.classes[node]; c != 0 {
			cls, end = c, stop
			person |= c & first
		}
		if p.leaf[node] {
			break
		}
		// The words of a phrase stand side by side on one line.
		from = stop
		for from < len(text) && from-stop < 3 && (byteClass[text[from]]&isBlank != 0 || text[from] == '-' || text[from] == ',') {
			from++
		}
		if from >= len(text) || wordRune(text, from) == 0 {
			break
		}
		stop = wordEnd(text, from)
	}
	return cls | person, end
}
