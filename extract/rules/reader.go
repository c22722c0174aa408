package rules

import (
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
	setting   setting
	frame     segment.Frame
	// mentioned are the contents of mentions so far: saying "my wife" again tells nothing.
	mentioned map[string]bool
	// used are the words of a sentence that patterns took.
	used []bool

	// Of the message that is read:
	msg      *extract.Turn
	kept     int
	seen     map[string]bool
	at, rune int // a byte of the text, and how many code points are before it
}

// maxVotes is how many messages tell the language of a conversation.
const maxVotes = 32

// look reads the conversation for what the statements in it are judged by.
func (r *reader) look(turns []extract.Turn) {
	own := 0
	for i := range turns {
		if turns[i].Own && own < maxVotes {
			own++
			r.tongues.score(&r.scan, turns[i].Text, 0, len(turns[i].Text), r.sums)
		}
	}
	r.setting = settingOf(turns)
}

// turn reads one message.
func (r *reader) turn(msg *extract.Turn) {
	r.msg, r.kept, r.at, r.rune = msg, 0, 0, 0
	r.seen = nil
	for _, s := range segment.Message(msg.Text, msg.Opaque) {
		if s.Kind == segment.Prose {
			r.prose(s.Start, s.End)
		} else {
			r.report.Skip("segment_" + s.Kind.String())
		}
	}
}

// prose reads a passage of the message.
func (r *reader) prose(start, end int) {
	clear(r.own)
	words := r.tongues.score(&r.scan, r.msg.Text, start, end, r.own)
	l := r.language(words, start, end)
	if l < 0 {
		if words > 0 {
			r.report.Skip("language")
		}
		return
	}
	t := r.tables[l]
	r.m.t = t
	r.scan.reset(r.msg.Text, start, end, t)
	for r.scan.next() {
		if r.kept >= maxStatements {
			r.report.Skip("too_many")
			return
		}
		r.m.tokens = r.scan.tokens
		r.sentence(t)
	}
}

// language gives the language of a passage, -1 for none. Where the marks leave two in doubt ("vivo a Roma"), it is the one
// whose patterns say more about it.
func (r *reader) language(words, start, end int) int {
	best := pick(r.own, r.sums, words)
	if best < 0 {
		return best
	}
	most := -1
	for l := range r.tables {
		if l == best || r.own[l] == 0 || r.own[l]+doubt < r.own[best] || r.sums[l]+doubt < r.sums[best] {
			continue
		}
		if most < 0 {
			most = r.weigh(r.tables[best], start, end)
		}
		if n := r.weigh(r.tables[l], start, end); n > most {
			best, most = l, n
		}
	}
	return best
}

// weigh sums what the patterns of a language match at the beginning of a passage.
func (r *reader) weigh(t *table, start, end int) int {
	total := 0
	r.m.t = t
	r.scan.reset(r.msg.Text, start, min(end, start+sample), t)
	for r.scan.next() {
		r.m.tokens = r.scan.tokens
		for i := 0; i < len(r.m.tokens); {
			if f, _, ok := r.clause(t, i, false); ok {
				total += f.score
				i = f.end
			} else {
				i++
			}
			i, _ = nextClause(t, r.m.tokens, i, false)
		}
	}
	return total
}
