package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/extract"
)

// collect reads the results, by key; of two for one request the first counts. A stream that breaks
// is read again.
func (a *asker) collect(ctx context.Context, b *batchRecord, state batchState) (map[string]batchResult, error) {
	for attempt := 1; ; attempt++ {
		all := map[string]batchResult{}
		err := a.x.format.batches.results(ctx, a.x, state, func(id string, r batchResult) error {
			if i, ok := b.place(id); ok {
				if _, twice := all[b.Keys[i]]; !twice {
					all[b.Keys[i]] = r
				}
			}
			return nil
		})
		var asked *extract.AskError
		if err == nil || !errors.As(err, &asked) || asked.Permanent || attempt >= a.x.o.Attempts {
			return all, err
		}
		if err := a.x.o.Sleep(ctx, firstPoll); err != nil {
			return nil, err
		}
	}
}

// count adds what a batch took to what was spent, once.
func (a *asker) count(ctx context.Context, b *batchRecord, results map[string]batchResult, items map[string]item) error {
	if b.Counted {
		return nil
	}
	var sum extract.Usage
	for k, r := range results {
		if r.status == http.StatusOK {
			sum.Add(a.x.taken(r.reply, items[k].text, true))
		}
	}
	if err := a.spend(ctx, sum); err != nil {
		return err
	}
	b.Counted = true
	return a.putBatch(ctx, b)
}

// keep records the answers of a batch.
func (a *asker) keep(ctx context.Context, b *batchRecord, results map[string]batchResult, items map[string]item) (open, single []item, err error) {
	var group errgroup.Group
	group.SetLimit(a.x.o.Parallel)
	for _, k := range b.Keys {
		it, wanted := items[k]
		result, there := results[k]
		r, verdict := a.x.judgeResult(result, it.text)
		switch {
		case there && verdict == resultFatal:
			return nil, nil, errors.Join(group.Wait(), &extract.AskError{Err: fmt.Errorf("ask model: a request of the batch was answered with %d", result.status),
				Permanent: true, Hint: "Check the key, the model and the credit of the account at the service."})
		case there && verdict == resultFinal:
			r.Model, r.Conversation = a.x.o.Model, ""
			if wanted {
				r.Conversation = it.c.doc.ID
			}
			group.Go(func() error { return a.put(ctx, k, r) })
		case !wanted:
		case there && verdict == resultSingle:
			single = append(single, it)
		default:
			open = append(open, it)
		}
	}
	return open, single, group.Wait()
}

// verdicts about a result.
const (
	resultFinal  = iota // it can be recorded
	resultOpen          // there was no answer
	resultSingle        // it needs the ways that a single question has
	resultFatal         // no question will be answered
)

func (x *Extractor) judgeResult(r batchResult, text string) (recorded, int) {
	switch {
	case r.status == 0 || r.status == http.StatusTooManyRequests || r.status == http.StatusRequestTimeout || r.status == http.StatusConflict || r.status >= 500:
		return recorded{}, resultOpen
	case r.status == http.StatusUnauthorized || r.status == http.StatusPaymentRequired || r.status == http.StatusForbidden || r.status == http.StatusNotFound:
		return recorded{}, resultFatal
	case r.status != http.StatusOK:
		if state, reason := tooMuchIn(r.status, r.code, r.message); state == stateFailed {
			return recorded{State: state, Reason: reason}, resultFinal
		}
		return recorded{}, resultSingle
	case r.err != nil:
		return recorded{}, resultSingle
	}
	u := x.taken(r.reply, text, true)
	if r.reply.refused {
		return recorded{State: stateFailed, Reason: FailRefused, Usage: u}, resultFinal
	}
	if likely, err := x.checkWindow(r.reply.input, text); err != nil || likely {
		return recorded{}, resultSingle
	}
	if _, err := parseAnswer(r.reply.text); err != nil || r.reply.cut {
		return recorded{}, resultSingle
	}
	return recorded{State: stateOK, Text: r.reply.text, Usage: u}, resultFinal
}
