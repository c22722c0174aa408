package extract

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// asks is an extractor whose service fails from the nth question on.
type asks struct {
	echo
	fails int
	err   error
	asked *int
}

func (a asks) Ask(context.Context, iter.Seq2[*pamio.Conversation, error], Answers) (Usage, error) {
	if *a.asked++; *a.asked >= a.fails {
		return Usage{}, a.err
	}
	return Usage{Requests: 1}, nil
}

func (a asks) Read(_ context.Context, doc *pamio.Conversation, _ Answers) ([]normalize.Candidate, Report, error) {
	if *a.asked < a.fails {
		return a.give(doc), Report{}, nil
	}
	var r Report
	r.Fail("no-answer")
	return nil, r, nil
}

func (asks) Estimate(*pamio.Conversation) Usage { return Usage{} }

type noAnswers struct{}

func (noAnswers) Get(context.Context, string) ([]byte, bool, error) { return nil, false, nil }
func (noAnswers) Put(context.Context, string, []byte) error         { return nil }
func (noAnswers) Spent(context.Context) (Usage, error)              { return Usage{}, nil }
func (noAnswers) Spend(context.Context, Usage) error                { return nil }

func TestAServiceThatCannotBeAskedTakesNothingFromTheOtherExtractors(t *testing.T) {
	asked := 0
	closed := &AskError{Err: errBroken, Hint: "open it"}
	list := []Extractor{asks{echo{name: "a", give: spans}, 2, closed, &asked}, echo{name: "b", give: spans}}
	var out bytes.Buffer
	in := strings.Repeat(conversationLine(1)+"\n", 4)
	stats, err := RunLines(t.Context(), strings.NewReader(in), &out, list, LineOptions{Answers: noAnswers{}})
	if err != nil || stats.Conversations != 4 || stats.Candidates != 2*5 {
		t.Errorf("%+v, %v", stats, err)
	}
	if asked != 2 || stats.Troubles[0] != closed || stats.Troubles[1] != nil || stats.Reports[0].Failed["no-answer"] != 3 {
		t.Errorf("asked %d times; %+v", asked, stats)
	}
}

func TestAnErrorThatIsNotTheServicesEndsTheLines(t *testing.T) {
	asked := 0
	list := []Extractor{asks{echo{name: "a", give: spans}, 1, errBroken, &asked}}
	_, err := RunLines(t.Context(), strings.NewReader(conversationLine(1)+"\n"), &bytes.Buffer{}, list, LineOptions{Answers: noAnswers{}})
	if !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}
