package llm

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

// long is a talk that makes a question long enough to be divided many times.
func long(id string) *convo {
	return talkOf(id, "I live in Oslo. "+strings.Repeat("The weather was fine and nothing of note happened there. ", 40))
}

// thinker is a model that thinks until the answer has no room, in one of the ways that services
// show it.
func thinker(thoughts, finish string) func(string) (string, string) {
	return func(q string) (string, string) {
		if q == probeText || strings.Contains(q, "I like figs.") {
			return attentive(q)
		}
		return thoughts, finish
	}
}

func TestThoughtsWithoutAnAnswerAreAnErrorThatSaysWhatToSet(t *testing.T) {
	for name, model := range map[string]func(string) (string, string){
		"thoughts apart":          thinker("", "length"),
		"thoughts in the answer":  thinker("<think>The person says that {", "length"),
		"prose":                   thinker("Let me see what is in there", "length"),
		"thoughts without an end": thinker("<think>Hm, let me see", ""),
	} {
		s := newService(t)
		s.model = model
		answers := newKept()
		_, err := must(t, options(s, OpenAI)).Ask(t.Context(), seq(long("c")), answers)
		var asked *extract.AskError
		if !errors.As(err, &asked) || !asked.Permanent || !strings.Contains(asked.Hint, "llm.max_output") || !strings.Contains(asked.Hint, "llm.reasoning_effort") {
			t.Errorf("%s: %v", name, err)
		}
		if n := s.total(); n > 2 {
			t.Errorf("%s: %d requests before it gave up", name, n)
		}
		if len(answers.values) != 0 {
			t.Errorf("%s: recorded %d values", name, len(answers.values))
		}
	}
}

func TestAQuestionThatIsOnlyThoughtAboutIsNotDivided(t *testing.T) {
	s := newService(t)
	s.model = thinker("", "length")
	o := options(s, OpenAI)
	o.Parallel = 1
	x, answers := must(t, o), newKept()
	ask(t, x, answers, talkOf("a", "I like figs."))
	before := s.total()
	ask(t, x, answers, long("c"), talkOf("b", "Well, I like figs."))
	if n := s.total() - before; n != 2 {
		t.Errorf("%d requests for two questions", n)
	}
	if _, report := read(t, x, answers, long("c")); report.Failed[FailThoughts] != 1 || len(report.Failed) != 1 {
		t.Errorf("%+v", report)
	}
	if found, _ := read(t, x, answers, talkOf("b", "Well, I like figs.")); len(found) != 1 {
		t.Errorf("the question after it: %+v", found)
	}
	before = s.total()
	if ask(t, must(t, o), answers, long("c")); s.total() != before {
		t.Error("asked again")
	}
}

func TestAnAnswerThatIsCutOffBehindThoughtsIsDivided(t *testing.T) {
	s := newService(t)
	s.model = func(q string) (string, string) {
		text, _ := attentive(q)
		if len(q) > 1500 {
			return "<think>short</think>" + text[:len(text)/2], "length"
		}
		return "<think>short</think>" + text, ""
	}
	x, answers := must(t, options(s, OpenAI)), newKept()
	ask(t, x, answers, long("c"))
	if found, report := read(t, x, answers, long("c")); contents(found) != "Lives in Oslo." || len(report.Failed) != 0 {
		t.Errorf("%q %+v", contents(found), report)
	}
}

func TestThoughtsThatAServiceKeepsApartAreNoAnswer(t *testing.T) {
	good := says(said("fact", "Lives in Oslo.", 1, "I live in Oslo."))
	s := newService(t)
	s.faults = []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, object{"choices": []object{{"finish_reason": "stop", "message": object{
			"content": good, "reasoning": "{\"memories\":[{}]}", "reasoning_content": "<think>{\"memories\":[]}"}}}})
	}}
	x, answers := must(t, options(s, OpenAI)), newKept()
	ask(t, x, answers, talkOf("c", "I live in Oslo."))
	if found, report := read(t, x, answers, talkOf("c", "I live in Oslo.")); contents(found) != "Lives in Oslo." {
		t.Errorf("%+v %+v", found, report)
	}
}
