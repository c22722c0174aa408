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

// planSlots are the attributes of plans by that of what is planned. The value of any other
// attribute is not so yet, and takes the place of nothing.
var planSlots = map[string]string{"goal": "goal", "project": "project", "event": "event", "residence": "residence.plan"}

// applyStatus makes of a statement what its status says: what it ends and takes back, and whether
// it is an event or a plan. An old value counts only if the person named it.
func applyStatus(c *normalize.Candidate, m *memory, said string) {
	if c.Slot != nil && m.status != statusForget {
		if old := normalize.FoldValue(bare(m.replaces)); old != c.Slot.Value && wasSaid(m.replaces, said) {
			c.Ends = append(c.Ends, normalize.Ending{Attribute: c.Slot.Attribute, Value: old})
		}
	}
	switch m.status {
	case statusForget:
		c.Act = normalize.ActRetract
		if attribute := attributeOf(m.attribute); c.Slot == nil && m.value == "" && attribute != "" {
			c.Ends = append(c.Ends, normalize.Ending{Attribute: attribute})
		}
	case statusEnded:
		if c.Slot != nil && wasSaid(m.value, said) {
			c.Ends = append(c.Ends, normalize.Ending{Attribute: c.Slot.Attribute, Value: c.Slot.Value})
		}
		c.Event, c.Slot = true, nil // what is over is no value any more
	case statusPlanned:
		if !passing[c.Type] {
			c.Type, c.Decay = "goal", decay["goal"]
		}
		if c.Slot != nil {
			if plan := planSlots[c.Slot.Attribute]; plan != "" {
				c.Slot.Attribute, c.Slot.One = plan, normalize.IsOneValued(plan)
			} else {
				c.Slot = nil
			}
		}
	}
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
