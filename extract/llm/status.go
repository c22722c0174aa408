package llm

import (
	"strings"

	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
)

// Statuses that a model gives to a memory. Any other word is taken for current.
const (
	statusEnded   = "ended"   // what it tells was so, and is over
	statusPlanned = "planned" // it has not happened yet
	statusForget  = "forget"  // the person asks to forget it
)

// plans are the attributes of a plan. The value of any other attribute is not so yet, and takes the place of nothing.
var plans = map[string]bool{"goal": true, "project": true, "event": true}

// applyStatus makes of a statement what its status says, and gives what it takes back beside that.
func applyStatus(c *normalize.Candidate, m *memory, said string) []normalize.Candidate {
	var over []normalize.Candidate
	if c.Slot != nil && m.status != statusForget {
		if old := normalize.FoldValue(bare(m.replaces)); old != c.Slot.Value && wasSaid(m.replaces, said) {
			over = append(over, retraction(c, old))
		}
	}
	switch m.status {
	case statusForget:
		c.Act = normalize.ActRetract
	case statusEnded:
		if c.Slot != nil && wasSaid(m.value, said) {
			over = append(over, retraction(c, c.Slot.Value))
		}
		c.Slot = nil // what is over is no value any more
	case statusPlanned:
		if !passing[c.Type] {
			c.Type, c.Decay = "goal", decay["goal"]
		}
		if c.Slot != nil && !plans[c.Slot.Attribute] {
			c.Slot = nil
		}
	}
	return over
}

// retraction takes back an older value of the slot of a statement.
func retraction(c *normalize.Candidate, value string) normalize.Candidate {
	r := *c
	r.Act = normalize.ActRetract
	r.Slot = &normalize.Slot{Attribute: c.Slot.Attribute, Value: value, One: c.Slot.One}
	r.DerivedFrom = nil
	return r
}

// wasSaid tells whether the words of a value stand one after the other in what the person said.
func wasSaid(value, said string) bool {
	folded := normalize.FoldValue(bare(value))
	if folded == "" || gate.Reason(value) != "" {
		return false
	}
	said = normalize.FoldValue(said)
	if strings.IndexFunc(folded, unspaced) >= 0 {
		return strings.Contains(said, folded)
	}
	return strings.Contains(" "+said+" ", " "+folded+" ")
}
