package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// book is a compiled table: phrases of one topic after the other, indexed by their first words.
type book struct {
	topics  map[string]bool       // those that it keeps, of all that are in the tables
	not     idSet                 // the words of @not
	never   idSet                 // the words of @never
	numbers map[string]lexicon.ID // of the words, while it is made
	words   lexicon.Words         // the same, once it is made
	phrases []phrase
	first   [][]int // word → phrases that can begin with it
	longest int     // most words that a phrase spans
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
	any      idSet
	gap      int  // most other words before it
	optional bool // it may be missing
	end      bool // the end of a clause will do, too
}

func newBook(topics ...string) *book {
	b := &book{topics: map[string]bool{}, numbers: map[string]lexicon.ID{}, longest: 2, first: make([][]int, 1)}
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
				b.not.add(b.id(w))
			case "@never":
				b.never.add(b.id(w))
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
	if !slices.ContainsFunc(p.steps, func(s step) bool { return !s.optional && !s.end }) {
		return fmt.Errorf("read %q: each of its words may be missing, and a phrase of no words is everywhere", line)
	}
	if !b.topics[topic] {
		return nil
	}
	span := 0
	for i, s := range p.steps {
		span += s.gap + 1
		if i > 0 && !b.skippable(&p, i) {
			continue
		}
		for id := range s.any.all() {
			b.first[id] = append(b.first[id], len(b.phrases))
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
	var s step
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
			s.any.add(b.id(w))
		}
	}
	return s, nil
}

func (b *book) id(w string) int {
	id := b.numbers[w]
	if id == 0 {
		id = lexicon.ID(len(b.numbers) + 1) //nolint:gosec // bounded by the tables
		b.numbers[w] = id
		b.first = append(b.first, nil)
	}
	return int(id)
}

// close makes the book ready to be read for; no table is added to it any more.
func (b *book) close() { b.words, b.numbers = lexicon.NewWords(b.numbers), nil }

// denied tells whether one of the two words before i, in the same clause, denies what follows, or
// one of the two behind it what it says.
func (b *book) denied(words []token, i int) bool {
	for n := i - 1; n >= 0 && n >= i-2 && !words[n+1].clause; n-- {
		if b.not.has(words[n].id) {
			return true
		}
	}
	for n := i + 1; n < len(words) && n <= i+2 && !words[n].clause; n++ {
		if b.never.has(words[n].id) {
			return true
		}
	}
	return false
}
