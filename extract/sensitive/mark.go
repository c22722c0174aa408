package sensitive

import (
	"strings"

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
// a language, the tables of all are asked: a mark too many is better than one too few.
func KindOf(content, language string) string {
	whole := newText(content)
	var asked []*table
	for _, b := range tables() {
		if language == "" || b.language == language || b.language == anyLanguage {
			asked = append(asked, b)
		}
	}
	found := map[string]bool{}
	for _, b := range asked {
		if b.behind { // a topic counts in its own clause
			for clause := range strings.FieldsFuncSeq(content, isPause) {
				b.find(newText(clause), asked, found)
			}
			continue
		}
		b.find(whole, asked, found)
	}
	for _, k := range kinds {
		if found[k] {
			return k
		}
	}
	return ""
}

// anyLanguage is the table of words that all languages share.
const anyLanguage = "any"

func isPause(r rune) bool { return strings.ContainsRune(",;，；、،。", r) }

// text is a content as it is compared.
type text struct {
	words []string
	whole string // folded, without spaces
}

func newText(content string) *text {
	return &text{words: wordsOf(content), whole: strings.ReplaceAll(fold(content), " ", "")}
}

// find adds the kinds that a table finds. asked are the tables whose topics count.
func (b *table) find(t *text, asked []*table, found map[string]bool) {
	for _, k := range kinds {
		if found[k] {
			continue
		}
		if hits(b.sure[k], t) != nil {
			found[k] = true
			continue
		}
		for _, at := range hits(b.terms[k], t) {
			if !isTopic(t, at, asked) {
				found[k] = true
				break
			}
		}
	}
}

// isTopic tells whether a term at a place is what somebody works on or reads about.
func isTopic(t *text, at int, asked []*table) bool {
	for _, b := range asked {
		topics := hits(b.topics, t)
		if topics == nil {
			continue
		}
		selves := hits(b.selves, t)
		if b.behind && len(topics) > len(selves) || last(topics, at) > last(selves, at) {
			return true
		}
	}
	return false
}

// last gives the last of some places before one, -1 for none.
func last(places []int, at int) int {
	best := -1
	for _, p := range places {
		if p <= at && p > best {
			best = p
		}
	}
	return best
}

// hits gives where the phrases of an index stand in a text: of each, the place of its first word.
func hits(x index, t *text) []int {
	var places []int
	take := func(p *phrase, at int) {
		for i := range p.unless {
			if p.unless[i].anywhere(t) {
				return
			}
		}
		places = append(places, at)
	}
	for i, w := range t.words {
		for _, list := range [][]*phrase{x.whole[w], x.open[head(w)], x.front} {
			for _, p := range list {
				if p.at(t.words, i) {
					take(p, i)
				}
			}
		}
	}
	for _, p := range x.unspaced {
		if i := strings.Index(t.whole, p.unspaced); i >= 0 {
			take(p, i)
		}
	}
	return places
}

func (p *phrase) at(words []string, i int) bool {
	if i+len(p.words) > len(words) {
		return false
	}
	for k := range p.words {
		if !p.words[k].matches(words[i+k]) {
			return false
		}
	}
	return true
}

// anywhere tells whether a phrase is in a text.
func (p *phrase) anywhere(t *text) bool {
	if p.unspaced != "" {
		return strings.Contains(t.whole, p.unspaced)
	}
	for i := range t.words {
		if p.at(t.words, i) {
			return true
		}
	}
	return false
}
