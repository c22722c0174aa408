package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pipeline"
)

type dlqShowCommand struct {
	Letter string `arg:"" name:"LETTER" help:"Id of a dead letter, or at least its first four characters."`
	dlqFlags
}

func (dlqShowCommand) Help() string {
	return "Shows what failed, how often, why, what to do, and the message of the queue.\n\n" +
		"Example:\n  pamline dlq show 3fa9c2"
}

func (c *dlqShowCommand) Run(a *app) error {
	return c.within(a, false, func(ctx context.Context, l letters, _ *running) error {
		one, err := c.one(ctx, l, c.Letter)
		if err != nil {
			return err
		}
		return c.print(a, shown{one})
	})
}

// one is the letter that an id begins.
func (c dlqFlags) one(ctx context.Context, l letters, id string) (pipeline.Letter, error) {
	f := c.filter()
	f.ID = id
	page, err := l.Page(ctx, f)
	switch {
	case errors.Is(err, pipeline.ErrLetterID):
		return pipeline.Letter{}, exit.With(exit.Usage, err)
	case err != nil:
		return pipeline.Letter{}, err
	case len(page.Letters) == 0:
		return pipeline.Letter{}, fmt.Errorf("dlq: there is no dead letter %s%s: `pamline dlq list` lists all", id, c.of())
	case len(page.Letters) > 1:
		return pipeline.Letter{}, exit.With(exit.Usage, fmt.Errorf("dlq: %d ids start with %s: give more characters", len(page.Letters), id))
	}
	return page.Letters[0], nil
}

type shown struct{ pipeline.Letter }

func (s shown) WriteText(out io.Writer) error {
	w := bufio.NewWriter(out)
	for _, f := range []struct{ name, value string }{
		{"id", s.ID}, {"stage", s.Stage}, {"owner", s.Owner}, {"drop", s.Drop}, {"import", s.Import}, {"shard", s.Shard},
		{"class", string(s.Class)}, {"attempts", fmt.Sprint(s.Attempts)}, {"failed", s.At}, {"reason", s.Reason}, {"next", s.Hint},
		{"subject", s.Subject}, {"task", string(s.Task)}, {"in stream", fmt.Sprintf("%s, message %d", pipeline.StreamDLQ, s.Seq)},
	} {
		if f.value == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-10s %s\n", f.name, visible(f.value, "\n\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}
