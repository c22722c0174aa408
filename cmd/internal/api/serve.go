package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// The paths of the admin API: one for each method of pipeline.Client.
const (
	askPath         = "/admin/ask"
	replacePath     = "/admin/replace"
	erasePath       = "/admin/erase"
	redrivePath     = "/admin/redrive"
	waitPath        = "/admin/wait"
	importsPath     = "/admin/imports"
	reportPath      = "/admin/report"
	deadLettersPath = "/admin/dead-letters"
	pingPath        = "/admin/ping"
)

// jobRequest names a job, or a generation of it.
type jobRequest struct {
	Owner string   `json:"owner"`
	Drop  string   `json:"drop"`
	Gen   int      `json:"gen,omitempty"`
	Want  job.Want `json:"want,omitzero"`
	// Import and Past are those of a request to replace.
	Import string   `json:"import,omitempty"`
	Past   []string `json:"past,omitempty"`
}

func (r jobRequest) ref() job.Ref { return job.Ref{Owner: r.Owner, Drop: r.Drop} }

func requestOf(ref job.Ref, gen int) jobRequest {
	return jobRequest{Owner: ref.Owner, Drop: ref.Drop, Gen: gen}
}

// generation is the answer to a request for work.
type generation struct {
	Gen    int  `json:"gen"`
	Shared bool `json:"shared,omitempty"`
}

func (g generation) asked() job.Asked { return job.Asked{Gen: g.Gen, Shared: g.Shared} }

// waitAnswer has no record while the generation has not ended: the caller asks again.
type waitAnswer struct {
	Record *job.Record `json:"record"`
}

// pingAnswer tells how the service reads drops.
type pingAnswer struct {
	Reading string `json:"reading"`
}

// longestWait bounds one request to wait, so that a service that stops is not held up.
const longestWait = 2 * time.Second

// Serve makes a client available to commands through the admin API. reading is how it reads drops
// (pipeline.Options.ReadingID). handle registers a route.
func (a *Admin) Serve(handle func(pattern string, h http.Handler), c pipeline.Client, reading string) {
	post := func(path string, h http.Handler) { handle("POST "+path, h) }
	asked := func(j job.Asked, err error) (generation, error) { return generation{j.Gen, j.Shared}, err }
	post(askPath, answerWith(a, func(ctx context.Context, r jobRequest) (generation, error) {
		return asked(c.Ask(ctx, r.ref(), r.Want))
	}))
	post(redrivePath, answerWith(a, func(ctx context.Context, r jobRequest) (generation, error) {
		return asked(c.Redrive(ctx, r.ref()))
	}))
	post(replacePath, answerWith(a, func(ctx context.Context, r jobRequest) (generation, error) {
		return asked(c.Replace(ctx, r.ref(), r.Import, r.Past))
	}))
	if e, ok := c.(eraser); ok {
		post(erasePath, answerWith(a, func(ctx context.Context, r eraseRequest) (eraseAnswer, error) { return r.run(ctx, e) }))
	}
	post(waitPath, answerWith(a, func(ctx context.Context, r jobRequest) (waitAnswer, error) {
		limited, cancel := context.WithTimeout(ctx, longestWait)
		defer cancel()
		record, err := c.Wait(limited, r.ref(), r.Gen)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return waitAnswer{}, nil
		}
		return waitAnswer{&record}, err
	}))
	post(importsPath, answerWith(a, c.Imports))
	post(reportPath, answerWith(a, func(ctx context.Context, r jobRequest) (state.Receipt, error) {
		return c.Report(ctx, r.ref(), r.Gen)
	}))
	post(deadLettersPath, answerWith(a, c.DeadLetters))
	post(pingPath, answerWith(a, func(context.Context, struct{}) (pingAnswer, error) { return pingAnswer{reading}, nil }))
}

// Client is the service of a data folder, asked over HTTP.
type Client struct{ *Caller }

var _ pipeline.Client = Client{}

// Ask wants work for a drop.
func (c Client) Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error) {
	r := requestOf(ref, 0)
	r.Want = w
	answer, err := postRequest[generation](ctx, c.Caller, askPath, r)
	return answer.asked(), err
}

// Replace wants a rewritten import in the place of all that the store has of a drop.
func (c Client) Replace(ctx context.Context, ref job.Ref, id string, past []string) (job.Asked, error) {
	r := requestOf(ref, 0)
	r.Import, r.Past = id, past
	answer, err := postRequest[generation](ctx, c.Caller, replacePath, r)
	return answer.asked(), err
}

// Redrive wants the failed work of a job again.
func (c Client) Redrive(ctx context.Context, ref job.Ref) (job.Asked, error) {
	answer, err := postRequest[generation](ctx, c.Caller, redrivePath, requestOf(ref, 0))
	return answer.asked(), err
}

// Wait asks until the generation has ended.
func (c Client) Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error) {
	for {
		answer, err := postRequest[waitAnswer](ctx, c.Caller, waitPath, requestOf(ref, gen))
		if err != nil {
			return job.Record{}, err
		}
		if answer.Record != nil {
			return *answer.Record, nil
		}
	}
}

// Imports lists one page of imports.
func (c Client) Imports(ctx context.Context, q status.Query) (status.Page, error) {
	return postRequest[status.Page](ctx, c.Caller, importsPath, q)
}

// Report returns the receipt of an ended generation.
func (c Client) Report(ctx context.Context, ref job.Ref, gen int) (state.Receipt, error) {
	return postRequest[state.Receipt](ctx, c.Caller, reportPath, requestOf(ref, gen))
}

// DeadLetters lists one page of dead letters.
func (c Client) DeadLetters(ctx context.Context, f replay.Filter) (replay.LetterPage, error) {
	return postRequest[replay.LetterPage](ctx, c.Caller, deadLettersPath, f)
}

// postRequest posts a request and returns the decoded answer.
func postRequest[Out any](ctx context.Context, c *Caller, path string, request any) (answer Out, err error) {
	return answer, c.Post(ctx, path, request, &answer)
}
