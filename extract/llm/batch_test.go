package llm

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
)

// submissions counts the batches that a service got, whatever the wire format.
func (s *service) submissions() int {
	return s.count("POST", "/batches")
}

func inBatches(s *service, api string) Options {
	o := options(s, api)
	o.Batch, o.PriceInput, o.PriceOutput = true, 1, 2
	return o
}

func fiveTalks() []*pamio.Conversation {
	var docs []*pamio.Conversation
	for i := range 5 {
		docs = append(docs, talkOf(fmt.Sprintf("c%d", i), fmt.Sprintf("I like dish %d.", i)))
	}
	return docs
}

const fiveDishes = "Likes dish 0. Likes dish 1. Likes dish 2. Likes dish 3. Likes dish 4."

func TestBatchesGiveWhatSingleQuestionsGive(t *testing.T) {
	for _, api := range apis {
		s := newService(t)
		s.pollsLeft = 3
		o := inBatches(s, api)
		pauses := new(sleeps)
		o.Sleep = pauses.sleep
		x, answers := must(t, o), newKept()
		u := ask(t, x, answers, fiveTalks()...)
		found, report := read(t, x, answers, fiveTalks()...)
		if contents(found) != fiveDishes || len(report.Failed) > 0 {
			t.Errorf("%s: %q %+v", api, contents(found), report)
		}
		if s.submissions() != 1 || len(s.asked()) != 0 {
			t.Errorf("%s: %d batches, %d single questions", api, s.submissions(), len(s.asked()))
		}
		if u.Requests != 6 || u.MicroUSD != 5*600+1200 || u != answers.spent {
			t.Errorf("%s: %+v, spent %+v", api, u, answers.spent) // the probe is no part of the batch
		}
		if want := []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}; !slices.Equal(pauses.all, want) {
			t.Errorf("%s: pauses %v", api, pauses.all)
		}
		sent := s.total()
		if ask(t, must(t, o), answers, fiveTalks()...); s.total() != sent {
			t.Errorf("%s: asked again", api)
		}
	}
}

func TestBatchResultsThatAreMissingOrBrokenAreAskedAgain(t *testing.T) {
	for _, api := range apis {
		for _, fault := range []string{"missing", "garbage", "foreign", "expired", "500"} {
			s := newService(t)
			s.batchFault = func(round, n int) string {
				if round == 0 && n%2 == 1 {
					return fault
				}
				return ""
			}
			x, answers := must(t, inBatches(s, api)), newKept()
			ask(t, x, answers, fiveTalks()...)
			if found, report := read(t, x, answers, fiveTalks()...); contents(found) != fiveDishes {
				t.Errorf("%s, %s: %q %+v", api, fault, contents(found), report)
			}
			if s.submissions() != 2 {
				t.Errorf("%s, %s: %d batches", api, fault, s.submissions())
			}
		}
	}
}

func TestBatchResultsThatAreCutOffAreAskedForSingly(t *testing.T) {
	for _, api := range apis {
		s := newService(t)
		s.batchFault = func(_, n int) string {
			if n == 2 {
				return "cut"
			}
			return ""
		}
		x, answers := must(t, inBatches(s, api)), newKept()
		ask(t, x, answers, fiveTalks()...)
		if found, report := read(t, x, answers, fiveTalks()...); contents(found) != fiveDishes || len(s.asked()) != 1 || s.submissions() != 1 {
			t.Errorf("%s: %q %+v", api, contents(found), report)
		}
	}
}

func TestBatchThatAnswersNothingIsAnError(t *testing.T) {
	s := newService(t)
	s.batchFault = func(int, int) string { return "expired" }
	x, answers := must(t, inBatches(s, OpenAI)), newKept()
	_, err := x.Ask(t.Context(), seq(fiveTalks()...), answers)
	var asked *extract.AskError
	if !errors.As(err, &asked) || asked.Permanent {
		t.Errorf("%v", err)
	}
	if _, report := read(t, x, answers, fiveTalks()...); report.Failed[FailPending] != 5 {
		t.Errorf("%+v", report)
	}
}

func TestLostAnswerToASubmissionIsNotSubmittedAgain(t *testing.T) {
	for _, api := range apis {
		s := newService(t)
		s.loseSubmit = true
		x, answers := must(t, inBatches(s, api)), newKept()
		ask(t, x, answers, fiveTalks()...)
		if found, _ := read(t, x, answers, fiveTalks()...); contents(found) != fiveDishes || s.submissions() != 1 {
			t.Errorf("%s: %q, %d batches", api, contents(found), s.submissions())
		}
	}
}

func TestBatchIsFoundAgainAfterACrash(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 6
	}
	for _, api := range apis {
		for dieAt := 1; dieAt <= 24; dieAt += step {
			s := newService(t)
			o := inBatches(s, api)
			answers := newKept()
			answers.dieAt = dieAt
			_, err := must(t, o).Ask(t.Context(), seq(fiveTalks()...), answers)
			if err != nil && !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			answers.dieAt = 0
			ask(t, must(t, o), answers, fiveTalks()...)
			if found, report := read(t, must(t, o), answers, fiveTalks()...); contents(found) != fiveDishes {
				t.Errorf("%s, killed at write %d: %q %+v", api, dieAt, contents(found), report)
			}
			if s.submissions() != 1 {
				t.Errorf("%s, killed at write %d: %d batches", api, dieAt, s.submissions())
			}
		}
	}
}

func TestForeignBatchOfTheSameSizeIsNotTakenForOurs(t *testing.T) {
	s := newService(t)
	o := inBatches(s, Anthropic)
	answers := newKept()
	answers.dieAt = 1 + 1 + 5 + 1 + 1 // what the probe took, its dialect, five marks and the record; the next would be its name
	if _, err := must(t, o).Ask(t.Context(), seq(fiveTalks()...), answers); !errors.Is(err, errDied) || len(s.batches) != 1 {
		t.Fatalf("%v, %d batches", err, len(s.batches))
	}
	answers.dieAt = 0
	for i, line := range s.batches[0].lines { // as if somebody else's program had made it
		s.batches[0].lines[i] = []byte(string(line[:len(`{"custom_id":"`)]) + "x" + string(line[len(`{"custom_id":"`):]))
	}
	ask(t, must(t, o), answers, fiveTalks()...)
	if found, _ := read(t, must(t, o), answers, fiveTalks()...); contents(found) != fiveDishes || len(s.batches) != 2 {
		t.Errorf("%q, %d batches", contents(found), len(s.batches))
	}
}

func TestBatchThatTheServiceForgotIsMadeAgain(t *testing.T) {
	s := newService(t)
	o := inBatches(s, OpenAI)
	answers := newKept()
	s.failBatch = "token_limit_exceeded"
	_, err := must(t, o).Ask(t.Context(), seq(fiveTalks()...), answers)
	var asked *extract.AskError
	if !errors.As(err, &asked) || asked.Permanent {
		t.Fatalf("%v", err)
	}
	s.failBatch = ""
	ask(t, must(t, o), answers, fiveTalks()...)
	if found, _ := read(t, must(t, o), answers, fiveTalks()...); contents(found) != fiveDishes || s.submissions() != 2 {
		t.Errorf("%q, %d batches", contents(found), s.submissions())
	}

	s = newService(t)
	o = inBatches(s, OpenAI)
	answers = newKept()
	answers.dieAt = 1 + 1 + 5 + 1 + 1 + 1 // dies when the batch has its name
	if _, err := must(t, o).Ask(t.Context(), seq(fiveTalks()...), answers); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	answers.dieAt, s.batches = 0, nil
	ask(t, must(t, o), answers, fiveTalks()...)
	if found, _ := read(t, must(t, o), answers, fiveTalks()...); contents(found) != fiveDishes {
		t.Errorf("%q", contents(found))
	}
}

func TestBatchThatNeverEndsIsAnError(t *testing.T) {
	s := newService(t)
	s.pollsLeft = 1 << 30
	o := inBatches(s, OpenAI)
	now := testNow
	o.Now = func() time.Time { now = now.Add(6 * time.Hour); return now }
	_, err := must(t, o).Ask(t.Context(), seq(fiveTalks()...), newKept())
	var asked *extract.AskError
	if !errors.As(err, &asked) || asked.Permanent {
		t.Errorf("%v", err)
	}
}

func TestBatchesStayInTheBudget(t *testing.T) {
	s := newService(t)
	o := inBatches(s, OpenAI)
	o.MaxOutput = 500
	worst := must(t, o).worst("I like dish 0, and what stands around it in a question, about as much as this and this and this and this", true)
	o.MaxTokens = 2300 + 3*(worst.Input+worst.Output) // the probe, and three of five at first
	answers := newKept()
	x := must(t, o)
	ask(t, x, answers, fiveTalks()...)
	if found, _ := read(t, x, answers, fiveTalks()...); contents(found) != fiveDishes || s.submissions() < 2 {
		t.Errorf("%q, %d batches", contents(found), s.submissions())
	}
	if answers.spent.Input+answers.spent.Output > o.MaxTokens {
		t.Errorf("%+v of %d", answers.spent, o.MaxTokens)
	}
	_, err := x.Ask(t.Context(), seq(talkOf("d1", "I like tea."), talkOf("d2", "I like milk.")), answers)
	for i := 3; err == nil && i < 20; i++ {
		_, err = x.Ask(t.Context(), seq(talkOf(fmt.Sprintf("d%d", i), fmt.Sprintf("I like cup %d.", i))), answers)
	}
	if !errors.Is(err, errBudget) || answers.spent.Input+answers.spent.Output > o.MaxTokens {
		t.Errorf("%v, %+v of %d", err, answers.spent, o.MaxTokens)
	}
}

func TestTurningBatchesOffAsksWhatIsPending(t *testing.T) {
	s := newService(t)
	answers := newKept()
	answers.dieAt = 10
	if _, err := must(t, inBatches(s, OpenAI)).Ask(t.Context(), seq(fiveTalks()...), answers); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	answers.dieAt = 0
	x := must(t, options(s, OpenAI))
	if _, report := read(t, x, answers, fiveTalks()...); report.Failed[FailPending] != 5 {
		t.Errorf("%+v", report)
	}
	ask(t, x, answers, fiveTalks()...)
	if found, _ := read(t, x, answers, fiveTalks()...); contents(found) != fiveDishes {
		t.Errorf("%q", contents(found))
	}
}
