package rules

import "testing"

func TestWordsForATimeAreResolvedByWhenTheyWereSaid(t *testing.T) {
	x := New()
	for _, c := range []struct {
		words, language string
		planned         bool
		want            Moment
	}{
		{"last month", "en", false, Moment{"2024-02", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z", false}},
		{"in October", "en", false, Moment{"2023-10", "2023-10-01T00:00:00Z", "2023-11-01T00:00:00Z", false}},
		{"in October", "en", true, Moment{"2024-10", "2024-10-01T00:00:00Z", "2024-11-01T00:00:00Z", false}},
		{"for three years", "en", false, Moment{"2021", "2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z", true}},
		{"2019-07-03", "en", false, Moment{"2019-07-03", "2019-07-03T00:00:00Z", "2019-07-04T00:00:00Z", false}},
		{"gestern", "de", false, Moment{"2024-03-14", "2024-03-14T00:00:00Z", "2024-03-15T00:00:00Z", false}},
		{"gestern", "", false, Moment{"2024-03-14", "2024-03-14T00:00:00Z", "2024-03-15T00:00:00Z", false}},
	} {
		if got, ok := x.Moment(c.words, c.language, "2024-03-15T12:00:00Z", c.planned); !ok || got != c.want {
			t.Errorf("%q: %+v %v", c.words, got, ok)
		}
	}
	for _, words := range []string{"", "when I was young", "once upon a time"} {
		if got, ok := x.Moment(words, "en", "2024-03-15T12:00:00Z", false); ok {
			t.Errorf("%q: %+v", words, got)
		}
	}
	if got, ok := x.Moment("last month", "en", "", false); ok {
		t.Errorf("without a date: %+v", got)
	}
	if got, ok := x.Moment("in May 2020", "en", "", false); !ok || got.Event != "2020-05" {
		t.Errorf("an absolute time without a date: %+v %v", got, ok)
	}
}
