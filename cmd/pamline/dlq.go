package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/replay"
)

type dlqCommand struct {
	List    dlqListCommand    `cmd:"" default:"withargs" help:"List dead letters: work that failed permanently."`
	Show    dlqShowCommand    `cmd:"" help:"Show one dead letter."`
	Redrive dlqRedriveCommand `cmd:"" help:"Retry failed work."`
}

// dlqFlags select dead letters.
type dlqFlags struct {
	Data  string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	Owner string `placeholder:"ID" type:"owner" help:"Only those of this owner."`
	Stage string `placeholder:"STAGE" help:"Only those of this stage: inbox, ingest, extract or assemble."`
	settings
	format
}

func (c dlqFlags) filter() replay.Filter {
	return replay.Filter{Owner: c.Owner, Stage: c.Stage}
}

// open reads the settings, and refuses a wrong selection before anything is opened.
func (c dlqFlags) open(a *app) (*config.Config, error) {
	if err := c.filter().Check(); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return c.load(a, map[string]string{"data": c.Data})
}

// find returns the one dead letter that an id begins.
func (c dlqFlags) find(ctx context.Context, v pipeline.Viewer, id string) (replay.DeadLetter, error) {
	f := c.filter()
	f.ID, f.WrongUploads, f.Limit = id, true, 2
	page, err := v.DeadLetters(ctx, f)
	switch {
	case err != nil:
		return replay.DeadLetter{}, letterError(err)
	case len(page.Letters) == 0:
		return replay.DeadLetter{}, fmt.Errorf("dlq: there is no dead letter %s%s: `pamline dlq list` lists all", id, c.scope())
	case len(page.Letters) > 1:
		return replay.DeadLetter{}, exit.With(exit.Usage, fmt.Errorf("dlq: several ids start with %s: give more characters", id))
	}
	return page.Letters[0], nil
}

// scope says which dead letters the flags select.
func (c dlqFlags) scope() string {
	out := ""
	if c.Owner != "" {
		out += " of owner " + c.Owner
	}
	if c.Stage != "" {
		out += " in stage " + c.Stage
	}
	return out
}

// letterError makes the error of a wrong selection one of use.
func letterError(err error) error {
	if errors.Is(err, replay.ErrFilter) {
		return exit.With(exit.Usage, err)
	}
	return queryError(err)
}
