package rules

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/segment"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// reader reads one conversation.
type reader struct {
	*book
	doc    *pamio.Conversation
	out    []normalize.Candidate
	report extract.Report
	scan   scanner
	m      matcher
	work   int
	// sums is how much each language is in the conversation, own in a passage.
	sums, own []int
	// votes are the numbers of words that the first messages told their language by, voted the
	// weights of the languages in each, one message after the other.
	votes, voted []int
	setting      setting
	// begun are the person's first messages as far as they were cut, each once; empty for one that
	// was not.
	begun []segment.Begun
	// pretends tells that a message began a make-believe, in a language whose table knows the words
	// for it.
	pretends bool
	frame    segment.Frame
	// mentioned are the contents of mentions so far: saying "my wife" again tells nothing.
	mentioned map[string]bool
	// used are the words of a sentence that patterns took.
	used []bool
	// changed are those that a change was made of, gathered those of a clause that the parts of a
	// scattered pattern took, and the clause is where it was looked for.
	changed, gathered      []bool
	fired                  []uint16 // the scattered patterns that a clause has a first word of, in order
	clauseStart, clauseEnd int
	// together is what the parts of a scattered pattern matched.
	together found
	// leftOut tells that the change matched last leaves out its subject.
	leftOut bool
	// told are those of them that a brief statement was made of.
	told []bool

	// Of the message that is read:
	msg    *extract.Turn
	before string // the message of the person before it
	nth    int    // which of the person's messages it is
	place  int    // where it stands in the conversation, or before that
	draft  bool   // what is read is a draft to be improved
	kept   int
	weak   []bool // of the statements of the message so far: whether they are faint
	ment   []bool // and whether they are mentions
	over   []normalize.Ending
	saidAt time.Time // zero when it is not known
	// imagined tells that the sentence is of a game, a dream or a story, framedTo is where the one
	// before it ends.
	imagined bool
	framedTo int
	// scene tells that a line has announced a story.
	scene bool
	// worksIn is the table by which it was told whether the message gives work; works tells that it
	// does.
	worksIn *table
	works   bool
	// small tells that the message is written without capital letters.
	small bool
	// probing: what a clause states is looked for, to take it back.
	probing bool
	// moments are the times that the words of a sentence name, once timed.
	moments  []moment
	timed    bool
	seen     map[string]bool
	at, rune int // a byte of the text, and how many code points are before it
	letters  lettered
}

func newReader(b *book, doc *pamio.Conversation) reader {
	n := len(b.languages)
	return reader{book: b, doc: doc, sums: make([]int, n), own: make([]int, n)}
}

// maxVotes is how many messages tell the language of a conversation.
const maxVotes = 32

// look reads the conversation for what the statements in it are judged by.
func (r *reader) look(turns []extract.Turn) {
	n := len(r.sums)
	for i := range turns {
		if !turns[i].Own || len(r.votes) == maxVotes {
			continue
		}
		if len(r.votes)*n == len(r.voted) { // room for eight more
			r.voted = append(r.voted, make([]int, 8*n)...)
		}
		v := r.voted[len(r.votes)*n:][:n]
		r.votes = append(r.votes, r.tongues.score(&r.scan, turns[i].Text, 0, len(turns[i].Text), v))
		for l := range v {
			r.sums[l] += v[l]
		}
	}
	r.setting = r.settingOf(turns)
}

// turn reads one message in its parts.
func (r *reader) turn(msg *extract.Turn, parts []segment.Segment) {
	if r.msg != nil {
		r.before = r.msg.ID
	}
	r.msg, r.kept, r.at, r.rune, r.small = msg, 0, 0, 0, isSmall(msg.Text)
	r.m.toldBefore, r.m.toldNow, r.letters = nil, nil, lettered{}
	r.imagined, r.framedTo, r.scene, r.worksIn = false, 0, false, nil
	r.seen, r.weak, r.ment, r.over, r.saidAt = nil, r.weak[:0], r.ment[:0], r.over[:0], parseSaid(msg.ObservedAt)
	for _, s := range parts {
		r.draft = s.Kind == segment.Draft
		if r.draft {
			start, end := bodyOf(msg.Text, s.Start, s.End)
			if isSetOff(msg.Text[s.Start:start]) && r.setting.isSeries(msg.Text) {
				r.report.Skip("segment_payload")
				continue
			}
			r.prose(start, end)
		} else if s.Kind == segment.Prose {
			r.prose(s.Start, s.End)
		} else {
			r.report.Skip("segment_" + s.Kind.String())
		}
	}
	r.dropEnded()
	r.thin()
}

// isSmall tells whether a text has no capital letters but those of abbreviations: FEA, JS.
func isSmall(text string) bool {
	for i := strings.IndexFunc(text, unicode.IsUpper); i >= 0; {
		end := i + strings.IndexFunc(text[i:]+" ", func(r rune) bool { return !unicode.IsLetter(r) })
		if w := text[i:end]; utf8.RuneCountInString(w) < 2 || w != strings.ToUpper(w) {
			return false
		}
		next := strings.IndexFunc(text[end:], unicode.IsUpper)
		if i = next; next >= 0 {
			i += end
		}
	}
	return true
}

// prose reads a passage of the message.
func (r *reader) prose(start, end int) {
	words := r.score(start, end)
	l := r.language(words, start, end)
	if l < 0 {
		if words > 0 {
			r.report.Skip("language")
		}
		return
	}
	t := r.table(l)
	r.giveWork(t)
	switch {
	case r.pretends:
		r.report.Skip("pretending")
	case r.isForeign(t, start, end):
		r.report.Skip("language")
	case r.works:
		r.report.Skip("segment_payload")
	default:
		runs := r.splitRuns(l, start, end)
		for _, c := range runs {
			r.passage(r.table(c.language), c.start, c.end)
		}
		if runs == nil {
			r.passage(t, start, end)
		}
	}
}

// giveWork tells whether the message begins a make-believe or gives a text to work on, in the words
// of a table. Its parts are told the same.
func (r *reader) giveWork(t *table) {
	if r.worksIn == t {
		return
	}
	r.worksIn = t
	r.pretends = r.pretends || t.isPlay(r.msg.Text)
	r.works = !r.pretends && t.isWork(r.msg.Text)
}

// passage reads a part of the message with the table of its language.
func (r *reader) passage(t *table, start, end int) {
	r.m.t = t
	r.scan.reset(r.msg.Text, start, end, t)
	for r.scan.next() {
		if r.kept >= maxStatements {
			r.report.Skip("too_many")
			return
		}
		r.m.tokens, r.timed = r.scan.tokens, false
		r.m.titled = isTitled(r.m.tokens)
		said, told := r.lightenClause(t), len(r.out)
		r.frameSentence(t)
		r.sentence(t)
		if said != nil && len(r.out) == told {
			r.m.tokens, r.timed = said, false // the change was none
			r.sentence(t)
		}
		r.m.toldBefore, r.m.toldNow = r.m.toldNow, r.m.toldBefore[:0]
	}
}

// score leaves in r.own how much each language is in a passage, and gives the number of words it
// was told by. What the message told in the vote is not read again.
func (r *reader) score(start, end int) (words int) {
	if r.nth < len(r.votes) && start == 0 && (end == len(r.msg.Text) || end >= sample) {
		copy(r.own, r.voted[r.nth*len(r.own):])
		return r.votes[r.nth]
	}
	clear(r.own)
	return r.tongues.score(&r.scan, r.msg.Text, start, end, r.own)
}

// language gives the language of a passage, -1 for none. Where the marks leave two in doubt ("vivo
// a Roma"), it is the one whose patterns say more about it.
func (r *reader) language(words, start, end int) int {
	best := pick(r.own, r.sums, words)
	if best < 0 {
		if best = r.byScript(start, end); best < 0 {
			best = r.languageOfChange(words, start, end)
		}
		return best
	}
	most := -1
	for l := range r.languages {
		if l == best || r.own[l] == 0 || r.own[l]+doubt < r.own[best] || r.sums[l]+doubt < r.sums[best] {
			continue
		}
		if most < 0 {
			most = r.weigh(r.table(best), start, end)
		}
		if n := r.weigh(r.table(l), start, end); n > most {
			best, most = l, n
		}
	}
	return best
}

// maxUnmarked is of how many words a passage may be that has no mark of a language.
const maxUnmarked = 12

// languageOfChange gives the language in which a short passage without marks asks to forget or
// tells of a change. Where the conversation has a language, it is no other: to look in the tables
// of all would bring them all into memory for each "ok".
func (r *reader) languageOfChange(words, start, end int) int {
	if words == 0 || words > maxUnmarked {
		return -1
	}
	best, most := -1, 0
	of := top(r.sums)
	for l := range r.languages {
		if !r.languages[l].changing || of >= 0 && l != of || !r.languages[l].anchors().stand(&r.scan, r.msg.Text, start, end) {
			continue
		}
		n, t := 0, r.table(l)
		r.m.t = t
		r.scan.reset(r.msg.Text, start, end, t)
		for r.scan.next() {
			if r.m.tokens, r.timed = r.scan.tokens, false; r.forgetAt(t, 0) || r.changeAt(t, 0, true) {
				n += r.m.best.score
			}
		}
		if n > most {
			best, most = l, n
		}
	}
	return best
}

// byScript gives the language that the letters of a passage tell, -1 for none with a table.
func (r *reader) byScript(start, end int) int {
	l := r.number(r.lettersOf(start, end))
	if l >= 0 && r.languages[l].script {
		return l
	}
	return -1
}

// weigh sums what the patterns of a language match at the beginning of a passage.
func (r *reader) weigh(t *table, start, end int) int {
	total := 0
	r.m.t = t
	r.scan.reset(r.msg.Text, start, min(end, start+sample), t)
	for r.scan.next() {
		r.m.tokens, r.timed = r.scan.tokens, false
		for i := 0; i < len(r.m.tokens); {
			if r.forgetAt(t, i) || r.changeAt(t, i, i == 0) {
				total += r.m.best.score
				i = r.m.best.end
			} else if _, ok := r.clause(t, i, carriesNone); ok {
				total += r.m.best.score
				i = r.m.best.end
			} else {
				i++
			}
			i, _ = nextClause(t, r.m.tokens, i, carriesNone)
		}
		if t.change == nil {
			continue
		}
		for i := range r.m.tokens {
			if tok := &r.m.tokens[i]; tok.kind == word && t.change.mentioned[tok.id] && r.m.begun(&t.change.mentions, i) {
				total += r.m.best.score
			}
		}
	}
	return total
}

// bodyOf is a draft without the quotation marks around it: what they set off is the draft, not the
// words of others.
func bodyOf(text string, start, end int) (int, int) {
	for start < end {
		r, n := utf8.DecodeRuneInString(text[start:end])
		if !unicode.IsSpace(r) && !isQuote(r) {
			break
		}
		start += n
	}
	return start, end
}

// isSetOff tells whether there is a quotation mark in what stands before a draft.
func isSetOff(before string) bool { return strings.ContainsFunc(before, isQuote) }
