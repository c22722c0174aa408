package assemble

import (
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// found makes a candidate as an extractor gives it that reads the person's words.
func found(content, extractor, rule string, confidence float64, n int) normalize.Candidate {
	c := tell(content, "job", "nurse", false, n, day2)
	c.Extractor, c.Rule, c.Confidence = extractor, rule, confidence
	return c
}

// What a model finds in a draft is too weak to be active, and so is a cautious rule; both together
// are believed. A model that says the same again is no second witness.
func TestRulesAndModelsThatAgreeRaiseTheConfidence(t *testing.T) {
	const rules, llm = "pamline-rules/1.0.0", "pamline-llm-m-00000000/1.1.0"
	rule := func(n int) normalize.Candidate { return found("Works as a nurse.", rules, "fact.job", .4, n) }
	model := func(n int) normalize.Candidate { return found("Is a nurse.", llm, "m", .4, n) }
	for _, c := range []struct {
		name       string
		candidates []normalize.Candidate
		confidence float64
		status     string
	}{
		{"a rule", []normalize.Candidate{rule(1)}, .4, "archived"},
		{"a model", []normalize.Candidate{model(1)}, .4, "archived"},
		{"a model twice", []normalize.Candidate{model(1), model(2)}, .4, "archived"},
		{"both, in one conversation", []normalize.Candidate{rule(1), model(1)}, .64, "active"},
		{"both, in two conversations", []normalize.Candidate{rule(1), model(2)}, .64, "active"},
	} {
		best := pamio.Memory{}
		for _, m := range parseMemories(t, assemble(t, withCandidates(c.candidates...), Options{})) {
			if best.ID == "" || m.Confidence.Current > best.Confidence.Current {
				best = m
			}
		}
		if best.Confidence == nil || best.Confidence.Current != c.confidence || best.Status != c.status {
			t.Errorf("%s: %s %+v", c.name, best.Status, best.Confidence)
		}
	}
}
