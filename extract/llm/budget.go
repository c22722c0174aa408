package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
)

// batchShare is what a request costs in a batch, as a share of its usual price.
const batchShare = 0.5

// usage prices tokens.
func (x *Extractor) usage(input, output int64, batch bool) extract.Usage {
	usd := float64(input)*x.o.PriceInput + float64(output)*x.o.PriceOutput // for a million: millionths of a dollar
	if batch {
		usd *= batchShare
	}
	return extract.Usage{Requests: 1, Input: input, Output: output, MicroUSD: int64(math.Ceil(usd))}
}

// overhead is what a request takes beside the text about a chunk: the prompt, the schema and the
// frame of the message.
var overhead = tokens(system) + tokens(string(schema)) + 64

// Estimate tells what Ask would send for a document, and an answer of the usual length. It asks
// nothing.
func (x *Extractor) Estimate(doc *pamio.Conversation) extract.Usage {
	var sum extract.Usage
	for _, c := range x.chunks(doc) {
		// Few turns say anything: a memory of about 120 tokens for each 1,500 characters has been
		// usual.
		answer := min(int64(x.o.MaxOutput), 60+int64(c.spoken())*120/1500)
		sum.Add(x.usage(tokens(c.text())+overhead, answer, x.o.Batch))
	}
	return sum
}

// worst is the most that a question can take: what is reserved before it is asked.
func (x *Extractor) worst(text string, batch bool) extract.Usage {
	return x.usage(tokens(text)+overhead, int64(x.o.MaxOutput), batch)
}

// budgets keeps, for each set of answers, what the requests under way may take.
type budgets struct {
	mu   sync.Mutex
	open map[extract.Answers]*budget
}

// budget holds the requests of one import below the limits.
type budget struct {
	x       *Extractor
	answers extract.Answers
	users   int

	mu       sync.Mutex
	reserved extract.Usage
	changed  chan struct{} // closed when something is given back
}

// budget gives that of the answers; done gives it back.
func (x *Extractor) budget(answers extract.Answers) (b *budget, done func()) {
	if !reflect.ValueOf(answers).Comparable() {
		return &budget{x: x, answers: answers, changed: make(chan struct{})}, func() {}
	}
	x.budgets.mu.Lock()
	defer x.budgets.mu.Unlock()
	b = x.budgets.open[answers]
	if b == nil {
		b = &budget{x: x, answers: answers, changed: make(chan struct{})}
		if x.budgets.open == nil {
			x.budgets.open = map[extract.Answers]*budget{}
		}
		x.budgets.open[answers] = b
	}
	b.users++
	return b, func() {
		x.budgets.mu.Lock()
		defer x.budgets.mu.Unlock()
		if b.users--; b.users == 0 {
			delete(x.budgets.open, answers)
		}
	}
}

// limited tells whether there is a limit at all.
func (b *budget) limited() bool { return b.x.o.MaxUSD > 0 || b.x.o.MaxTokens > 0 }

// reserve sets u aside. When it would pass a limit, it waits for requests under way to give back
// what they did not need, and when nothing is under way any more gives an *extract.AskError that
// names the setting.
func (b *budget) reserve(ctx context.Context, u extract.Usage) error {
	if !b.limited() {
		return nil
	}
	for {
		spent, err := b.answers.Spent(ctx)
		if err != nil {
			return fmt.Errorf("read what was spent: %w", err)
		}
		wait, err := b.try(spent, u)
		if wait == nil {
			return err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// try reserves u if it fits on top of what was spent. Otherwise it gives what to wait for, or an
// error when waiting is no use.
func (b *budget) try(spent, u extract.Usage) (wait <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := spent
	sum.Add(b.reserved)
	sum.Add(u)
	if b.over(sum) == nil {
		b.reserved.Add(u)
		return nil, nil
	}
	alone := spent
	alone.Add(u)
	if b.reserved != (extract.Usage{}) && b.over(alone) == nil {
		return b.changed, nil
	}
	return nil, b.over(sum)
}

var errBudget = errors.New("the next request could pass the budget")

// over tells which limit a sum passes.
func (b *budget) over(sum extract.Usage) error {
	switch o := &b.x.o; {
	case o.MaxUSD > 0 && float64(sum.MicroUSD) > o.MaxUSD*1e6:
		return &extract.AskError{Err: fmt.Errorf("ask model: %w", errBudget), Permanent: true,
			Hint: "The limit llm.max_usd is reached. Raise it and run again: what was answered is not asked again."}
	case o.MaxTokens > 0 && sum.Input+sum.Output > o.MaxTokens:
		return &extract.AskError{Err: fmt.Errorf("ask model: %w", errBudget), Permanent: true,
			Hint: "The limit llm.max_tokens is reached. Raise it and run again: what was answered is not asked again."}
	}
	return nil
}

// release gives back what was reserved. What was used has been recorded before.
func (b *budget) release(u extract.Usage) {
	if !b.limited() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved.Requests -= u.Requests
	b.reserved.Input -= u.Input
	b.reserved.Output -= u.Output
	b.reserved.MicroUSD -= u.MicroUSD
	close(b.changed)
	b.changed = make(chan struct{})
}
