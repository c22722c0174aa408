package llm

import (
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
)

// maxTime is how many characters words for a time have.
const maxTime = 80

// dateCandidate sets the times of a candidate by the words that the model gave for them, as of when
// the person said them. Words that name no time stay as they were said.
func (x *Extractor) dateCandidate(c *normalize.Candidate, m *memory, said string) {
	words := timeSaid(m.eventTime, said)
	if words == "" || c.Act != "" {
		return
	}
	planned := m.status == statusPlanned
	at, ok := x.times.Moment(words, c.Language, c.Evidence[0].ObservedAt, planned)
	if !ok {
		at, ok = x.times.Moment(words, "", c.Evidence[0].ObservedAt, planned)
	}
	switch {
	case !ok:
		c.EventTime = words
	case at.Since && m.status != statusEnded:
		c.ValidFrom = at.From
	default:
		c.EventTime = at.Event
		if planned {
			c.ValidUntil = at.Until
		}
	}
}

// timeSaid gives the words for a time if the person said them: a day or year that was not said was
// worked out, and may be wrong. The month of a date may have been said as a word.
func timeSaid(at, said string) string {
	at = strings.Join(strings.Fields(disarmed(at)), " ")
	if utf8.RuneCountInString(at) > maxTime || gate.Reason(at) != "" {
		return ""
	}
	parts := strings.FieldsFunc(at, func(r rune) bool { return r < '0' || r > '9' })
	iso := len(at) >= 7 && len(parts) >= 2 && len(parts[0]) == 4 && at[4] == '-'
	for i, p := range parts {
		p = strings.TrimLeft(p, "0")
		if p == "" || iso && i == 1 {
			continue
		}
		if !holdsNumber(said, p) && !holdsNumber(said, "0"+p) {
			return ""
		}
	}
	return at
}
