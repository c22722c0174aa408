package segment

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// tokenizer finds the words of messages and tables.
const tokenizer = lexicon.KeepApostrophes

// phrases are those of the tables, with a filter before them: most words of a text begin no phrase,
// and of those inside a sentence fewer matter. The filter lets all first words of phrases through,
// and some others.
type phrases struct {
	lookup  lexicon.Phrases
	classes []class   // by the number of the phrase
	leads   [256]bool // first bytes of phrases, in either case
	// lengths holds, for the ends of a word, which lengths words of phrases have in bytes; the
	// second those of phrases that may stand anywhere.
	lengths [2][1 << 12]uint32
}

// newPhrases compiles phrases with their classes.
func newPhrases(list []phrase) (*phrases, error) {
	p := &phrases{classes: make([]class, 1)}
	b := lexicon.NewBuilder(tokenizer)
	for _, f := range list {
		var ids []lexicon.ID
		for _, w := range b.SplitText(f.words) {
			if len(w) >= lexicon.MaxWord {
				return nil, fmt.Errorf("add phrase %q: a word is longer than %d bytes", f.words, lexicon.MaxWord-1)
			}
			ids = append(ids, b.Word(w))
		}
		if len(ids) == 0 {
			return nil, fmt.Errorf("add phrase %q: it has no word", f.words)
		}
		start, end := tokenizer.NextWord(f.words, 0)
		p.letThrough(f.words[start:end], string(tokenizer.AppendFolded(nil, f.words[start:end])), f.class)
		n := b.AddWords(ids)
		if n == len(p.classes) {
			p.classes = append(p.classes, 0)
		}
		p.classes[n] |= f.class
	}
	p.lookup = b.Phrases()
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
	case word[1] >= 0x80 && lexicon.ApostropheLen(word[1:]) > 0:
		return '\''
	}
	return word[1]
}

// filterKey mixes the first two bytes and the last one. The bit 0x20 is the case of letters, of
// Latin ones beyond ASCII too.
func filterKey(a, b, z byte) uint16 {
	return uint16((uint32(a|0x20)<<16 | uint32(b|0x20)<<8 | uint32(z|0x20)) * 2654435761 >> 20)
}

// match gives the classes of the longest phrase at a byte and where that ends. A word of the first
// person counts whatever longer phrase it begins.
func (p *phrases) match(s *lexicon.Scan, at int) (cls class, end int) {
	var person class
	to := 0
	for _, h := range s.HitsAt(at) {
		c := p.classes[h.Phrase]
		person |= c & first
		if h.To > to {
			cls, to = c, h.To
		}
	}
	if to == 0 {
		return 0, 0
	}
	return cls | person, s.Token(to - 1).End
}

// countFirst counts words of the first person in a text, up to a number.
func (p *phrases) countFirst(text string, most int) (n int) {
	s := p.lookup.Scan(text)
	defer s.Release()
	for at := 0; n < most; {
		start, end := tokenizer.NextWord(text, at)
		if start == end {
			break
		}
		if p.mayStart(text[start:end], true) {
			if c, _ := p.match(s, start); c&first != 0 {
				n++
			}
		}
		at = end
	}
	return n
}
