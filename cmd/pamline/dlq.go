package main

import (
	"context"
	"errors"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pipeline"
)

type dlqCommand struct {
	List    dlqListCommand    `cmd:"" help:"List dead letters: work that failed permanently."`
	Show    dlqShowCommand    `cmd:"" help:"Show one dead letter."`
	Redrive dlqRedriveCommand `cmd:"" help:"Retry failed work."`
}

// letters are the dead letters of whoever does the work.
type letters interface {
	Page(ctx context.Context, f pipeline.LetterFilter) (pipeline.LetterPage, error)
	RedrivePage(ctx context.Context, f pipeline.LetterFilter) (pipeline.RedrivenPage, error)
}

// Where a service is asked for its letters: a pipeline.LetterFilter, answered by a page.
const (
	dlqListPath    = "/dlq/list"
	dlqRedrivePath = "/dlq/redrive"
)

// serviceLetters are those of a running service.
type serviceLetters struct{ *api.Caller }

func (s serviceLetters) Page(ctx context.Context, f pipeline.LetterFilter) (page pipeline.LetterPage, err error) {
	return page, s.ask(ctx, dlqListPath, f, &page)
}

func (s serviceLetters) RedrivePage(ctx context.Context, f pipeline.LetterFilter) (page pipeline.RedrivenPage, err error) {
	return page, s.ask(ctx, dlqRedrivePath, f, &page)
}

func (s serviceLetters) ask(ctx context.Context, path string, f pipeline.LetterFilter, page any) error {
	err := s.Post(ctx, path, f, page)
	if refused := (*api.RefusedError)(nil); errors.As(err, &refused) && refused.Wrong {
		return exit.With(exit.Usage, err)
	}
	return err
}

// dlqFlags choose letters.
type dlqFlags struct {
	Data  string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Owner string `placeholder:"ID" type:"owner" help:"Only those of this owner."`
	Stage string `placeholder:"STAGE" help:"Only those of this stage: events, take, ingest, extract or assemble."`
	settings
	format
}

func (c dlqFlags) filter() pipeline.LetterFilter {
	return pipeline.LetterFilter{Owner: c.Owner, Stage: c.Stage}
}

// within finds out who does the work and gives do its letters. With work set, this process does it when nobody else does,
// and here is its pipeline; otherwise the data folder is only looked at.
func (c dlqFlags) within(a *app, work bool, do func(ctx context.Context, l letters, here *running) error) (err error) {
	if err := c.filter().Check(); err != nil {
		return exit.With(exit.Usage, err)
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return err
	}
	hand := handOver
	if !work {
		hand = lookOver
	}
	h, err := hand(a.ctx, a, loaded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if work { // it may heal imports
		defer func() { err = errors.Join(err, a.refreshAllCopies(loaded)) }()
	}
	d, err := h.deps()
	if err != nil {
		return err
	}
	switch {
	case h.cluster != nil:
		return do(a.ctx, h.cluster.Letters(d), nil)
	case h.service != nil:
		return do(a.ctx, serviceLetters{h.service}, nil)
	case !work:
		return c.look(a.ctx, h, d, do)
	}
	p, err := start(a.ctx, d, h.here.data.Path())
	if err != nil {
		return err
	}
	err = do(p.ctx, p.Letters(), p)
	if p.ctx.Err() != nil && a.ctx.Err() == nil {
		err = nil // that the pipeline stopped by itself is what stop tells
	}
	return errors.Join(err, p.stop())
}

// look opens the copy of the letters that lookOver has made.
func (dlqFlags) look(ctx context.Context, h *handover, d pipeline.Deps, do func(context.Context, letters, *running) error) error {
	p, err := pipeline.OpenLocal(ctx, d, h.scratch)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(ctx, p.Letters(), nil)
}

// lettersOf are those that a service shows through its door.
func lettersOf(q queue, d pipeline.Deps) letters {
	switch p := q.(type) {
	case *running:
		return p.Letters()
	case *pipeline.Remote:
		return p.Letters(d)
	}
	return nil
}
