package rules

import "testing"

func TestAFullStopBehindATitleEndsNoSentence(t *testing.T) {
	for text, want := range map[string]string{
		"I'm a nurse at St. Mary's Hospital.":   "Works as a nurse at St. Mary's Hospital.",
		"I have a teacher named Mrs. Miller.":   "Has a teacher named Mrs. Miller.",
		"I live in St. Louis. I work at Bosch.": "Lives in St. Louis.",
		"I live on Main St. I like it.":         "Lives on Main St.",
	} {
		all, _ := New().Extract(said(text), nil)
		var got []string
		for _, c := range all {
			got = append(got, c.Content)
		}
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q gives %q, want %q first", text, got, want)
		}
	}
}
