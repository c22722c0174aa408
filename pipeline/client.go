package pipeline

import (
	"context"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// Client has work done and reports on it. Whoever does the work, commands use it in the same way:
// this process or the workers of a cluster (*[Pipeline]), or the service of a data folder (over
// HTTP).
//
// Ask and Redrive return when the request is in storage: its generation, or a later one, ends,
// whatever crashes. An error of class Permanent tells that the request itself must change. Packages
// replay and edit work with a Client: they need a worker and the store.
type Client interface {
	replay.Worker
	// Replace wants a rewritten import in the place of all that the store has of a drop
	// ([job.Jobs.Replace]).
	Replace(ctx context.Context, ref job.Ref, id string, past []string) (job.Asked, error)
	Viewer
}

// Viewer reports on imports. It changes nothing. A storage that does not answer is a fault of class
// Outage within a few seconds.
type Viewer interface {
	// Imports lists one page of imports: running ones first, then the newest.
	Imports(ctx context.Context, q status.Query) (status.Page, error)
	// Report returns the receipt of an ended generation, 0 for the newest; of one that was not
	// accepted, a report in the same form.
	Report(ctx context.Context, ref job.Ref, gen int) (state.Receipt, error)
	// DeadLetters lists one page of dead letters.
	DeadLetters(ctx context.Context, f replay.Filter) (replay.LetterPage, error)
}
