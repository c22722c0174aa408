package llm

import (
	"testing"

	"github.com/pamline/pamline/normalize"
)

func TestStatusesSayWhatIsOverAndWhatIsYetToCome(t *testing.T) {
	doc := talkOf("c", "I quit my job at Acme Tools last week and moved from Rome to Milan. I sold the sailing boat.",
		">Good luck.", "Next year I want to live in Turin and learn Dutch. Please forget that I like herring. 我不再在阿里工作了。")
	type act struct{ act, content, attribute, value string }
	for _, c := range []struct {
		name   string
		memory object
		want   []act
	}{
		{"holds now", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "status", "current"),
			[]act{{"", "Lives in Milan.", "residence", "milan"}}},
		{"replaces", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "status", "current", "replaces", "Rome"),
			[]act{{"", "Lives in Milan.", "residence", "milan"}, {normalize.ActRetract, "Lives in Milan.", "residence", "rome"}}},
		{"replaces what nobody said", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "replaces", "Naples"),
			[]act{{"", "Lives in Milan.", "residence", "milan"}}},
		{"replaces itself", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "replaces", "milan"),
			[]act{{"", "Lives in Milan.", "residence", "milan"}}},
		{"has ended", said("fact", "No longer works at Acme Tools.", 1, "I quit my job at Acme Tools", "attribute", "employer", "value", "Acme Tools", "status", "ended"),
			[]act{{"", "No longer works at Acme Tools.", "", ""}, {normalize.ActRetract, "No longer works at Acme Tools.", "employer", "acme tools"}}},
		{"has ended, with an article", said("fact", "Sold a sailing boat.", 1, "I sold the sailing boat", "attribute", "owns", "value", "the sailing boat", "status", "ended"),
			[]act{{"", "Sold a sailing boat.", "", ""}, {normalize.ActRetract, "Sold a sailing boat.", "owns", "sailing boat"}}},
		{"has ended, in a script without spaces", said("fact", "不再在阿里工作。", 3, "我不再在阿里工作了", "attribute", "employer", "value", "阿里", "status", "ended"),
			[]act{{"", "不再在阿里工作。", "", ""}, {normalize.ActRetract, "不再在阿里工作。", "employer", "阿里"}}},
		{"has ended, a value that nobody said", said("fact", "Sold a sailing boat.", 1, "I sold the sailing boat", "attribute", "owns", "value", "yacht", "status", "ended"),
			[]act{{"", "Sold a sailing boat.", "", ""}}},
		{"is planned", said("fact", "Plans to live in Turin.", 3, "I want to live in Turin", "attribute", "residence", "value", "Turin", "status", "planned"),
			[]act{{"", "Plans to live in Turin.", "", ""}}},
		{"is planned, and a goal", said("goal", "Plans to learn Dutch.", 3, "learn Dutch", "attribute", "goal", "value", "learn Dutch", "status", "planned"),
			[]act{{"", "Plans to learn Dutch.", "goal", "learn dutch"}}},
		{"is to be forgotten", said("preference", "Likes herring.", 3, "forget that I like herring", "attribute", "likes", "value", "herring", "status", "forget"),
			[]act{{normalize.ActRetract, "Likes herring.", "likes", "herring"}}},
		{"a status of no list", said("fact", "Lives in Milan.", 1, "moved from Rome to Milan", "attribute", "residence", "value", "Milan", "status", "maybe"),
			[]act{{"", "Lives in Milan.", "residence", "milan"}}},
	} {
		found, report := readOf(t, doc, says(c.memory))
		var got []act
		for _, f := range found {
			a := act{act: f.Act, content: f.Content}
			if f.Slot != nil {
				a.attribute, a.value = f.Slot.Attribute, f.Slot.Value
			}
			got = append(got, a)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v, report %+v; expected %+v", c.name, got, report, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %+v; expected %+v", c.name, got[i], c.want[i])
			}
		}
	}
}

func TestPlansAreGoals(t *testing.T) {
	found, report := readOf(t, talkOf("c", "Next year I will live in Turin."), says(said("fact", "Plans to live in Turin.", 1, "I will live in Turin", "status", "planned", "event_time", "next year")))
	if len(found) != 1 || found[0].Type != "goal" || found[0].Decay != "time_exponential" || found[0].EventTime != "next year" {
		t.Errorf("%+v %+v", found, report)
	}
}
