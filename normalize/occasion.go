package normalize

import (
	"slices"
	"strings"
)

// Happening is something that happened, as the slot of an event tells it.
type Happening struct {
	// What happened, without a time: the folded values of the event.
	What string
	// Month is the month of the event, or that in which it was told (2024-03).
	Month string
	// Told tells that Month is when it was told: no word says when it happened.
	Told bool
}

// HappeningOf reads the slot of an event, the time at the end of whose value is that of the event,
// or, without one, the month in which it was told. ok is false for what is no event and for a time
// that is not known to the month.
func HappeningOf(attribute, value, eventTime string) (h Happening, ok bool) {
	if !IsEvent(attribute) {
		return Happening{}, false
	}
	words := strings.Fields(value)
	at := strings.Fields(FoldValue(eventTime))
	if h.Told = len(at) == 0; h.Told {
		at = words[max(len(words)-2, 0):]
	}
	end := len(words) - len(at)
	if len(at) < 2 || end < 0 || !slices.Equal(words[end:], at) || !isNumber(at[0], 4) || !isNumber(at[1], 2) {
		return Happening{}, false
	}
	h.What, h.Month = strings.Join(words[:end], " "), at[0]+"-"+at[1]
	return h, true
}

// isNumber tells whether a word has so many digits and nothing else.
func isNumber(word string, digits int) bool {
	return len(word) == digits && strings.Trim(word, "0123456789") == ""
}

// Occasion tells an event of which no word says when it happened apart from an equal one of another
// year: it is the month in which it was told (2024-03), "" for all else.
func (c *Candidate) Occasion() string {
	if c.Slot == nil {
		return ""
	}
	return occasionOf(c.Slot.Attribute, c.Slot.Value, c.EventTime)
}

func occasionOf(attribute, value, eventTime string) string {
	if h, ok := HappeningOf(attribute, value, eventTime); ok && h.Told {
		return h.Month
	}
	return ""
}
