package gate

import (
	"fmt"
	"strings"
)

// book is a compiled table: phrases of one topic after the other, indexed by their first words.
type book struct {
	topics  map[string]bool // those that it keeps, of all that are in the tables
	not     map[int]bool    // the words of @not
	never   map[int]bool    // the words of @never
	ids     map[string]int
	phrases []phrase
	first   map[int][]int // word → phrases that can begin with it
	longest int           // most words that a phrase spans
}

// phrase is a sequence of steps.
type phrase struct {
	topic string
	text  string
	start bool // stands at the beginning of the text
	steps []step
}

// step is a word out of several, with others before it.
type step struct {
	any      map[int]bool
	gap      int  // most other words before it
	optional bool // it may be missing
	end      bool // the end of a clause will do, too
}

func newBook(topics ...string) *book {
	b := &book{topics: map[string]bool{}, not: map[int]bool{}, never: map[int]bool{}, ids: map[string]int{}, first: map[int][]int{}, longest: 2}
	for _, t := range topics {
		b.topics[t] = true
	}
	return b
}

// addTable compiles a table (tables/README.md). name stands in errors.
func (b *book) addTable(name, table string) error {
	local := map[string][]string{}
	for n, line := range strings.Split(table, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := b.addLine(line, local); err != nil {
			return fmt.Errorf("read %s, line %d: %w", name, n+1, err)
		}
	}
	return nil
}

func (b *book) addLine(line string, local map[string][]string) error {
	if class, words, ok := strings.Cut(line, " = "); ok && class[0] == '@' {
		for _, w := range strings.Fields(words) {
			if w[0] == '@' {
				more, ok := local[w]
				if !ok {
					return fmt.Errorf("read class %s: there is no class %s above it", class, w)
				}
				local[class] = append(local[class], more...)
				continue
			}
			local[class] = append(local[class], w)
			switch class {
			case "@not":
				b.not[b.id(w)] = true
			case "@never":
				b.never[b.id(w)] = true
			}
		}
		return nil
	}
	topic, text, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("read %q: expected a class (@name = words) or a phrase (topic: words)", line)
	}
	if !knownTopics[topic] && labels[topic] == nil {
		return fmt.Errorf("read %q: there is no topic %q", line, topic)
	}
	p := phrase{topic: topic, text: text}
	gap := 0
	for i, f := range strings.Fields(text) {
		switch {
		case f == "^" && i == 0:
			p.start = true
			continue
		case strings.HasPrefix(f, ".."):
			if _, err := fmt.Sscanf(f, "..%d", &gap); err != nil || gap < 1 || gap > 12 || len(p.steps) == 0 {
				return fmt.Errorf("read %q: %q is no gap of 1 to 12 words behind a word", line, f)
			}
			continue
		}
		s, err := b.step(f, local)
		if err != nil {
			return fmt.Errorf("read %q: %w", line, err)
		}
		s.gap, gap = gap, 0
		p.steps = append(p.steps, s)
	}
	if len(p.steps) == 0 || p.steps[0].end || len(p.steps[0].any) == 0 || gap > 0 {
		return fmt.Errorf("read %q: a phrase begins and ends with a word", line)
	}
	if !b.topics[topic] {
		return nil
	}
	span := 0
	for i, s := range p.steps {
		span += s.gap + 1
		for id := range s.any {
			if i == 0 || b.skippable(&p, i) {
				b.first[id] = append(b.first[id], len(b.phrases))
			}
		}
	}
	b.longest = max(b.longest, span)
	b.phrases = append(b.phrases, p)
	return nil
}

// skippable tells whether all steps before the n-th may be missing.
func (b *book) skippable(p *phrase, n int) bool {
	for _, s := range p.steps[:n] {
		if !s.optional {
			return false
		}
	}
	return true
}

func (b *book) step(f string, local map[string][]string) (step, error) {
	s := step{any: map[int]bool{}}
	if rest, ok := strings.CutSuffix(f, "?"); ok {
		f, s.optional = rest, true
	}
	for w := range strings.SplitSeq(f, "|") {
		if w == "$" {
			s.end = true
			continue
		}
		words := []string{w}
		if strings.HasPrefix(w, "@") {
			var ok bool
			if words, ok = local[w]; !ok {
				return s, fmt.Errorf("there is no class %s above it", w)
			}
		}
		for _, w := range words {
			_, end, folded, ok := nextWord(w, 0, nil)
			if !ok || end != len(w) || string(folded) != w {
				return s, fmt.Errorf("%q is not one word in lower case without accents and apostrophes", w)
			}
			s.any[b.id(w)] = true
		}
	}
	return s, nil
}

func (b *book) id(w string) int {
	if b.ids[w] == 0 {
		b.ids[w] = len(b.ids) + 1
	}
	return b.ids[w]
}

// denied tells whether one of the two words before i, in the same clause, denies what follows, or one of the two behind it what it says.
func (b *book) denied(words []token, i int) bool {
	for n := i - 1; n >= 0 && n >= i-2 && !words[n+1].clause; n-- {
		if b.not[words[n].id] {
			return true
		}
	}
	for n := i + 1; n < len(words) && n <= i+2 && !words[n].clause; n++ {
		if b.never[words[n].id] {
			return true
		}
	}
	return false
}

const block = 4096

// each finds the phrases of a text and calls found with the words around and the range of those that match, until it returns false.
// It holds a block of words at a time, so that a text of any length takes the same memory.
func (b *book) each(text string, found func(p *phrase, words []token, from, to int) bool) {
	words := make([]token, 0, min(len(text)/4+8, block+2*b.longest))
	buf := make([]byte, 0, 64)
	at, tried := 0, 0
	for more := true; more; {
		for len(words) < block+b.longest {
			start, end, folded, ok := nextWord(text, at, buf)
			if !ok {
				more = false
				break
			}
			w := token{start: start, end: end, id: b.ids[string(folded)]}
			w.clause, w.sentence = breaks(text[at:start])
			if at == 0 {
				w.clause, w.sentence, w.first = true, true, true
			}
			words = append(words, w)
			at = end
		}
		last := len(words)
		if more {
			last -= b.longest
		}
		for i := tried; i < last; i++ {
			for _, n := range b.first[words[i].id] {
				p := &b.phrases[n]
				if p.start && !words[i].first {
					continue
				}
				if to := match(p.steps, words, i, !more); to > 0 && !found(p, words, i, to) {
					return
				}
			}
		}
		// What stands before the next word to try stays as its neighbourhood.
		keep := max(last-b.longest, 0)
		words = append(words[:0], words[keep:]...)
		tried = last - keep
	}
}

// match tells where the steps end that begin at word i, 0 when they do not match. A gap does not pass the end of a sentence.
func match(steps []step, words []token, i int, whole bool) int {
	if len(steps) == 0 {
		return i
	}
	s := &steps[0]
	if s.end && (i < len(words) && words[i].clause || i == len(words) && whole) {
		return match(steps[1:], words, i, whole)
	}
	for g := 0; g <= s.gap && i+g < len(words); g++ {
		if g > 0 && words[i+g].sentence {
			break
		}
		if s.any[words[i+g].id] {
			if to := match(steps[1:], words, i+g+1, whole); to > 0 {
				return to
			}
		}
	}
	if s.optional {
		return match(steps[1:], words, i, whole)
	}
	return 0
}
