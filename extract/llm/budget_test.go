package llm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

func TestBudgetEndsBeforeItIsPassed(t *testing.T) {
	s := newService(t)
	o := options(s, OpenAI)
	o.MaxTokens, o.MaxOutput = 9000, 1000
	answers := newKept()
	var docs []string
	for i := range 20 {
		docs = append(docs, fmt.Sprintf("I like dish %d.", i))
	}
	run := func(o Options) error {
		x := must(t, o)
		var err error
		for i, d := range docs {
			if _, err = x.Ask(t.Context(), seq(talkOf(fmt.Sprint(i), d)), answers); err != nil {
				break
			}
		}
		return err
	}
	err := run(o)
	var asked *extract.AskError
	if !errors.As(err, &asked) || !asked.Permanent || !strings.Contains(asked.Hint, "llm.max_tokens") {
		t.Fatalf("%v", err)
	}
	if sum := answers.spent.Input + answers.spent.Output; sum > o.MaxTokens || answers.spent.Requests == 0 {
		t.Errorf("spent %+v", answers.spent)
	}
	done := answers.spent.Requests
	o.MaxTokens = 0
	o.MaxUSD, o.PriceInput, o.PriceOutput = 0.5, 1, 2
	if err := run(o); err != nil {
		t.Fatal(err)
	}
	if answers.spent.Requests != 20 {
		t.Errorf("%d requests, then %d in all", done, answers.spent.Requests)
	}
	if want := (20 - done) * 1200; answers.spent.MicroUSD != want {
		t.Errorf("cost %d, expected %d", answers.spent.MicroUSD, want)
	}
	o.MaxUSD = 0.001
	if _, err := must(t, o).Ask(t.Context(), seq(talkOf("z", "I like zebras.")), answers); !errors.As(err, &asked) || !strings.Contains(asked.Hint, "llm.max_usd") {
		t.Errorf("%v", err)
	}
}

func TestManyAtOnceStayInTheBudget(t *testing.T) {
	s := newService(t)
	o := options(s, OpenAI)
	o.MaxTokens, o.MaxOutput, o.Parallel = 12000, 500, 8
	answers := newKept()
	docs := make([]string, 40)
	for i := range docs {
		docs[i] = fmt.Sprintf("I like dish %d.", i)
	}
	x := must(t, o)
	_, err := x.Ask(t.Context(), func(yield func(*convo, error) bool) {
		for i, d := range docs {
			if !yield(talkOf(fmt.Sprint(i), d), nil) {
				return
			}
		}
	}, answers)
	var asked *extract.AskError
	if !errors.As(err, &asked) || !errors.Is(err, errBudget) {
		t.Fatal(err)
	}
	if sum := answers.spent.Input + answers.spent.Output; sum > o.MaxTokens || sum < 5000 {
		t.Errorf("spent %+v", answers.spent)
	}
}

func TestEstimateAsksNothingAndGrowsWithTheTalk(t *testing.T) {
	s := newService(t)
	o := options(s, OpenAI)
	o.PriceInput, o.PriceOutput = 1, 4
	x := must(t, o)
	small, large := x.Estimate(talkOf("a", "I like figs.")), x.Estimate(talkOf("b", strings.Repeat("I like figs and dates. ", 3000)))
	if small.Requests != 1 || large.Requests < 3 || large.Input < 10*small.Input/2 || small.MicroUSD <= 0 || s.total() != 0 {
		t.Errorf("%+v %+v, %d requests", small, large, s.total())
	}
	o.Batch = true
	if half := must(t, o).Estimate(talkOf("a", "I like figs.")); half.MicroUSD*2 < small.MicroUSD || half.MicroUSD*2 > small.MicroUSD+2 {
		t.Errorf("batch %+v, else %+v", half, small)
	}
	if u := x.Estimate(talkOf("c", ">Only the assistant speaks.")); u != (extract.Usage{}) {
		t.Errorf("%+v", u)
	}
}
