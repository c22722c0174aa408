package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// book is a compiled table: the phrases of some topics.
type book struct {
	topics  map[string]bool  // those that it keeps, of all that are in the tables
	not     lexicon.IDs      // the words of @not
	never   lexicon.IDs      // the words of @never
	builder *lexicon.Builder // while it is made
	lookup  lexicon.Phrases  // once it is made
	phrases []phrase         // number 1 first
}

// phrase is what a sequence of words stands for.
type phrase struct {
	topic string
	start bool // stands at the beginning of the text
}

func newBook(topics ...string) *book {
	b := &book{topics: map[string]bool{}, builder: lexicon.NewBuilder(lexicon.DropApostrophes)}
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
				b.not.Add(b.builder.Word(w))
			case "@never":
				b.never.Add(b.builder.Word(w))
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
	p := phrase{topic: topic}
	var steps []lexicon.Step
	gap := 0
	for i, f := range strings.Fields(text) {
		switch {
		case f == "^" && i == 0:
			p.start = true
			continue
		case strings.HasPrefix(f, ".."):
			if _, err := fmt.Sscanf(f, "..%d", &gap); err != nil || gap < 1 || gap > 12 || len(steps) == 0 {
				return fmt.Errorf("read %q: %q is no gap of 1 to 12 words behind a word", line, f)
			}
			continue
		}
		s, err := b.step(f, local)
		if err != nil {
			return fmt.Errorf("read %q: %w", line, err)
		}
		s.Gap, gap = gap, 0
		steps = append(steps, s)
	}
	if len(steps) == 0 || steps[0].End || len(steps[0].Words) == 0 || gap > 0 {
		return fmt.Errorf("read %q: a phrase begins and ends with a word", line)
	}
	if !slices.ContainsFunc(steps, func(s lexicon.Step) bool { return !s.Optional && !s.End }) {
		return fmt.Errorf("read %q: each of its words may be missing, and a phrase of no words is everywhere", line)
	}
	if !b.topics[topic] {
		return nil
	}
	n, err := b.builder.Add(steps)
	switch {
	case err != nil:
		return fmt.Errorf("read %q: %w", line, err)
	case n > len(b.phrases):
		b.phrases = append(b.phrases, p)
	case b.phrases[n-1] != p:
		return fmt.Errorf("read %q: the same words have the topic %s, too", line, b.phrases[n-1].topic)
	}
	return nil
}

func (b *book) step(f string, local map[string][]string) (lexicon.Step, error) {
	var s lexicon.Step
	if rest, ok := strings.CutSuffix(f, "?"); ok {
		f, s.Optional = rest, true
	}
	for w := range strings.SplitSeq(f, "|") {
		if w == "$" {
			s.End = true
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
			if split := b.builder.SplitText(w); len(split) != 1 || split[0] != w {
				return s, fmt.Errorf("%q is not one word in lower case without accents and apostrophes", w)
			}
			s.Words = append(s.Words, b.builder.Word(w))
		}
	}
	return s, nil
}

// close makes the book ready to be read for; no table is added to it any more.
func (b *book) close() { b.lookup, b.builder = b.builder.Phrases(), nil }

// each finds the phrases of a text and calls found with the words around and the range of those
// that match, until it returns false.
func (b *book) each(text string, found func(p phrase, words *lexicon.Scan, from, to int) bool) {
	words := b.lookup.Scan(text)
	defer words.Release()
	for words.Next() {
		from := words.Word()
		for _, h := range words.Hits() {
			if p := b.phrases[h.Phrase-1]; (!p.start || from == 0) && !found(p, words, from, h.To) {
				return
			}
		}
	}
}

// denied tells whether one of the two words before i, in the same clause, denies what follows, or
// one of the two behind it what it says.
func (b *book) denied(words *lexicon.Scan, i int) bool {
	for n := i - 1; n >= 0 && n >= i-2 && !words.Token(n+1).Clause; n-- {
		if b.not.Has(words.Token(n).ID) {
			return true
		}
	}
	for n := i + 1; n <= i+2; n++ {
		w := words.Token(n)
		if w == nil || w.Clause {
			break
		}
		if b.never.Has(w.ID) {
			return true
		}
	}
	return false
}
