package rules

import (
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio"
)

// times finds the times that the words of the sentence name. What is named from the time of the
// message is not known when that is not.
func (r *reader) times(t *table) []moment {
	if r.timed {
		return r.moments
	}
	r.timed, r.moments = true, r.moments[:0]
	if t.change == nil {
		return nil
	}
	best := r.m.best // is being used
	defer func() { r.m.best = best }()
	again := 0 // where the last time that comes again and again ends
	for i := 0; i < len(r.m.tokens); i++ {
		tok := &r.m.tokens[i]
		if m, ok := isoMoment(r.msg.Text[tok.start:tok.end]); ok && tok.kind == word {
			m.start, m.end = i, i+1
			r.moments = append(r.moments, m)
			continue
		}
		if m, ok := r.numericDay(t, i); ok {
			r.moments = append(r.moments, m)
			i = m.end - 1
			continue
		}
		if tok.kind != word || !t.change.timed[tok.id] && !tok.digits && !t.is(tok, t.numbers) || !r.m.begun(&t.change.times, i) {
			continue
		}
		if r.recurs(t, i) || again > 0 && r.listed(t, again, i) {
			again = r.m.best.end
			continue
		}
		f := &r.m.best
		spec := t.families[t.patterns[f.pattern].family].change.time
		if spec.lasting && !r.lasts(t, f) {
			continue
		}
		if r.isPart(t, f, spec) {
			i = f.end - 1
			continue
		}
		if spec.kind == "span" {
			if m, ok := spanOf(r.numberOf(t, f, "n"), canonicalOf(t, f, "k"), r.numberOf(t, f, "y"), canonicalOf(t, f, "j")); ok {
				m.start, m.end = f.start, f.end
				r.moments = append(r.moments, m)
				i = f.end - 1
			}
			continue
		}
		m, ok := spec.moment(r.saidAt, r.numberOf(t, f, "n"), canonicalOf(t, f, "k"), r.numberOf(t, f, "y"), false)
		if !ok {
			continue
		}
		if future, ok := spec.moment(r.saidAt, r.numberOf(t, f, "n"), canonicalOf(t, f, "k"), r.numberOf(t, f, "y"), true); ok {
			m.ahead, m.aheadTo = future.from, future.to
		}
		if r.saidAt.IsZero() && m.relative {
			m = moment{precision: m.precision, since: m.since, relative: true}
		}
		m.start, m.end = f.start, f.end
		m.bare = r.isBare(t, f, spec)
		m.yearless = m.bare || (spec.kind == "day" || spec.kind == "month") && !spec.withYear
		m.counted = spec.kind == "away" && spec.sign > 0 && spec.number == 0
		if i > 0 && t.is(&r.m.tokens[i-1], t.change.upcoming) {
			m = m.future() // "due in June"
			m.upcoming = true
		}
		if m.relative && i > 0 && t.is(&r.m.tokens[i-1], t.change.just) {
			m.start-- // "just yesterday"
		}
		r.moments = append(r.moments, m)
		i = f.end - 1
	}
	r.dropRecurring(t)
	return r.moments
}

// spanOf is the time between two years, or months of them.
func spanOf(from int, fromMonth string, to int, toMonth string) (m moment, ok bool) {
	m.precision = byYear
	if fromMonth != "" {
		m.precision = byMonth
	}
	var a, b bool
	m.from, a = beginOf(from, fromMonth)
	m.until, b = beginOf(to, toMonth)
	m.close()
	m.ahead, m.aheadTo = m.from, m.to
	return m, a && b && m.from.Before(m.until)
}

// beginOf is the beginning of a year, or of a month of it.
func beginOf(year int, month string) (at time.Time, ok bool) {
	n := 1
	if month != "" {
		var err error
		if n, err = strconv.Atoi(month); err != nil || n < 1 || n > 12 {
			return at, false
		}
	}
	return time.Date(year, time.Month(n), 1, 0, 0, 0, 0, time.UTC), year >= 1900 && year <= 2100
}

// lasts tells whether a word of the clause of a time says that something lasts, or the clause
// begins with the time.
func (r *reader) lasts(t *table, f *found) bool {
	return f.start == 0 || r.m.tokens[f.start-1].kind >= comma || r.saysWithin(t, f, t.change.lasting, len(r.m.tokens))
}

// recurs tells whether the words right before a token make of a time one that comes again and
// again: "every Sunday".
func (r *reader) recurs(t *table, i int) bool {
	for n := 1; n <= 2 && n <= i; n++ {
		if k := t.span(r.m.tokens[:i], i-n, t.change.recurring); k == n {
			return true
		}
	}
	return false
}

// listed tells whether only words and signs that join the items of a list stand between two places:
// "every Tuesday and Thursday".
func (r *reader) listed(t *table, from, to int) bool {
	for i := from; i < to; i++ {
		if n := t.span(r.m.tokens[:to], i, t.joins); n != 1 && r.m.tokens[i].kind != comma {
			return false
		}
	}
	return from < to
}

// isoMoment reads a date as programs write it.
func isoMoment(word string) (m moment, ok bool) {
	if len(word) < len("2.1.2006") || len(word) > len(time.DateOnly) || word[0] < '0' || word[0] > '9' {
		return moment{}, false // most words, which are not parsed three times
	}
	for _, layout := range [...]string{time.DateOnly, "02.01.2006", "2.1.2006"} {
		if at, err := time.Parse(layout, word); err == nil && at.Year() >= 1900 && at.Year() <= 2100 {
			m = moment{from: at, precision: byDay}
			m.close()
			m.ahead, m.aheadTo = m.from, m.to
			return m, true
		}
	}
	return m, false
}

// numericDay reads a day written with numbers and full stops at a token, as languages do that count
// so: "am 3.3.", the last one of that name.
func (r *reader) numericDay(t *table, i int) (m moment, ok bool) {
	tokens := r.m.tokens
	if !t.counts || !tokens[i].digits || i == 0 || i+1 >= len(tokens) || tokens[i+1].end-tokens[i+1].start != 1 || r.msg.Text[tokens[i+1].start] != '.' {
		return m, false
	}
	day, month, ok := dayOfMonth(r.msg.Text[tokens[i].start:tokens[i].end])
	if !ok || r.saidAt.IsZero() {
		return m, false
	}
	m, ok = (&timeSpec{kind: "day"}).moment(r.saidAt, day, month, 0, false)
	if future, known := (&timeSpec{kind: "day"}).moment(r.saidAt, day, month, 0, true); ok && known {
		m.ahead, m.aheadTo = future.from, future.to
	}
	m.start, m.end = i, i+1
	if tokens[i+1].kind == symbol {
		m.end++
	}
	if t.is(&tokens[i-1], t.dangling) || t.is(&tokens[i-1], t.change.links) {
		m.start--
	}
	return m, ok
}

// dayOfMonth reads the numbers of a day and its month: 3.12
func dayOfMonth(word string) (day int, month string, ok bool) {
	d, month, found := strings.Cut(word, ".")
	day, err := strconv.Atoi(d)
	n, fault := strconv.Atoi(month)
	return day, month, found && err == nil && fault == nil && day >= 1 && day <= 31 && n >= 1 && n <= 12 && len(month) <= 2
}

// nearest is the moment when it is not told whether it is past or to come: the one that is less far
// away.
func (m moment) nearest(said time.Time) moment {
	if !m.since && m.from.Before(said) && said.Sub(m.from) > m.ahead.Sub(said) {
		return m.future()
	}
	return m
}

// future is the moment when what is told of it is still to come.
func (m moment) future() moment {
	m.from, m.to = m.ahead, m.aheadTo
	return m
}

// numberOf gives the number that a capture says, -1 for none.
func (r *reader) numberOf(t *table, f *found, name string) int {
	for i, c := range t.captures {
		if c != name || !f.captures[i].set {
			continue
		}
		k := &f.captures[i]
		text := t.stands[k.stands]
		if text == "" {
			text = r.msg.Text[r.m.tokens[k.start].start:r.m.tokens[k.start].end]
		}
		digits := 0
		for digits < len(text) && isDigit(text[digits]) { // 3rd, 3º
			digits++
		}
		if n, err := strconv.Atoi(text[:digits]); err == nil {
			return n
		}
	}
	return -1
}

// canonicalOf gives what the entry of a class in a capture stands for.
func canonicalOf(t *table, f *found, name string) string {
	for i, c := range t.captures {
		if c == name && f.captures[i].set {
			return t.stands[f.captures[i].stands]
		}
	}
	return ""
}

// momentAt gives the moment whose words are at a token.
func momentAt(all []moment, token int) *moment {
	for i := range all {
		if all[i].start <= token && token < all[i].end {
			return &all[i]
		}
	}
	return nil
}

// momentOf gives the time of what a match tells: one among its words, else the next one in its
// clause, else nil.
func (r *reader) momentOf(t *table, f *found) *moment {
	all := r.times(t)
	for i := range all {
		if all[i].start >= f.start && all[i].start < f.end {
			return &all[i]
		}
	}
	for i := range all {
		m := &all[i]
		if m.start < f.end {
			continue
		}
		for j := f.end; j < m.start; j++ {
			if r.m.tokens[j].kind >= comma {
				return nil
			}
		}
		return m
	}
	return nil
}

// lastingBefore gives the time right before a match from which on, or in which, holds what it
// tells: "Since 2021 I live in Berlin".
func (r *reader) lastingBefore(t *table, f *found) *moment {
	m := r.momentBefore(t, f)
	if !m.known() || !m.since && m.until.IsZero() {
		return nil
	}
	for _, tok := range r.m.tokens[m.end:f.start] {
		if tok.kind != comma {
			return nil
		}
	}
	return m
}

// before gives the moment that stands before a match in its sentence: "Last month I moved".
func (r *reader) momentBefore(t *table, f *found) *moment {
	all := r.times(t)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].end <= f.start {
			return &all[i]
		}
	}
	return nil
}

// saidMonth is the month in which the message was said, nil when that is not known.
func (r *reader) saidMonth() *moment {
	if r.saidAt.IsZero() {
		return nil
	}
	m := moment{from: time.Date(r.saidAt.Year(), r.saidAt.Month(), 1, 0, 0, 0, 0, time.UTC), precision: byMonth}
	m.close()
	m.ahead, m.aheadTo = m.from, m.to
	return &m
}

// known tells whether it is known what time the words name.
func (m *moment) known() bool { return m != nil && !m.from.IsZero() }

// parseSaid reads the time of a message; the zero time when it is not known.
func parseSaid(observed string) time.Time {
	at, err := pamio.ParseTime(observed)
	if err != nil || at.Year() < 1990 {
		return time.Time{}
	}
	return at.UTC()
}

// formatTime is a time as candidates have it.
func formatTime(at time.Time) string { return pamio.FormatTime(at) }
