package rules

import "strings"

// coordinated gives the third person of the verb at a token that a joining word ties to the verb of
// the statement: "repairs boats and rows for the club". "" for all other words, among them those
// that name a thing as often.
func (c *filler) coordinated(i, end int) string {
	t := c.t
	if i == 0 || i+1 >= end || !t.is(&c.tokens[i-1], t.joins) || t.is(&c.tokens[i], t.homonyms) || !t.goesOnVerb(&c.tokens[i+1]) {
		return ""
	}
	for _, k := range c.f.captures {
		if k.set && k.entry && k.start < i && k.stands != 0 && t.thirdOf[c.lower(k.start, k.end)] == t.stands[k.stands] {
			return t.thirdOf[c.lower(i, i+1)]
		}
	}
	return ""
}

// lower is the text of tokens in small letters.
func (c *filler) lower(start, end int) string {
	return strings.ToLower(c.text[c.tokens[start].start:c.tokens[end-1].end])
}

// goesOnVerb tells whether a word is one that stands behind a verb rather than inside the name of a
// thing: an article, a preposition.
func (t *table) goesOnVerb(tok *token) bool {
	for _, class := range [...]classID{t.articles, t.binds, t.turn, t.dangling} {
		if t.is(tok, class) {
			return true
		}
	}
	return tok.kind == word && t.frequent[tok.id]
}
