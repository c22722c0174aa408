package sensitive

import (
	"math"
	"slices"
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
	"github.com/pamline/pamline/normalize"
)

// Mark names the kind of each candidate whose content is sensitive. What an extractor has marked
// keeps its mark.
func Mark(found []normalize.Candidate) {
	for i := range found {
		if c := &found[i]; c.Sensitive == "" && c.Content != "" {
			c.Sensitive = KindOf(c.Content, c.Language)
		}
	}
}

// KindOf gives the kind of a content in a language, "" for a content that is not sensitive. Without
// a language, the words of all count: a mark too many is better than one too few.
func KindOf(content, language string) string {
	t := tables()
	f := finding{table: t, asked: make([]bool, len(t.languages))}
	for i, l := range t.languages {
		f.asked[i] = language == "" || l == language || l == anyLanguage
	}
	f.read(lexicon.StripMarks(content))
	best := len(kinds)
	for _, h := range f.hits {
		for _, u := range t.uses[h.Phrase] {
			if u.role <= term && int(u.kind) < best && f.asked[u.language] && f.tells(h, &u) {
				best = int(u.kind)
			}
		}
	}
	if best == len(kinds) {
		return ""
	}
	return kinds[best]
}

// anyLanguage is the table of words that all languages share.
const anyLanguage = "any"

// pauses part the clauses of a text.
const pauses = ",;،、。"

// finding is what was found in a content.
type finding struct {
	*table
	asked   []bool // by language
	hits    []hit
	clauses []int // the first word of each
}

// hit is a phrase in a content, at a word.
type hit struct {
	lexicon.Hit
	from int
}

// words is a range of the words of a content.
type words struct{ from, to int }

func (w words) has(h hit) bool { return h.from >= w.from && h.To <= w.to }

func (f *finding) read(content string) {
	s := f.phrases.Scan(content)
	defer s.Release()
	for end := 0; s.Next(); {
		at, t := s.Word(), s.Token(s.Word())
		if strings.ContainsAny(content[end:t.Start], pauses) {
			f.clauses = append(f.clauses, at)
		}
		end = t.End
		for _, h := range s.Hits() {
			f.hits = append(f.hits, hit{h, at})
		}
	}
}

// clauseOf gives the clause that a word stands in.
func (f *finding) clauseOf(word int) words {
	n, begins := slices.BinarySearch(f.clauses, word)
	if begins {
		n++
	}
	c := words{0, math.MaxInt}
	if n > 0 {
		c.from = f.clauses[n-1]
	}
	if n < len(f.clauses) {
		c.to = f.clauses[n]
	}
	return c
}

// tells whether a term tells of the person. In languages with verbs behind their objects, only its
// own clause counts.
func (f *finding) tells(h hit, u *use) bool {
	within := words{0, math.MaxInt}
	if f.behind[u.language] {
		within = f.clauseOf(h.from)
	}
	return within.has(h) && !f.isHarmless(u, within) && (u.role == sure || !f.isTopic(h.from, within))
}

// isHarmless tells whether a phrase that makes a use harmless is among some words.
func (f *finding) isHarmless(u *use, within words) bool {
	return len(u.unless) > 0 && slices.ContainsFunc(f.hits, func(h hit) bool {
		return within.has(h) && slices.Contains(u.unless, int32(h.Phrase)) //nolint:gosec // bounded by the tables
	})
}

// isTopic tells whether a term at a word is what somebody works on or reads about.
func (f *finding) isTopic(at int, within words) bool {
	type count struct{ all, last int } // last is one more than the place, 0 for none
	counts := make([][2]count, len(f.languages))
	for _, h := range f.hits {
		for _, u := range f.uses[h.Phrase] {
			if u.role < topic || !f.asked[u.language] || !within.has(h) || f.isHarmless(&u, within) {
				continue
			}
			c := &counts[u.language][u.role-topic]
			c.all++
			if h.from <= at {
				c.last = max(c.last, h.from+1)
			}
		}
	}
	for l, c := range counts {
		if f.behind[l] && c[0].all > c[1].all || c[0].last > c[1].last {
			return true
		}
	}
	return false
}
