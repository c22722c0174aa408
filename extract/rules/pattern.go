package rules

import (
	"fmt"
	"strconv"
	"strings"
)

// What an item of a pattern stands for.
type itemKind uint8

const (
	itemWord    itemKind = iota
	itemClass            // one entry of a class
	itemOpen             // any words: {x}, {x:1-3}
	itemNumber           // a number in digits or words
	itemName             // one to three words with capitals
	itemChoice           // (a|b c)
	itemAnyRest          // ... : what follows does not matter
	itemComma            // , : a comma or a pause, or nothing
)

// item is one element of a parsed pattern.
type item struct {
	kind     itemKind
	optional bool
	min, max int8   // words of itemOpen
	text     string // the word, or the name of the class
	capture  string // name of the capture, "" for none
	choices  [][]item
}

// parsePattern reads the notation described in tables/README.md.
func parsePattern(text string) ([]item, error) {
	p := &patternParser{text: text}
	items, err := p.sequence(0)
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, fmt.Errorf("unexpected %q at byte %d", p.text[p.at], p.at)
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("the pattern is empty")
	}
	if last := &items[len(items)-1]; last.optional && len(last.choices) == 1 && last.choices[0][0].kind == itemAnyRest {
		*last = item{kind: itemAnyRest} // what may follow may also be missing
	}
	for i := range items {
		if items[i].kind == itemAnyRest && i+1 < len(items) {
			return nil, fmt.Errorf("... is not the last item")
		}
	}
	return items, nil
}

type patternParser struct {
	text string
	at   int
}

// sequence reads items up to the end, a bar or a closing bracket.
func (p *patternParser) sequence(depth int) ([]item, error) {
	if depth > 4 {
		return nil, fmt.Errorf("brackets are nested deeper than 4")
	}
	var items []item
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == ' ':
			p.at++
		case c == '|' || c == ')' || c == ']':
			return items, nil
		case c == '(' || c == '[':
			it, err := p.choice(c, depth)
			if err != nil {
				return nil, err
			}
			items = append(items, it)
		case c == '{':
			it, err := p.braces()
			if err != nil {
				return nil, err
			}
			items = append(items, it)
		case c == '}':
			return nil, fmt.Errorf("} without { at byte %d", p.at)
		default:
			end := p.at + strings.IndexAny(p.text[p.at:]+" ", " |()[]{}")
			w := p.text[p.at:end]
			p.at = end
			switch {
			case w == "...":
				items = append(items, item{kind: itemAnyRest})
			case w == ",":
				items = append(items, item{kind: itemComma})
			case w == "@":
				return nil, fmt.Errorf("@ without the name of a class")
			case w[0] == '@':
				items = append(items, item{kind: itemClass, text: w[1:]})
			default:
				items = append(items, item{kind: itemWord, text: w})
			}
		}
	}
	return items, nil
}

func (p *patternParser) choice(open byte, depth int) (item, error) {
	closing := byte(')')
	if open == '[' {
		closing = ']'
	}
	it := item{kind: itemChoice, optional: open == '['}
	for {
		p.at++
		seq, err := p.sequence(depth + 1)
		if err != nil {
			return it, err
		}
		if len(seq) == 0 {
			return it, fmt.Errorf("an empty choice at byte %d", p.at)
		}
		it.choices = append(it.choices, seq)
		if p.at >= len(p.text) {
			return it, fmt.Errorf("%c is not closed", open)
		}
		if p.text[p.at] == '|' {
			continue
		}
		if p.text[p.at] != closing {
			return it, fmt.Errorf("%c is closed by %c", open, p.text[p.at])
		}
		p.at++
		return it, nil
	}
}

// maxCapture is how many words an open capture has at most when neither pattern nor family says so.
const maxCapture = 14

// maxRestricted is the same for one with a clause that restricts what it names.
const maxRestricted = 24

// minListed is the bound from which on one may have as many words with a list in it.
const minListed = 8

// maxInner is the same for a capture that more of the pattern follows on.
const maxInner = 6

func (p *patternParser) braces() (item, error) {
	end := strings.IndexByte(p.text[p.at:], '}')
	if end < 0 {
		return item{}, fmt.Errorf("{ is not closed")
	}
	name, what, typed := strings.Cut(p.text[p.at+1:p.at+end], ":")
	p.at += end + 1
	if name == "" {
		return item{}, fmt.Errorf("a capture has no name")
	}
	it := item{kind: itemOpen, capture: name, min: 1}
	switch {
	case !typed:
	case what == "number":
		it.kind = itemNumber
	case what == "name":
		it.kind = itemName
	case what == "word":
		it.max = 1
	case strings.HasPrefix(what, "@") && len(what) > 1:
		it.kind, it.text = itemClass, what[1:]
	default:
		low, high, ok := strings.Cut(what, "-")
		least, errLow := strconv.ParseInt(low, 10, 8)
		most, errHigh := strconv.ParseInt(high, 10, 8)
		it.min, it.max = int8(least), int8(most)
		if !ok || errLow != nil || errHigh != nil || it.min < 1 || it.max < it.min || it.max > 40 {
			return item{}, fmt.Errorf("{%s:%s}: after the colon comes number, name, word, a range like 1-3, or @class", name, what)
		}
	}
	return it, nil
}
