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

// An archived guess that takes the place of what the person said would leave nothing active.
func TestWhatIsNotBelievedTakesTheChainOfNobody(t *testing.T) {
	const rules, llm = "pamline-rules/1.0.0", "pamline-llm-m-00000000/1.1.0"
	in := func(content, value, extractor string, confidence float64, n int, at string) normalize.Candidate {
		c := tell(content, "residence", value, true, n, at)
		c.Extractor, c.Rule, c.Confidence = extractor, "r", confidence
		return c
	}
	lund := in("Lives in Lund.", "lund", rules, .9, 1, day2)
	guess := in("Lives in Porto.", "porto", rules, .4, 2, day3)
	ends := in("Has moved out.", "elsewhere", rules, .4, 2, day3)
	ends.Slot.Attribute, ends.Ends = "event", []normalize.Ending{{Attribute: "residence", Value: "lund"}}
	denial := in("Does not live in Lund.", "lund", rules, .4, 2, day3)
	denial.Slot.One, denial.Negative = false, true
	for name, c := range map[string]struct {
		candidates []normalize.Candidate
		lund       string
	}{
		"a guess":                  {[]normalize.Candidate{lund, guess}, "active"},
		"a guess that a model has": {[]normalize.Candidate{lund, guess, in("Lives in Porto.", "porto", llm, .4, 2, day3)}, "superseded"},
		"a guess that ends":        {[]normalize.Candidate{lund, ends}, "active"},
		"a guess that denies":      {[]normalize.Candidate{lund, denial}, "active"},
	} {
		for _, m := range parseMemories(t, assemble(t, withCandidates(c.candidates...), Options{})) {
			if m.Content == lund.Content && m.Status != c.lund {
				t.Errorf("%s: it is %s, not %s", name, m.Status, c.lund)
			}
		}
	}
}
