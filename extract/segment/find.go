package segment

import (
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// findCues looks up the phrases of the tables in what is still prose.
func (d *draft) findCues() {
	p := cues()
	s := p.lookup.Scan(d.text)
	defer s.Release()
	for i := range d.lines {
		l := &d.lines[i]
		l.hits[0] = len(d.hits)
		if l.kind == Prose && !l.shape.blank {
			l.first = d.findInLine(p, s, l.start, l.end)
		}
		l.hits[1] = len(d.hits)
	}
}

// findInLine adds the hits of a line and counts its words of the first person.
func (d *draft) findInLine(p *phrases, s *lexicon.Scan, start, end int) (firsts int) {
	text := d.text[:end]
	s.Reset(text, start)
	fresh, opens := true, true
	for at := start; at < end; {
		c := text[at]
		if c < 0x80 && byteClass[c]&(isLetter|isDigit) == 0 {
			switch c {
			case '.', '!', '?', ':', ';', '(', '"':
				fresh = true
			case '-':
				fresh = fresh || at+1 < end && text[at+1] == ' '
			}
			at++
			continue
		}
		if c >= 0x80 && !p.leads[c] {
			// No phrase begins with such a letter: the rest of the word is not even decoded.
			n := lexicon.CharLen(text, at)
			switch {
			case c == 0xc2: // ¿ ¡ « and hard spaces
				fresh = fresh || strings.IndexByte("\xbf\xa1\xab", text[at+n-1]) >= 0
			case c == 0xe2 || c == 0xe3 || c == 0xef:
				fresh = fresh && c != 0xe3 || n == 3 && stopRune(text[at:at+n])
			case c < 0xf0:
				fresh, opens = false, false
			}
			at += n
			continue
		}
		if c >= 0x80 && lexicon.LetterLen(text, at) == 0 {
			n := lexicon.CharLen(text, at)
			if n == 3 && stopRune(text[at:at+n]) {
				fresh = true
			}
			at += n
			continue
		}
		stop := tokenizer.WordEnd(text, at)
		var cls class
		match := at
		if p.mayStart(text[at:stop], !fresh) {
			cls, match = p.match(s, at)
		}
		if cls&first != 0 {
			firsts++
			cls &^= first
		}
		if !fresh {
			cls &= anywhere
		}
		if cls&^filler != 0 {
			d.hits = append(d.hits, hit{at, match, cls &^ filler, opens})
		}
		if cls&filler != 0 {
			at = match
			continue
		}
		// The number of a list item opens nothing by itself.
		if !(fresh && byteClass[c]&isDigit != 0) {
			fresh, opens = false, false
		}
		at = stop
	}
	return firsts
}

// hasFirstPerson tells whether a text has a word of the first person.
func hasFirstPerson(text string) bool { return cues().countFirst(text, 1) > 0 }

// stopRune tells whether a character of three bytes ends a sentence: … “ « and the full stops of
// Chinese and Japanese.
func stopRune(s string) bool {
	switch s {
	case "…", "—", "–", "“", "„", "。", "！", "？", "：", "•":
		return true
	}
	return false
}
