package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/wire"
)

// ask asks one question until there is something to record. The error is that of the service, as
// wire has it, or of the answers.
func (a *asker) ask(ctx context.Context, text string) (recorded, error) {
	d, known, _ := a.x.ladder.get()
	if !known {
		// The first question finds out, if it can, in what dialect the others are asked; they wait
		// for it.
		if err := a.x.ladder.lock(ctx); err != nil {
			return recorded{}, err
		}
		if d, known, _ = a.x.ladder.get(); known {
			a.x.ladder.unlock()
		} else {
			defer a.x.ladder.unlock()
			d = dialect{Rung: a.x.format.rungs[0]}
		}
	}
	r, err := a.climb(ctx, text, d)
	if err == nil || !refusesForm(err) {
		return r, a.withCredit(err)
	}
	// Is it the form that was refused, or this question? One that has nothing in it tells.
	if known {
		if err := a.x.ladder.lock(ctx); err != nil {
			return recorded{}, err
		}
		defer a.x.ladder.unlock()
	}
	if err := a.withCredit(err); isAskError(err) && !notThere(err) {
		return recorded{}, err
	}
	found, err := a.confirm(ctx)
	if err != nil {
		return recorded{}, err
	}
	if r, err = a.climb(ctx, text, found); err != nil && refusesForm(err) && !isAskError(err) {
		return recorded{State: stateFailed, Reason: FailRejected, Usage: r.Usage}, nil
	}
	return r, err
}

func isAskError(err error) bool {
	var asked *extract.AskError
	return errors.As(err, &asked)
}

// notThere tells of a 404, which may be about the form.
func notThere(err error) bool {
	var status *wire.StatusError
	return errors.As(err, &status) && status.Status == http.StatusNotFound
}

// withCredit finds the refusals that are about the account and no fault of the question, though
// their status says so.
func (a *asker) withCredit(err error) error {
	var status *wire.StatusError
	if err == nil || isAskError(err) || !errors.As(err, &status) {
		return err
	}
	message := strings.ToLower(status.Message)
	if strings.Contains(message, "credit balance") || strings.Contains(message, "billing") || strings.Contains(message, "api key") {
		return &extract.AskError{Err: fmt.Errorf("ask model: %w", err), Permanent: true, Hint: "Check the key and the credit of the account at the service."}
	}
	return err
}

// climb asks in a dialect, once more when the answer cannot be read, and then down the ladder.
func (a *asker) climb(ctx context.Context, text string, d dialect) (recorded, error) {
	rungs := a.x.format.rungs
	rungs = rungs[max(slices.Index(rungs, d.Rung), 0):]
	var sum extract.Usage
	broken := 0
	var last error
	for i, rung := range append(rungs[:1:1], rungs...) {
		try := d
		try.Rung = rung
		said, err := a.sendSum(ctx, text, try, &sum)
		if err != nil {
			if state, reason := tooMuch(err); state != "" {
				return recorded{State: state, Reason: reason, Usage: sum}, nil
			}
			if unreadable(err) || i > 1 && refusesForm(err) {
				continue // a lower rung may do
			}
			return recorded{Usage: sum}, err
		}
		if likely, err := a.x.checkWindow(said.input, text); err != nil {
			return recorded{Usage: sum}, err
		} else if likely {
			return recorded{State: stateSplit, Reason: FailContext, Usage: sum}, nil
		}
		switch {
		case said.refused:
			return recorded{State: stateFailed, Reason: FailRefused, Usage: sum}, nil
		case said.cut && !beginsAnswer(said.text):
			return a.endThoughts(sum)
		case said.cut:
			return recorded{State: stateSplit, Reason: FailTruncated, Usage: sum}, nil
		}
		if _, last = parseAnswer(said.text); last == nil {
			return recorded{State: stateOK, Text: said.text, Usage: sum}, a.remember(ctx, try)
		}
		if errors.Is(last, errCutJSON) || errors.Is(last, errThoughts) {
			if broken++; broken > 1 && errors.Is(last, errThoughts) {
				return a.endThoughts(sum)
			}
			if broken > 1 {
				return recorded{State: stateSplit, Reason: FailTruncated, Usage: sum}, nil
			}
		}
	}
	return recorded{State: stateFailed, Reason: FailUnread, Usage: sum}, nil
}

// unreadable tells of an answer of the service that cannot be read, and that may be readable the
// next time.
func unreadable(err error) bool { return errors.Is(err, errForm) || errors.Is(err, wire.ErrTooLarge) }

// tooMuch reads out of a refusal whether it is about this question as such: too long, or against
// the service's rules.
func tooMuch(err error) (state, reason string) {
	var asked *extract.AskError
	var status *wire.StatusError
	if errors.As(err, &asked) || !errors.As(err, &status) {
		return "", ""
	}
	return tooMuchIn(status.Status, status.Type+" "+status.Code, status.Message)
}

func tooMuchIn(status int, codes, message string) (state, reason string) {
	codes, message = strings.ToLower(codes), strings.ToLower(message)
	for _, c := range []string{"content_filter", "content_policy", "safety", "moderation"} {
		if strings.Contains(codes, c) {
			return stateFailed, FailRefused
		}
	}
	if status == http.StatusRequestEntityTooLarge || strings.Contains(codes, "context_length") || strings.Contains(codes, "string_above_max_length") {
		return stateSplit, FailContext
	}
	for _, m := range tooLong {
		if strings.Contains(message, m) {
			return stateSplit, FailContext
		}
	}
	return "", ""
}

// tooLong are how services say that a question is too long for the model.
var tooLong = []string{
	"context length", "context window", "context size", "maximum context", "prompt is too long", "too many tokens", "input is too long", "exceeds the context",
	"maximum number of tokens", "input length", "token limit",
}

// sendSum is send, and adds to the sum what it took.
func (a *asker) sendSum(ctx context.Context, text string, d dialect, sum *extract.Usage) (reply, error) {
	said, u, err := a.sendCounted(ctx, text, d)
	sum.Add(u)
	return said, err
}

func (a *asker) send(ctx context.Context, text string, d dialect) (reply, error) {
	said, _, err := a.sendCounted(ctx, text, d)
	return said, err
}

// sendCounted sends one request within the budget, and records what it took.
func (a *asker) sendCounted(ctx context.Context, text string, d dialect) (reply, extract.Usage, error) {
	var none extract.Usage
	body, err := a.x.requestBody(text, d)
	if err != nil {
		return reply{}, none, err
	}
	worst := a.x.worst(text, false)
	if err := a.budget.reserve(ctx, worst); err != nil {
		return reply{}, none, err
	}
	defer a.budget.release(worst)
	select {
	case a.x.busy <- struct{}{}:
		defer func() { <-a.x.busy }()
	case <-ctx.Done():
		return reply{}, none, ctx.Err()
	}
	answer, err := a.x.client.JSON(ctx, wire.Request{Path: a.x.format.path, Body: body})
	if err != nil {
		return reply{}, none, err
	}
	said, readErr := a.x.format.read(answer.Body)
	u := a.x.taken(said, text, false)
	if err := a.spend(ctx, u); err != nil {
		return said, u, err
	}
	return said, u, readErr
}

// taken is what an answer took: as the service counted, or as well as can be told.
func (x *Extractor) taken(said reply, text string, batch bool) extract.Usage {
	input, output := said.input, said.output
	if input == 0 && text != "" {
		input = tokens(text) + overhead
	}
	if output == 0 {
		output = tokens(said.text)
	}
	return x.usage(input, output, batch)
}
