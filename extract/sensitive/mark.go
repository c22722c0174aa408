package sensitive

import (
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
		for _, u := range t.uses[h.phrase] {
			if u.role <= term && int(u.kind) < best && f.asked[u.language] && f.isOfPerson(h, &u) {
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
	asked []bool // by language
	hits  []hit
}

// hit is a phrase in a content.
type hit struct {
	phrase int
	from   int // its first word
	clause int // from 0 on; crossing for a phrase of several
}

// What is no number of a clause.
const (
	crossing   = -1
	everywhere = -2 // in all clauses, and what crosses their ends
)

func (h *hit) isIn(clause int) bool { return clause == everywhere || h.clause == clause }

func (f *finding) read(content string) {
	s := f.phrases.Scan(content)
	defer s.Release()
	for end, clause := 0, 0; s.Next(); {
		t := s.Token(s.Word())
		if strings.ContainsAny(content[end:t.Start], pauses) {
			clause++
		}
		end = t.End
		for _, found := range s.Hits() {
			h := hit{found.Phrase, s.Word(), clause}
			if strings.ContainsAny(content[t.Start:s.Token(found.To-1).End], pauses) {
				h.clause = crossing
			}
			f.hits = append(f.hits, h)
		}
	}
}

// isOfPerson tells whether a term is told of the person. In languages with verbs behind their
// objects, only its own clause counts.
func (f *finding) isOfPerson(h hit, u *use) bool {
	clause := everywhere
	if f.behind[u.language] {
		clause = h.clause
	}
	return clause != crossing && !f.isHarmless(u, clause) && (u.role == sure || !f.isTopic(h.from, clause))
}

// isHarmless tells whether a phrase that makes a use harmless is in a clause.
func (f *finding) isHarmless(u *use, clause int) bool {
	return len(u.unless) > 0 && slices.ContainsFunc(f.hits, func(h hit) bool {
		return h.isIn(clause) && slices.Contains(u.unless, int32(h.phrase)) //nolint:gosec // bounded by the tables
	})
}

// isTopic tells whether a term at a word is what somebody works on or reads about.
func (f *finding) isTopic(at, clause int) bool {
	type count struct{ all, last int } // last is one more than the place, 0 for none
	counts := make([][2]count, len(f.languages))
	for _, h := range f.hits {
		for _, u := range f.uses[h.phrase] {
			if u.role < topic || !f.asked[u.language] || !h.isIn(clause) || f.isHarmless(&u, clause) {
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
