package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

var apis = []string{OpenAI, Anthropic}

func TestAskAndReadGiveGroundedCandidates(t *testing.T) {
	for _, api := range apis {
		t.Run(api, func(t *testing.T) {
			s := newService(t)
			x := must(t, options(s, api))
			doc := talkOf("c1", "Hello there! I live in Tromsø.", ">Nice. You like herring, do you not?", "Well, I like kale soup. What is a good pan?")
			answers := newKept()
			u := ask(t, x, answers, doc)
			if u.Requests != 1 || u.Input != 1000 || u.Output != 100 || u != answers.spent {
				t.Errorf("usage %+v, spent %+v", u, answers.spent)
			}
			found, report := read(t, x, answers, doc)
			if got := contents(found); got != "Lives in Tromsø. Likes kale soup." {
				t.Fatalf("found %q, report %+v", got, report)
			}
			c := found[0]
			if c.Slot == nil || c.Slot.Attribute != "residence" || c.Slot.Value != "tromsø" && c.Slot.Value != "tromso" || !c.Slot.One {
				t.Errorf("slot %+v", c.Slot)
			}
			if c.Method != "llm_inference" || c.Rule != "test-model" || c.Extractor != x.Version() || c.Confidence != 0.8 || c.Decay != "none" || c.Platform != "chatgpt" {
				t.Errorf("%+v", c)
			}
			if e := c.Evidence[0]; e.Message != "m0" || e.Quote != "I live in Tromsø." || e.Start != 13 || e.End != 30 || e.ObservedAt != "2025-03-01T08:00:00Z" || e.AccountID != "acc" {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestAskTwiceSendsNothingTheSecondTime(t *testing.T) {
	s := newService(t)
	answers := newKept()
	docs := talkOf("c1", "I live in Oslo.", ">Ok.", strings.Repeat("I like fish number nine. ", 3000))
	ask(t, must(t, options(s, OpenAI)), answers, docs)
	sent := s.total()
	x := must(t, options(s, OpenAI))
	if u := ask(t, x, answers, docs); u != (extract.Usage{}) || s.total() != sent {
		t.Errorf("%d requests more, %+v", s.total()-sent, u)
	}
	if sent < 2 {
		t.Errorf("only %d requests for a talk of several chunks", sent)
	}
}

func TestKilledAndContinuedGivesTheSame(t *testing.T) {
	docs := []string{"I live in Oslo.", "I like rye bread.", "I play chess.", "I like tea."}
	run := func(batch bool, dieAt int) (string, *service) {
		s := newService(t)
		o := options(s, OpenAI)
		o.Batch, o.Parallel = batch, 1
		answers := newKept()
		answers.dieAt = dieAt
		for range 3 {
			_, err := must(t, o).Ask(t.Context(), seq(talkOf("a", docs[0]), talkOf("b", docs[1]), talkOf("c", docs[2], ">Ok.", docs[3])), answers)
			if err == nil {
				break
			}
			if !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			answers.dieAt = 0
		}
		found, report := read(t, must(t, o), answers, talkOf("a", docs[0]), talkOf("b", docs[1]), talkOf("c", docs[2], ">Ok.", docs[3]))
		if len(report.Failed) > 0 {
			t.Errorf("batch %v, killed at write %d: %+v", batch, dieAt, report.Failed)
		}
		return asJSON(t, found), s
	}
	for _, batch := range []bool{false, true} {
		want, _ := run(batch, 0)
		if !strings.Contains(want, "Lives in Oslo.") || !strings.Contains(want, "Likes tea.") {
			t.Fatalf("whole run gave %s", want)
		}
		for dieAt := 1; dieAt <= 16; dieAt++ {
			got, s := run(batch, dieAt)
			if got != want {
				t.Errorf("batch %v, killed at write %d: %s\nwant %s", batch, dieAt, got, want)
			}
			if n := s.count("POST", "/batches"); n > 1 {
				t.Errorf("killed at write %d: the batch was handed over %d times", dieAt, n)
			}
		}
	}
}

func TestLadderGoesDownAndIsRemembered(t *testing.T) {
	for _, c := range []struct {
		api     string
		refuses []rung
		picky   []string
		want    rung
	}{
		{OpenAI, nil, nil, rungSchema},
		{OpenAI, []rung{rungSchema}, nil, rungObject},
		{OpenAI, []rung{rungSchema, rungObject}, nil, rungTool},
		{OpenAI, []rung{rungSchema, rungObject, rungTool}, []string{"temperature"}, rungPlain},
		{OpenAI, nil, []string{"max_tokens", "temperature"}, rungSchema},
		{Anthropic, []rung{rungSchema}, []string{"temperature"}, rungTool},
		{Anthropic, []rung{rungSchema, rungTool}, nil, rungPlain},
	} {
		s := newService(t)
		for _, r := range c.refuses {
			s.refuses[r] = true
		}
		for _, p := range c.picky {
			s.picky[p] = true
		}
		answers := newKept()
		x := must(t, options(s, c.api))
		ask(t, x, answers, talkOf("c1", "I live in Oslo."))
		asked := s.asked()
		if last := asked[len(asked)-1]; last.rung != c.want {
			t.Errorf("%s without %v: asked with %s, expected %s", c.api, c.refuses, last.rung, c.want)
		}
		if found, report := read(t, x, answers, talkOf("c1", "I live in Oslo.")); contents(found) != "Lives in Oslo." {
			t.Errorf("%s without %v: %+v %+v", c.api, c.refuses, found, report)
		}
		before := s.total()
		ask(t, must(t, options(s, c.api)), answers, talkOf("c2", "I like figs."))
		if n := s.total() - before; n != 1 {
			t.Errorf("%s without %v: %d requests for the next question", c.api, c.refuses, n)
		}
	}
}

func TestServiceThatTakesNoFormIsAnError(t *testing.T) {
	s := newService(t)
	for _, r := range []rung{rungSchema, rungObject, rungTool, rungPlain} {
		s.refuses[r] = true
	}
	answers := newKept()
	_, err := must(t, options(s, OpenAI)).Ask(t.Context(), seq(talkOf("c1", "I live in Oslo.")), answers)
	var asked *extract.AskError
	if !errors.As(err, &asked) || !asked.Permanent || len(answers.values) != 0 {
		t.Errorf("%v, recorded %d", err, len(answers.values))
	}
}

func TestQuestionThatIsRejectedDoesNotStopOthers(t *testing.T) {
	s := newService(t)
	x, answers := must(t, options(s, OpenAI)), newKept()
	ask(t, x, answers, talkOf("c0", "I like figs."))
	s.faults = []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, 400, object{"error": object{"message": "odd"}})
		},
		func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, 400, object{"error": object{"message": "odd"}})
		},
	}
	o := options(s, OpenAI)
	o.Parallel = 1
	x = must(t, o)
	ask(t, x, answers, talkOf("c1", "I live in Oslo."), talkOf("c2", "I live in Rome."))
	if _, report := read(t, x, answers, talkOf("c1", "I live in Oslo.")); report.Failed[FailRejected] != 1 {
		t.Errorf("%+v", report)
	}
	if found, _ := read(t, x, answers, talkOf("c2", "I live in Rome.")); contents(found) != "Lives in Rome." {
		t.Errorf("%+v", found)
	}
}

func TestTooMuchIsDividedUntilItFits(t *testing.T) {
	texts := []string{"I live in Oslo.", ">Ok.", "I like figs.", ">Ok.", strings.Repeat("The weather was fine and nothing of note happened there. ", 20) + "I play chess."}
	check := func(name string, s *service) {
		t.Helper()
		x, answers, doc := must(t, options(s, OpenAI)), newKept(), talkOf("c1", texts...)
		ask(t, x, answers, doc)
		found, report := read(t, x, answers, doc)
		if contents(found) != "Lives in Oslo. Likes figs. Plays chess." || len(report.Failed) > 0 {
			t.Errorf("%s: %q %+v", name, contents(found), report)
		}
		sent := s.total()
		if ask(t, x, answers, doc); s.total() != sent {
			t.Errorf("%s: asked again", name)
		}
	}
	s := newService(t)
	s.tooLong = 900
	check("context", s)
	s = newService(t)
	s.model = func(q string) (string, string) {
		text, _ := attentive(q)
		if len(q) > 900 && q != probeText {
			return text[:len(text)/2], "length"
		}
		return text, ""
	}
	check("length", s)
	s = newService(t)
	s.tooLong = 10
	x, answers, doc := must(t, options(s, OpenAI)), newKept(), talkOf("c1", "I live in Oslo.")
	ask(t, x, answers, doc)
	if _, report := read(t, x, answers, doc); report.Failed[FailContext] != 1 {
		t.Errorf("floor: %+v", report)
	}
}

func TestAskEndsWithTheErrorOfDocsAndOfTheContext(t *testing.T) {
	s := newService(t)
	x, answers := must(t, options(s, OpenAI)), newKept()
	broken := errors.New("no more documents")
	_, err := x.Ask(t.Context(), func(yield func(*convo, error) bool) {
		if yield(talkOf("a", "I like figs."), nil) {
			yield(nil, broken)
		}
	}, answers)
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if found, _ := read(t, x, answers, talkOf("a", "I like figs.")); len(found) != 1 {
		t.Error("what came before the error is lost")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Ask(ctx, seq(talkOf("b", "I like tea.")), answers); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestCancelledAtAnyRequestAndContinuedGivesTheSame(t *testing.T) {
	docs := []*convo{talkOf("a", "I live in Oslo."), talkOf("b", "I like rye bread."), talkOf("c", "I play chess.")}
	for _, batch := range []bool{false, true} {
		for at := 1; at <= 8; at++ {
			s := newService(t)
			ctx, cancel := context.WithCancel(t.Context())
			serve := s.Config.Handler
			n := 0
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.mu.Lock()
				n++
				last := n == at
				s.mu.Unlock()
				if last {
					_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client is gone
					cancel()
					<-r.Context().Done()
					return
				}
				serve.ServeHTTP(w, r)
			})
			o := options(s, OpenAI)
			o.Batch, o.Parallel = batch, 1
			answers := newKept()
			if _, err := must(t, o).Ask(ctx, seq(docs...), answers); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			cancel()
			ask(t, must(t, o), answers, docs...)
			if found, report := read(t, must(t, o), answers, docs...); contents(found) != "Lives in Oslo. Likes rye bread. Plays chess." {
				t.Errorf("batch %v, cancelled at request %d: %q %+v", batch, at, contents(found), report)
			}
			if s.submissions() > 1 {
				t.Errorf("cancelled at request %d: %d batches", at, s.submissions())
			}
		}
	}
}

// Two workers have asked one question. A result may have been made from the first answer.
func TestAnAnswerIsRecordedOnce(t *testing.T) {
	answers := newKept()
	a := &asker{x: must(t, Options{API: "openai", URL: "http://127.0.0.1:1", Model: "m"}), answers: answers}
	k := key("question")
	for _, r := range []recorded{{State: statePending, Batch: "b"}, {State: stateOK, Text: "first"}, {State: stateOK, Text: "second"}, {State: statePending, Batch: "c"}, {State: stateFailed}} {
		if err := a.put(t.Context(), k, r); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := a.recorded(t.Context(), k); err != nil || r.State != stateOK || r.Text != "first" {
		t.Errorf("%+v, %v", r, err)
	}
}
