package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/gate"
)

// How a quote is found.
const (
	minQuote = 3   // letters and digits in a quote; one in scripts where a character is a word
	maxQuote = 600 // characters of a quote that are compared with changes
	minAlike = 0.9 // share of a quote's characters that must be unchanged
)

// locate finds a quote in ranges of a text and gives the spans of the text that it stands for: one
// if the text has it as it is, but for its folded form, or but for one character in ten; several if
// parts of it stand there one after the other, as when the model left something out. It gives nil
// when the text does not hold it.
func locate(text string, ranges []extract.Span, quote string) []extract.Span {
	quote = trimQuote(quote)
	if !enough(quote) {
		return nil
	}
	for _, r := range ranges {
		if s, ok := exact(text, r, quote); ok {
			return []extract.Span{s}
		}
	}
	pieces := make([]folded, len(ranges))
	for i, r := range ranges {
		pieces[i] = fold(text, r.Start, r.End)
	}
	q := foldText(quote)
	if len(q) == 0 {
		return nil
	}
	for i := range pieces {
		if s, ok := pieces[i].find(text, q, 0); ok {
			return []extract.Span{s}
		}
	}
	if spans := severalSpans(text, pieces, quote); spans != nil {
		return spans
	}
	if len(q) > maxQuote {
		return nil
	}
	for i := range pieces {
		if s, ok := pieces[i].nearly(text, q); ok {
			return []extract.Span{s}
		}
	}
	return nil
}

// trimQuote takes white space and quotation marks off the ends of a quote.
func trimQuote(quote string) string {
	return strings.Trim(strings.TrimSpace(strings.ToValidUTF8(quote, "")), "\"“”„«»‹›'‘’ \t\n")
}

// enough tells whether a quote is more than a scrap that stands everywhere.
func enough(quote string) bool {
	n := 0
	for _, r := range quote {
		switch {
		case unspaced(r):
			n += minQuote
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			n++
		}
	}
	return n >= minQuote
}

// exact finds a quote as it is, between the borders of words.
func exact(text string, in extract.Span, quote string) (extract.Span, bool) {
	for at := in.Start; at < in.End; {
		i := strings.Index(text[at:in.End], quote)
		if i < 0 {
			break
		}
		s := extract.Span{Start: at + i, End: at + i + len(quote)}
		if bordered(text, s) {
			return s, true
		}
		_, size := utf8.DecodeRuneInString(text[s.Start:])
		at = s.Start + size
	}
	return extract.Span{}, false
}

// bordered tells whether a span begins and ends between words.
func bordered(text string, s extract.Span) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:s.Start])
	first, _ := utf8.DecodeRuneInString(text[s.Start:])
	last, _ := utf8.DecodeLastRuneInString(text[:s.End])
	after, _ := utf8.DecodeRuneInString(text[s.End:])
	return !(s.Start > 0 && inWord(before) && inWord(first)) && !(s.End < len(text) && inWord(last) && (inWord(after) || unicode.Is(unicode.M, after)))
}

func inWord(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unspaced(r) }

// find looks for folded text from a rune on, and gives the span of the source.
func (f *folded) find(text string, q []rune, from int) (extract.Span, bool) {
	for i := from; i+len(q) <= len(f.runes); i++ {
		if f.runes[i] != q[0] || !slices.Equal(f.runes[i:i+len(q)], q) {
			continue
		}
		if s := f.span(text, i, i+len(q)); bordered(text, s) {
			return s, true
		}
	}
	return extract.Span{}, false
}

// span gives the source of runes from i to j, with the marks that belong to the last of them.
func (f *folded) span(text string, i, j int) extract.Span {
	s := extract.Span{Start: f.at[i], End: f.end[j-1]}
	for s.End < len(text) {
		r, size := utf8.DecodeRuneInString(text[s.End:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		s.End += size
	}
	return s
}

// gaps are the signs with which a model leaves something out of a quote.
var gaps = strings.NewReplacer(gate.Mark, "\x00", "[…]", "\x00", "[...]", "\x00", "(…)", "\x00", "(...)", "\x00", "…", "\x00", "...", "\x00", " / ", "\x00", "\n", "\x00")

// splitAtGaps gives the parts of a quote between its gaps.
func splitAtGaps(quote string) []string {
	parts := strings.Split(gaps.Replace(quote), "\x00")
	return slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })
}

// severalSpans finds the parts of a quote with gaps, each behind the one before it. All must be
// there.
func severalSpans(text string, pieces []folded, quote string) []extract.Span {
	parts := splitAtGaps(quote)
	if len(parts) == 0 || len(parts) > 8 {
		return nil
	}
	var spans []extract.Span
	after := 0
	for _, p := range parts {
		q := foldText(strings.Trim(p, " \t\"'“”«».,;:!?-–—"))
		if len(q) == 0 || !enough(p) {
			return nil
		}
		s, ok := findAfter(text, pieces, q, after)
		if !ok {
			return nil
		}
		spans = append(spans, s)
		after = s.End
	}
	return spans
}

func findAfter(text string, pieces []folded, q []rune, after int) (extract.Span, bool) {
	for i := range pieces {
		f := &pieces[i]
		from, _ := slices.BinarySearch(f.at, after)
		if s, ok := f.find(text, q, from); ok {
			return s, true
		}
	}
	return extract.Span{}, false
}

// nearly finds the part of the text with the fewest changes to the quote (Sellers' algorithm), if
// they are few. It is widened to whole words.
func (f *folded) nearly(text string, q []rune) (extract.Span, bool) {
	if len(f.runes) == 0 || !couldHold(f.runes, q) {
		return extract.Span{}, false
	}
	limit := int(float64(len(q)) * (1 - minAlike))
	if limit == 0 {
		return extract.Span{}, false // so short that a change makes another word of it
	}
	cost, from := make([]int, len(q)+1), make([]int, len(q)+1)
	for i := range cost {
		cost[i] = i
	}
	best, begin, end := limit+1, 0, 0
	for j, r := range f.runes {
		diagonal, diagonalFrom := cost[0], from[0]
		cost[0], from[0] = 0, j+1
		for i := 1; i <= len(q); i++ {
			c, start := diagonal, diagonalFrom
			if q[i-1] != r {
				c++
			}
			if cost[i]+1 < c {
				c, start = cost[i]+1, from[i]
			}
			if cost[i-1]+1 < c {
				c, start = cost[i-1]+1, from[i-1]
			}
			diagonal, diagonalFrom = cost[i], from[i]
			cost[i], from[i] = c, start
		}
		if cost[len(q)] < best {
			best, begin, end = cost[len(q)], from[len(q)], j+1
		}
	}
	if best > limit || begin >= end {
		return extract.Span{}, false
	}
	for begin > 0 && inWord(f.runes[begin-1]) && inWord(f.runes[begin]) {
		begin--
	}
	for end < len(f.runes) && inWord(f.runes[end-1]) && inWord(f.runes[end]) {
		end++
	}
	s := f.span(text, begin, end)
	return s, sameNumbers(f.runes[begin:end], q)
}

// couldHold compares how often each character stands in both: a fast test that spares most
// comparisons.
func couldHold(text, q []rune) bool {
	have := make(map[rune]int, 64)
	for _, r := range text {
		have[r]++
	}
	missing := 0
	for _, r := range q {
		if have[r]--; have[r] < 0 {
			missing++
		}
	}
	return float64(missing) <= float64(len(q))*(1-minAlike)
}

// sameNumbers tells whether two texts have the same digits in the same order: a changed letter is a
// slip, a changed number is another statement.
func sameNumbers(a, b []rune) bool {
	digits := func(rs []rune) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, string(rs))
	}
	return digits(a) == digits(b)
}
