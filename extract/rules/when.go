package rules

import (
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
)

// Moment is a time that words name.
type Moment struct {
	// Event is a day (2024-03-09), a month (2024-03) or a year (2024).
	Event string
	// From and Until bound the time, RFC 3339 UTC.
	From, Until string
	// Since tells that what is told holds from then on.
	Since bool
}

// Moment resolves words for a time ("last month", "seit drei Jahren") by when they were said, RFC
// 3339. They are read with the table of their language, without one with each. planned tells that
// what they date is still to come. ok is false for words that name no time, or none that can be
// told without knowing when they were said.
func (x *Extractor) Moment(words, language, observedAt string, planned bool) (at Moment, ok bool) {
	b := x.open()
	r := reader{book: b, msg: &extract.Turn{Text: words}, saidAt: parseSaid(observedAt)}
	r.m.work = &r.work
	for l := range b.languages {
		if language != "" && b.languages[l].name != language {
			continue
		}
		t := b.table(l)
		r.m.t = t
		r.scan.reset(words, 0, len(words), t)
		for r.scan.next() {
			r.m.tokens, r.timed = r.scan.tokens, false
			for _, m := range r.times(t) {
				if !m.known() {
					continue
				}
				if m = m.nearest(r.saidAt); planned {
					m = m.future()
				}
				return Moment{Event: m.event(), From: formatTime(m.from), Until: formatTime(m.to), Since: m.since}, true
			}
		}
	}
	return Moment{}, false
}

// Absolute writes the times of a sentence that only those understand who know when it was said
// ("next month") as dates. When that is not known they are left out. planned tells that what they
// date is still to come.
func (x *Extractor) Absolute(text, language, observedAt string, planned bool) string {
	b := x.open()
	l := b.number(language)
	if l < 0 {
		return text
	}
	t := b.table(l)
	r := reader{book: b, msg: &extract.Turn{Text: text}, saidAt: parseSaid(observedAt)}
	r.m.work, r.m.t = &r.work, t
	var out strings.Builder
	at := 0
	r.scan.reset(text, 0, len(text), t)
	for r.scan.next() {
		r.m.tokens, r.timed = r.scan.tokens, false
		for _, m := range r.times(t) {
			start, end := r.m.tokens[m.start].start, r.m.tokens[m.end-1].end
			if !m.relative || start < at {
				continue
			}
			if !m.known() && (m.start == 0 || t.is(&r.m.tokens[m.start-1], t.dangling)) {
				continue // what is left would be no sentence
			}
			out.WriteString(strings.TrimRight(text[at:start], " "))
			if at = end; m.known() {
				if m = m.nearest(r.saidAt); planned {
					m = m.future()
				}
				out.WriteString(" " + t.change.written.text(&m))
			}
		}
	}
	out.WriteString(text[at:])
	first, n := utf8.DecodeRuneInString(strings.TrimLeft(out.String(), " "))
	return string(t.upper(first)) + strings.TrimLeft(out.String(), " ")[n:]
}
