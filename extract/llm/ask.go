package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
)

// Ask makes sure that everything about the documents is answered, and records each answer when it
// comes. What is recorded is not asked again. It keeps what was answered when it ends early;
// requests under way are waited for, unless ctx ends.
func (x *Extractor) Ask(ctx context.Context, docs iter.Seq2[*pamio.Conversation, error], answers extract.Answers) (extract.Usage, error) {
	if x.o.Sleep == nil || x.o.Now == nil {
		return extract.Usage{}, errors.New("ask model: there is no clock to wait on (Options.Now, Options.Sleep)")
	}
	a := &asker{x: x, answers: answers}
	var done func()
	a.budget, done = x.budget(answers)
	defer done()
	if err := a.recall(ctx); err != nil {
		return extract.Usage{}, err
	}
	var err error
	if x.o.Batch {
		err = a.inBatches(ctx, docs)
	} else {
		err = a.oneByOne(ctx, docs)
	}
	return a.used(), err
}

// asker asks about some documents.
type asker struct {
	x       *Extractor
	answers extract.Answers
	budget  *budget
	held    extract.Usage // reserved for the batch under way

	mu    sync.Mutex
	usage extract.Usage
	err   error               // the first
	begun map[string]struct{} // keys that are being asked about, or were: equal texts have one answer
}

func (a *asker) used() extract.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage
}

// failed gives the first error of the requests under way: nothing new is begun after it.
func (a *asker) failed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// fail keeps the first error.
func (a *asker) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

// begin tells whether nobody asks about a key yet.
func (a *asker) begin(k string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, there := a.begun[k]; there {
		return false
	}
	if a.begun == nil {
		a.begun = map[string]struct{}{}
	}
	a.begun[k] = struct{}{}
	return true
}

// spend records what a request took, before its answer is: a crash between the two never hides a
// cost.
func (a *asker) spend(ctx context.Context, u extract.Usage) error {
	a.mu.Lock()
	a.usage.Add(u)
	a.mu.Unlock()
	if err := a.answers.Spend(ctx, u); err != nil {
		return fmt.Errorf("record what was spent: %w", err)
	}
	return nil
}

func (a *asker) oneByOne(ctx context.Context, docs iter.Seq2[*pamio.Conversation, error]) error {
	var group errgroup.Group
	group.SetLimit(a.x.o.Parallel)
	var fromDocs error
	for c, err := range a.x.all(docs) {
		if err != nil {
			fromDocs = err
			break
		}
		if ctx.Err() != nil || a.failed() != nil {
			break
		}
		group.Go(func() error {
			if a.failed() == nil {
				a.fail(a.answerChunk(ctx, c))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(a.failed(), fromDocs)
}

// all gives the chunks of documents.
func (x *Extractor) all(docs iter.Seq2[*pamio.Conversation, error]) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		for doc, err := range docs {
			if err != nil {
				yield(chunk{}, err)
				return
			}
			for _, c := range x.chunks(doc) {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// answerChunk makes sure that a chunk is answered: from what is recorded, else by asking; its
// halves, when it was too much.
func (a *asker) answerChunk(ctx context.Context, c chunk) error {
	text := c.text()
	k := a.x.chunkKey(text)
	old, err := a.recorded(ctx, k)
	if err != nil {
		return err
	}
	switch old.State {
	case stateOK, stateFailed:
		return nil
	case stateSplit:
		return a.answerHalves(ctx, c)
	}
	if !a.begin(k) {
		return nil
	}
	r, err := a.ask(ctx, text)
	if err != nil {
		return err
	}
	return a.recordAnswer(ctx, c, k, r)
}

// recordAnswer records an answer, and goes on with the halves when it says so.
func (a *asker) recordAnswer(ctx context.Context, c chunk, k string, r recorded) error {
	if r.State == stateSplit {
		if c.halves() == nil {
			r.State = stateFailed
		}
	}
	r.Model, r.Conversation = a.x.o.Model, c.doc.ID
	if err := a.put(ctx, k, r); err != nil {
		return err
	}
	if r.State == stateSplit {
		return a.answerHalves(ctx, c)
	}
	return nil
}

func (a *asker) answerHalves(ctx context.Context, c chunk) error {
	for _, half := range c.halves() {
		if err := a.failed(); err != nil {
			return err
		}
		if err := a.answerChunk(ctx, half); err != nil {
			return err
		}
	}
	return nil
}

// recorded gives what is kept under a key; the zero record for nothing, or for what is not one of
// ours.
func (a *asker) recorded(ctx context.Context, k string) (recorded, error) {
	value, ok, err := a.answers.Get(ctx, k)
	if err != nil {
		return recorded{}, fmt.Errorf("read recorded answer: %w", err)
	}
	if !ok {
		return recorded{}, nil
	}
	r, _ := parseRecorded(value)
	return r, nil
}

// put records the state of a question. An answer is recorded once: a result of another worker may
// have been made from it.
func (a *asker) put(ctx context.Context, k string, r recorded) error {
	before, err := a.recorded(ctx, k)
	if err != nil || before.State == stateOK {
		return err
	}
	value, err := r.marshal()
	if err != nil {
		return err
	}
	if err := a.answers.Put(ctx, k, value); err != nil {
		return fmt.Errorf("record answer: %w", err)
	}
	return nil
}
