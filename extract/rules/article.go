package rules

import "strings"

// lacksArticle tells whether a thing or a person that is counted begins at a token without the
// article that people who learn a language leave out: "lecturer at a college", "japanese bookcase".
// What follows must belong to something else: "house plants" are no house.
func (t *table) lacksArticle(tokens []token, i, end int) bool {
	tokens = tokens[:end]
	var n int
	for described := 0; ; described++ {
		if n = t.span(tokens, i, t.counted); n > 0 {
			break
		}
		if n = t.describes(tokens, i); n == 0 || described == maxDescribed {
			return false
		}
		i += n
	}
	if i += n; i >= end || tokens[i].kind >= comma {
		return true
	}
	for _, c := range [...]classID{t.binds, t.dangling, t.joins, t.restricts} {
		if t.is(&tokens[i], c) {
			return true
		}
	}
	return false
}

// maxDescribed is how many words say more about what is counted, before it.
const maxDescribed = 3

// describes tells how many words at a token may say more about what is counted behind them: "UX
// researcher". Of the words that the table knows, only those do that it lists.
func (t *table) describes(tokens []token, i int) int {
	if n := t.span(tokens, i, t.describing); n > 0 {
		return n
	}
	if i < len(tokens) && tokens[i].kind == word && tokens[i].id == 0 {
		return 1
	}
	return 0
}

// formArticle gives the indefinite article in the form that it has before a word.
func (t *table) formArticle(before string) string {
	if other, ok := t.euphony[t.mends]; ok && beginsWithVowel(before) {
		return other + " "
	}
	return t.mends + " "
}

// mendStart is the article that a capture lacks behind what a content has so far: "Is ".
func (c *filler) mendStart(before, capture string) string {
	if c.t.mends == "" {
		return ""
	}
	k := c.capture(capture)
	before = strings.TrimSuffix(before, " ")
	last := before[strings.LastIndexByte(before, ' ')+1:]
	if !k.set || k.stands != 0 || !c.t.predicates[strings.ToLower(last)] || !c.t.lacksArticle(c.tokens, k.start, k.end) {
		return ""
	}
	return c.t.formArticle(c.text[c.tokens[k.start].start:])
}

// mendInside is the article that a token in a capture lacks: "is teacher and another one is
// dentist".
func (c *filler) mendInside(i, start, end int) string {
	if c.t.mends == "" || i == start || c.tokens[i-1].kind != word ||
		!c.t.predicates[strings.ToLower(c.text[c.tokens[i-1].start:c.tokens[i-1].end])] || !c.t.lacksArticle(c.tokens, i, end) {
		return ""
	}
	return c.t.formArticle(c.text[c.tokens[i].start:])
}

// joinsWord tells whether a word is one behind which others follow: a preposition, a verb.
func (t *table) joinsWord(said string) bool {
	id := t.lexicon.Find([]byte(strings.ToLower(said)))
	return id != 0 && (t.memberOf(id).has(t.dangling) || t.memberOf(id).has(t.binds))
}

// soundBefore gives an article in the form that it has before a word, however the person wrote it:
// "a engineer". Abbreviations are spoken in many ways.
func (t *table) soundBefore(article, next string) string {
	if other, ok := t.euphony[article]; ok && beginsWithVowel(next) && (strings.ToUpper(next) != next || strings.ToLower(next) == next) {
		return other
	}
	return article
}
