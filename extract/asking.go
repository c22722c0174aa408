package extract

import (
	"context"
	"iter"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Asking is an extractor that asks a service outside of this process. It works in two steps, so
// that what was answered is an input like any other: Ask gets the answers that are missing and
// records each, Read makes candidates of recorded ones and asks nothing. Read is a pure function of
// its arguments; Extract is Read without answers.
type Asking interface {
	Extractor
	// Ask makes sure that everything about the documents is answered. What is recorded is not asked
	// again, so that a rerun is free; what fails for good is recorded as failed. The error is that
	// of ctx, of answers, of docs, or of the service when it cannot be asked at all (an *AskError);
	// what was answered before it is kept.
	Ask(ctx context.Context, docs iter.Seq2[*pamio.Conversation, error], answers Answers) (Usage, error)
	// Read makes candidates of the recorded answers about one document. An answer that is missing
	// or failed is counted in Report.Failed.
	Read(ctx context.Context, doc *pamio.Conversation, answers Answers) ([]normalize.Candidate, Report, error)
	// Estimate tells what Ask would send for a document, without asking.
	Estimate(doc *pamio.Conversation) Usage
}

// Answers keeps what a service answered, by key. Keys are lower-case hex digests, with an optional
// prefix "batch-". It is safe for concurrent use.
type Answers interface {
	// Get gives a recorded value; ok is false when there is none.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Put records a value, durably when it returns.
	Put(ctx context.Context, key string, value []byte) error
	// Spent is what the owner's import has used so far, all workers together as far as is recorded;
	// Spend adds to it, durably.
	Spent(ctx context.Context) (Usage, error)
	Spend(ctx context.Context, u Usage) error
}

// Usage is what asking takes.
type Usage struct {
	Requests int64 `json:"requests"`
	// Input and Output are tokens: counted by the service, or estimated before.
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	// MicroUSD is the price in millionths of a dollar, by the prices in the settings; 0 when they
	// are not set.
	MicroUSD int64 `json:"micro_usd"`
}

// Add sums two.
func (u *Usage) Add(o Usage) {
	u.Requests += o.Requests
	u.Input += o.Input
	u.Output += o.Output
	u.MicroUSD += o.MicroUSD
}

// AskError is a service that cannot be asked now or at all.
type AskError struct {
	Err error
	// Permanent: asking again does not help before somebody changes something (a key, a model's
	// name, the budget).
	Permanent bool
	// Hint tells the person what to do.
	Hint string
}

func (e *AskError) Error() string { return e.Err.Error() }

func (e *AskError) Unwrap() error { return e.Err }
