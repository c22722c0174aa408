package rules

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// tellable are the times that the content of a statement tells in their absolute form: none when it
// is told what holds in general.
func (r *reader) tellable(t *table, f *found, fam *compiledFamily) []moment {
	if fam.Mention || t.change == nil {
		return nil
	}
	all := r.times(t)
	told := make([]moment, 0, len(all))
	for _, m := range all {
		if m.since && r.aheadOf(fam) || !fam.isOf(&m) {
			continue // "is going to study for four years"
		}
		if m = r.timeOf(fam, m); !r.contradicts(t, f, &m) {
			told = append(told, m)
		}
	}
	return told
}

// contradicts tells whether a time is still to come, or lasts, while the verb of a match tells what
// is over: "read twenty in a year" is a rate, and who "worked there for five years" does not work
// there since.
func (r *reader) contradicts(t *table, f *found, m *moment) bool {
	if m.upcoming || !m.from.After(r.saidAt) && !m.since {
		return false
	}
	for _, k := range f.captures {
		if k.set && k.entry && (strings.HasSuffix(t.classes[k.class].name, ".past") || slices.Contains(pastClasses, t.classes[k.class].name)) {
			return true
		}
	}
	return false
}

// pastClasses are classes of verbs of the past beside those of the lexicon.
var pastClasses = []string{"lived", "got_past", "resolved"}

// aheadOf tells whether what a family states is still to come.
func (r *reader) aheadOf(fam *compiledFamily) bool { return fam.Type == "goal" }

// remembered is the family of what the person asks to be remembered, which may be of somebody
// else's life.
const remembered = "instruction.remember"

// dateStatement sets the times of a statement by the words of its clause: when it happened, from
// when on it holds, and for what is still to come, when it is over.
func (r *reader) dateStatement(t *table, f *found, fam *compiledFamily, c *normalize.Candidate) {
	if t.change == nil || c.Act != "" || c.Negative || fam.Mention {
		return
	}
	m := r.statementTime(t, f, fam)
	if !m.known() {
		m = r.lastingBefore(t, f)
	}
	if !m.known() {
		return
	}
	at := r.timeOf(fam, *m)
	if at.since && c.Type == "goal" {
		return
	}
	if r.contradicts(t, f, &at) {
		return
	}
	if c.Type == "goal" {
		at = at.future()
	}
	switch {
	case !at.until.IsZero():
		c.ValidFrom, c.ValidUntil = formatTime(at.from), formatTime(at.until)
	case at.since:
		c.ValidFrom = formatTime(at.from)
	case at.from.After(r.saidAt):
		if !at.ending {
			c.EventTime = at.event()
		}
		if c.Type != "relationship" && c.Type != "instruction" && c.Rule != remembered {
			c.ValidUntil = formatTime(at.to)
		}
	default:
		c.EventTime = at.event()
	}
}
