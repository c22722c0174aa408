package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
)

// filler fills the templates of statements with the captures of one match.
type filler struct {
	t      *table
	text   string
	tokens []token
	f      *found
	// moments are the times that the words of the sentence name, at is that of a change.
	moments []moment
	at      *moment
	// byOthers tells that the subject is somebody else: "my sister helps me".
	byOthers bool
	// held is the time since when a change holds, where at is its beginning.
	held *moment
}

// content fills a template as a sentence.
func (c *filler) content(t template) string {
	words := strings.Fields(c.fill(t, true))
	for i := range len(words) - 1 {
		if i == 0 || c.t.predicates[strings.ToLower(words[i-1])] || c.t.joinsWord(words[i-1]) { // not "vitamin a every day"
			words[i] = c.t.soundBefore(words[i], words[i+1])
		}
	}
	s := strings.ReplaceAll(c.qualified(strings.Join(words, " ")), " ,", ",")
	s = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(s, "。"), "."), " ,;:")
	for _, dash := range []string{" -", " –", " —"} { // not that of a blood type: "0-"
		s = strings.TrimRight(strings.TrimSuffix(s, dash), " ,;:")
	}
	s += c.t.fullStop
	r, n := utf8.DecodeRuneInString(s)
	return string(c.t.upper(r)) + s[n:]
}

// upper gives the capital of a letter: in Turkish, that of i has a dot.
func (t *table) upper(r rune) rune {
	if t.language == "tr" {
		return unicode.TurkishCase.ToUpper(r)
	}
	return unicode.ToUpper(r)
}

// qualified says how often or how much, where the person did: "Rarely eats meat", "Is often ill".
func (c *filler) qualified(s string) string {
	d := c.f.degree
	if !d.set {
		return s
	}
	degree := strings.ToLower(c.said(d.start, d.end, false))
	if rest, is := strings.CutPrefix(s, c.t.copulaSaid); is && c.t.copulaSaid != "" {
		return c.t.copulaSaid + degree + " " + rest
	}
	r, n := utf8.DecodeRuneInString(s)
	return degree + " " + string(unicode.ToLower(r)) + s[n:]
}

// attribute fills a template as the attribute of a slot: each word of a capture folded, joined by
// low lines.
func (c *filler) attribute(t template) string {
	var b strings.Builder
	for i := range t {
		if t[i].capture == "" {
			b.WriteString(t[i].text)
			continue
		}
		b.WriteString(strings.ReplaceAll(c.t.one(&t[i], normalize.FoldValue(c.piece(&t[i], false))), " ", "_"))
	}
	return b.String()
}

// value fills a template as the value of a slot.
func (c *filler) value(t template) string {
	value := normalize.FoldValue(c.fill(t, false))
	if d := c.f.degree; c.t.stands[d.stands] == limits { // who rarely eats meat does not eat meat as others do
		value = normalize.FoldValue(c.said(d.start, d.end, false)) + " " + value
	}
	return c.t.inDigits(value)
}

// inDigits writes the number words of a folded text in digits: "two cats" and "2 cats".
func (t *table) inDigits(folded string) string {
	words := strings.Fields(folded)
	changed := false
	for i, w := range words {
		if digits, ok := t.digits[w]; ok {
			words[i], changed = digits, true
		}
	}
	if changed {
		return strings.Join(words, " ")
	}
	return folded
}

func (c *filler) fill(t template, turned bool) string {
	var b strings.Builder
	elided, article := false, ""
	for i := range t {
		if t[i].capture == "" {
			text := t[i].text
			if elided { // "d'" and "une": no space between them
				text = strings.TrimPrefix(text, " ")
			}
			elided = false
			b.WriteString(text)
			article = t[i].text
			continue
		}
		piece := c.piece(&t[i], turned)
		if !turned {
			piece = c.t.one(&t[i], piece)
		}
		elided = c.t.endsElided(piece)
		if turned {
			c.t.soundArticle(&b, article, piece)
		}
		article = ""
		if turned && !elided {
			b.WriteString(c.mendStart(b.String(), t[i].capture))
		}
		b.WriteString(piece)
	}
	return b.String()
}

// soundArticle puts the article that a text ends with into the form that it has before a piece:
// "Has an aunt."
func (t *table) soundArticle(b *strings.Builder, text, piece string) {
	last := strings.TrimSpace(text[strings.LastIndexByte(strings.TrimRight(text, " "), ' ')+1:])
	other, ok := t.euphony[last]
	if !ok || !strings.HasSuffix(text, " ") || !beginsWithVowel(piece) {
		return
	}
	so := strings.TrimSuffix(b.String(), last+" ")
	b.Reset()
	b.WriteString(so + other + " ")
}

// consonantal are beginnings that are written with a vowel and spoken with a consonant: "a
// university", "a one-eyed cat".
var consonantal = []string{"uni", "use", "usu", "eu", "one", "ut"}

// vowelDigits are numbers in digits that are spoken with a vowel: "an 11-year-old".
var vowelDigits = regexp.MustCompile(`^(8|11|18)([^0-9]|$)`)

func beginsWithVowel(s string) bool {
	low := strings.ToLower(s)
	for _, c := range consonantal {
		if strings.HasPrefix(low, c) {
			return false
		}
	}
	return low != "" && strings.IndexByte("aeiou", low[0]) >= 0 || vowelDigits.MatchString(low)
}

// one gives the words of a text as slots compare them when the piece asks for that: "peanuts" and
// "peanut" are the same thing.
func (t *table) one(p *piece, text string) string {
	if p.form != "one" || len(t.singular) == 0 {
		return text
	}
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = t.singularOf(strings.ToLower(w))
	}
	return strings.Join(words, " ")
}

// singularOf is what a word becomes where slots compare things.
func (t *table) singularOf(w string) string { return inflectWord(t.singular, w) }

// inflectWord looks for the whole word, then for its longest ending that forms have.
func inflectWord(forms map[string]string, w string) string {
	if s, ok := forms[w]; ok {
		return s
	}
	for cut := range w {
		if s, ok := forms["-"+w[cut:]]; ok && cut >= 2 {
			return w[:cut] + s
		}
	}
	return w
}

// endsElided tells whether a text ends with the apostrophe of an elided word.
func (t *table) endsElided(s string) bool {
	cut := strings.TrimRight(s, "'\u2019")
	return cut != s && t.elisions[strings.ToLower(cut[strings.LastIndexByte(cut, ' ')+1:])]
}

// piece is the text of a capture: what its class makes of it, else as it was said.
func (c *filler) piece(p *piece, turned bool) string {
	if p.capture == when || p.capture == since {
		at := c.at
		if p.capture == since && c.held != nil {
			at = c.held
		}
		if at == nil {
			return ""
		}
		return c.t.change.written.text(at)
	}
	k := c.capture(p.capture)
	if k.stands != 0 && p.form == "" {
		return c.t.stands[k.stands]
	}
	start := k.start
	if p.form == "bare" || p.form == "name" || !turned {
		if s := c.t.run(c.tokens, start, c.t.articles); s < k.end {
			start = s
		}
	}
	if p.form == "name" {
		return capitalized(c.said(start, k.end, false))
	}
	return c.said(start, k.end, turned)
}

// unitedStates is no pronoun, though words are compared in lower case.
const unitedStates = "US"

// dateText is a date as it is written, without its own preposition behind another one: "at the
// beginning of 2024".
func (c *filler) dateText(m *moment, start int) string {
	text := c.t.change.written.text(m)
	if _, rest, ok := strings.Cut(text, " "); ok && m.start > start && c.opensTime(m.start-1) {
		return rest
	}
	return text
}

// opensTime tells whether a token needs the time behind it: "scheduled for".
func (c *filler) opensTime(i int) bool {
	return c.t.is(&c.tokens[i], c.t.dangling) || c.t.is(&c.tokens[i], c.t.change.fronts)
}

// isByOthers tells whether a statement about a relative, a friend or a pet begins with them: "my
// sister", "a friend who".
func (r *reader) isByOthers(t *table, f *found, fam *compiledFamily) bool {
	return (fam.Type == "relationship" || strings.HasPrefix(fam.Name, "fact.pet")) &&
		(r.is(t, f.start, t.articles) || r.is(t, f.start, t.turn))
}

// turnedAt is what words of the first person at a token become: what others do to the person is not
// what they do to themselves, "mon mari me quitte" and "je me lève".
func (c *filler) turnedAt(i, end int) (n int, other string) {
	if c.byOthers {
		if n, other = c.t.entry(c.tokens[:end], i, c.t.others); n > 0 {
			return n, other
		}
	}
	return c.t.entry(c.tokens[:end], i, c.t.turn)
}

// said is the text of tokens on one line. turned is as somebody else would say it: "my" becomes
// "their".
func (c *filler) said(start, end int, turned bool) string {
	var b strings.Builder
	for i := start; i < end; {
		if m := momentAt(c.moments, i); m != nil && m.start == i && m.end <= end && m.relative && (m.known() || !turned || i == start || !c.opensTime(i-1)) {
			i = m.end
			if turned && m.known() { // else it means nothing outside of the talk
				b.WriteString(" " + c.dateText(m, start))
			}
			continue
		}
		if i > start && c.tokens[i].start > c.tokens[i-1].end {
			b.WriteByte(' ')
		}
		if turned {
			b.WriteString(c.mendInside(i, start, end))
		}
		if third := c.coordinated(i, end); turned && third != "" {
			b.WriteString(third)
			i++
			continue
		}
		if turned && c.text[c.tokens[i].start:c.tokens[i].end] != unitedStates {
			if n, other := c.turnedAt(i, end); n > 0 {
				b.WriteString(other)
				i += n
				continue
			}
		}
		said := c.text[c.tokens[i].start:c.tokens[i].end]
		if turned && c.t.is(&c.tokens[i], c.t.proper) {
			said = capitalized(said)
		}
		if turned && i == 0 && c.t.is(&c.tokens[i], c.t.frequency) {
			said = strings.ToLower(said) // "Abends lese ich": "Liest abends"
		}
		b.WriteString(said)
		i++
	}
	return b.String()
}
