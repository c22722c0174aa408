package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lingua is the language that people mix with their own within one message: "moro em Recife, which
// visa do I need?"
const lingua = "en"

const (
	// mixedMarks is how much each of two languages must be in a passage that mixes them.
	mixedMarks = 2 * exclusive
	// mixedWords is of how many words a run of one language is at least.
	mixedWords = 2
)

// run is a part of a passage in one language.
type run struct {
	start, end, language int
	words, weight        int
}

// splitRuns splits a passage that mixes its language with English, nil for one that does not. A run
// begins behind a comma or a full stop, or at a word that only the other language has.
func (r *reader) splitRuns(best, start, end int) []run {
	other := r.number(lingua)
	if other < 0 || end-start > sample {
		return nil
	}
	if best == other {
		other = -1
		for l, n := range r.own {
			if l != best && n > 0 && (other < 0 || n > r.own[other]) {
				other = l
			}
		}
	}
	if other < 0 || r.languages[best].script || r.languages[other].script || min(r.own[best], r.own[other]) < mixedMarks {
		return nil
	}
	out := joinGoverned(r.msg.Text, r.cutRuns(best, other, start, end))
	if len(out) < 2 || min(weightOf(out, best), weightOf(out, other)) < mixedMarks {
		return nil
	}
	return out
}

// weightOf is how much the runs of a language have of marks that the other has not.
func weightOf(runs []run, language int) int {
	n := 0
	for _, c := range runs {
		if c.language == language {
			n += c.weight
		}
	}
	return n
}

// cutRuns cuts a passage where the marks of one language follow on those of the other.
func (r *reader) cutRuns(best, other, start, end int) []run {
	var out []run
	t, text := r.tongues, r.msg.Text
	now := run{start: start, language: -1}
	border, begun := start, true // behind the last sign, and whether no word has come since
	r.scan.reset(text, start, end, t.marks)
	for r.scan.next() {
		for i := range r.scan.tokens {
			tok := &r.scan.tokens[i]
			if tok.kind != word {
				border, begun = tok.end, true
				continue
			}
			at := int(tok.id) * t.count
			l, w := best, int(t.weights[at+best])-int(t.weights[at+other])
			if w < 0 {
				l, w = other, -w
			}
			switch {
			case tok.id == 0 || w < exclusive/2:
			case now.language < 0 || l == now.language:
				now.language = l
				now.weight += w
			default:
				cut := tok.start
				if border > now.start && border <= tok.start && r.isNeutral(border, tok.start) {
					cut = border
				} else if first, _ := utf8.DecodeRuneInString(text[tok.start:]); !begun && unicode.IsUpper(first) && !isPronoun(text[tok.start:tok.end]) {
					break // a title or a name in the words of the other language
				}
				now.end = cut
				out = append(out, now)
				now = run{start: cut, language: l, weight: w}
			}
			now.words++
			begun = false
		}
	}
	now.end = end
	return joinRuns(append(out, now))
}

// joiners join a clause to another that does not govern it.
var joiners = map[string]bool{"and": true, "but": true, "so": true, "e": true, "mas": true, "y": true, "pero": true, "et": true, "mais": true, "und": true,
	"aber": true, "ma": true, "en": true, "maar": true}

// joinGoverned leaves out runs that are no clause of their own: they are read with what governs
// them.
func joinGoverned(text string, all []run) []run {
	out := all[:0]
	for _, c := range all {
		if n := len(out); n > 0 && (c.language == out[n-1].language || !isOwnClause(text[out[n-1].start:c.start], text[c.start:c.end])) {
			out[n-1].end = c.end
			continue
		}
		out = append(out, c)
	}
	return out
}

// isOwnClause tells whether what follows on a text in another language is a clause of its own,
// which stands behind a sign or is joined: "diz que I live in Boston" is somebody else's.
func isOwnClause(before, after string) bool {
	before = strings.TrimRight(before, " ")
	if before == "" || strings.IndexByte(".!?:;,", before[len(before)-1]) >= 0 {
		return true
	}
	next, _, _ := strings.Cut(strings.TrimLeft(after, " "), " ")
	return joiners[strings.ToLower(next)] || joiners[strings.ToLower(before[strings.LastIndexByte(before, ' ')+1:])]
}

// isNeutral tells whether what stands between a sign and a mark is short enough to belong to the
// mark: "my sister, btw, mora em Recife".
func (r *reader) isNeutral(border, at int) bool { return at-border <= sample/8 }

// isPronoun tells whether a word is the "I" of a clause, which has its capital everywhere.
func isPronoun(w string) bool {
	return w == "I" || len(w) > 1 && w[0] == 'I' && (w[1] == '\'' || w[1] == 0xE2)
}

// joinRuns leaves out runs that are too short for a clause, each becomes a part of the one before.
func joinRuns(all []run) []run {
	out := all[:0]
	for _, c := range all {
		if n := len(out); n > 0 && (c.words < mixedWords || c.weight < exclusive || c.language == out[n-1].language) {
			out[n-1].end = c.end
			out[n-1].words += c.words
			continue
		}
		out = append(out, c)
	}
	return out
}
