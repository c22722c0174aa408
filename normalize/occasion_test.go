package normalize

import "testing"

func event(value, at string) *Candidate {
	return &Candidate{Type: "fact", Content: "Moved to a new flat.", Slot: &Slot{Attribute: "event.residence_moved", Value: value}, EventTime: at}
}

func TestEqualEventsToldInDifferentMonthsAreDifferentMemories(t *testing.T) {
	first, again, later := event("new flat 2021 03", ""), event("new flat 2021 03", ""), event("new flat 2024 03", "")
	if first.MemoryID() != again.MemoryID() || first.MemoryID() == later.MemoryID() {
		t.Errorf("%s, %s, %s", first.MemoryID(), again.MemoryID(), later.MemoryID())
	}
}

func TestOnlyEventsWithoutATimeHaveAnOccasion(t *testing.T) {
	for _, c := range []*Candidate{
		event("new flat 2021 03", "2021-03"), event("new flat 2021 03 05", "2021-03-05"), event("new flat x", ""), event("", ""),
		{Type: "fact", Content: "Moved to a new flat."}, {Type: "fact", Content: "Moved to a new flat.", Slot: &Slot{Attribute: "residence", Value: "flat 2021 03"}},
	} {
		if c.Occasion() != "" || c.MemoryID() != MemoryIDOf(c.Type, "", c.Content) {
			t.Errorf("%+v, %q: %q", c.Slot, c.EventTime, c.Occasion())
		}
	}
}

func TestAHappeningHasTheMonthThatWasToldOrItself(t *testing.T) {
	for _, tt := range []struct {
		value, at string
		want      Happening
		ok        bool
	}{
		{"new flat 2021 03", "", Happening{What: "new flat", Month: "2021-03", Told: true}, true},
		{"2021 03", "", Happening{Month: "2021-03", Told: true}, true},
		{"new flat 2021 03 05", "2021-03-05", Happening{What: "new flat", Month: "2021-03"}, true},
		{"new flat 2021", "2021", Happening{}, false},
		{"new flat 2021 03", "in May", Happening{}, false},
		{"new flat x", "", Happening{}, false},
	} {
		if got, ok := HappeningOf("event.residence_moved", tt.value, tt.at); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q, %q: %+v %t", tt.value, tt.at, got, ok)
		}
	}
}
