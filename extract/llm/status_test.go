package llm

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
)

func TestStatusesSayWhatIsOverAndWhatIsYetToCome(t *testing.T) {
	doc := talkOf("c", "I quit my job at Acme Tools last week and moved from Rome to Milan. I sold the sailing boat.",
		">Good luck.", "Next year I want to live in Turin and learn Dutch. Please forget that I like herring. 我不再在阿里工作了。")
	type act struct{ act, content, attribute, value, ends string }
	for _, c := range []struct {
		name   string
		memory object
		want   act
	}{
		{"holds now", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "status", "current"),
			act{"", "Lives in Milan.", "residence", "milan", ""}},
		{"replaces", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "status", "current", "replaces", "Rome"),
			act{"", "Lives in Milan.", "residence", "milan", "residence=rome"}},
		{"replaces what nobody said", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "replaces", "Naples"),
			act{"", "Lives in Milan.", "residence", "milan", ""}},
		{"replaces itself", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "replaces", "milan"),
			act{"", "Lives in Milan.", "residence", "milan", ""}},
		{"has ended", said("fact", "No longer works at Acme Tools.", 1, "I quit my job at Acme Tools", "attribute", "employer", "value", "Acme Tools", "status", "ended"),
			act{"", "No longer works at Acme Tools.", "", "", "employer=acme tools"}},
		{"has ended, with an article", said("fact", "Sold a sailing boat.", 1, "I sold the sailing boat", "attribute", "owns", "value", "the sailing boat", "status", "ended"),
			act{"", "Sold a sailing boat.", "", "", "owns=sailing boat"}},
		{"has ended, in a script without spaces", said("fact", "不再在阿里工作。", 3, "我不再在阿里工作了", "attribute", "employer", "value", "阿里", "status", "ended"),
			act{"", "不再在阿里工作。", "", "", "employer=阿里"}},
		{"has ended, a value that nobody said", said("fact", "Sold a sailing boat.", 1, "I sold the sailing boat", "attribute", "owns", "value", "yacht", "status", "ended"),
			act{"", "Sold a sailing boat.", "", "", ""}},
		{"is planned", said("fact", "Plans to live in Turin.", 3, "I want to live in Turin", "attribute", "residence", "value", "Turin", "status", "planned"),
			act{"", "Plans to live in Turin.", "residence.plan", "turin", ""}},
		{"is planned, and a goal", said("goal", "Plans to learn Dutch.", 3, "learn Dutch", "attribute", "goal", "value", "learn Dutch", "status", "planned"),
			act{"", "Plans to learn Dutch.", "goal", "learn dutch", ""}},
		{"is to be forgotten", said("preference", "Likes herring.", 3, "forget that I like herring", "attribute", "likes", "value", "herring", "status", "forget"),
			act{normalize.ActRetract, "Likes herring.", "likes", "herring", ""}},
		{"a status of no list", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "status", "maybe"),
			act{"", "Lives in Milan.", "residence", "milan", ""}},
	} {
		found, report := readOf(t, doc, says(c.memory))
		if len(found) != 1 {
			t.Errorf("%s: %+v, report %+v", c.name, found, report)
			continue
		}
		f := found[0]
		got := act{act: f.Act, content: f.Content}
		if f.Slot != nil {
			got.attribute, got.value = f.Slot.Attribute, f.Slot.Value
		}
		for _, e := range f.Ends {
			got.ends += e.Attribute + "=" + e.Value
		}
		if got != c.want || f.Event != (got.attribute == "" && strings.HasPrefix(c.name, "has ended")) {
			t.Errorf("%s: %+v, event %v; expected %+v", c.name, got, f.Event, c.want)
		}
	}
}

func TestForgettingAnAttributeNeedsNoValue(t *testing.T) {
	found, report := readOf(t, talkOf("c", "Please forget my birthday."),
		says(said("identity", "Has a birthday.", 1, "forget my birthday", "attribute", "birthday", "value", nil, "status", "forget")))
	if len(found) != 1 || found[0].Act != normalize.ActRetract || len(found[0].Ends) != 1 || found[0].Ends[0] != (normalize.Ending{Attribute: "birthday"}) {
		t.Errorf("%+v %+v", found, report)
	}
}

func TestPlansAreGoals(t *testing.T) {
	doc := talkOf("c", "Next year I will live in Turin.")
	found, report := readOf(t, doc, says(said("fact", "Plans to live in Turin.", 1, "I will live in Turin", "attribute", "residence", "value", "Turin", "status", "planned", "event_time", "next year")))
	if len(found) != 1 {
		t.Fatalf("%+v", report)
	}
	if c := found[0]; c.Type != "goal" || c.Decay != "time_exponential" || c.EventTime != "2026" || c.ValidUntil != "2027-01-01T00:00:00Z" || c.Slot.Attribute != "residence.plan" || !c.Slot.One {
		t.Errorf("%+v %+v", c, c.Slot)
	}
}

// The model gives the words, and code works the date out: by the turn in which they were said, not
// by the first one.
func TestTimesAreWorkedOutByTheDateOfTheirTurn(t *testing.T) {
	doc := talkOf("c", "I live in Oslo.", ">Ok.", "Last month I bought a kayak. I have played chess for two years. Back when dinosaurs roamed I sold a drum kit.")
	doc.Messages[2].CreatedAt = "2025-08-10T10:00:00Z"
	for _, c := range []struct {
		time, status, event, from string
	}{
		{"Last month", "current", "2025-07", ""},
		{"last month", "ended", "2025-07", ""},
		{"for two years", "current", "", "2023-01-01T00:00:00Z"},
		{"Back when dinosaurs roamed", "current", "Back when dinosaurs roamed", ""},
		{"2025-07-12", "current", "", ""}, // nobody said that
		{"", "current", "", ""},
	} {
		found, report := readOf(t, doc, says(said("context", "Bought a kayak.", 3, "I bought a kayak", "event_time", c.time, "status", c.status)))
		if len(found) != 1 || found[0].EventTime != c.event || found[0].ValidFrom != c.from {
			t.Errorf("%q: %+v %+v", c.time, found, report)
		}
	}
}

func TestOnlyPeopleWhomThePersonNamedAreEntities(t *testing.T) {
	people := []object{{"name": "Ida Berg", "relation": "Sister"}, {"name": "Otto", "relation": "dog"}, {"name": "Per", "relation": "brother"}, {"name": "Lundby", "relation": "{{x}}"}, {"name": "", "relation": "friend"}}
	found, report := readOf(t, talkOf("c", "My sister Ida Berg lives in Lundby, and Per is away."),
		says(said("relationship", "Has a sister named Ida Berg in Lundby.", 1, "My sister Ida Berg lives in Lundby", "people", people)))
	want := []normalize.Entity{{Name: "Ida Berg", Relation: "sister"}, {Name: "Lundby"}}
	if len(found) != 1 || !slices.Equal(found[0].Entities, want) {
		t.Errorf("%+v %+v", found, report)
	}
}
