package main

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/builtin"
)

type extractCommand struct {
	Extractors []string `placeholder:"LIST" help:"Which extractors to ask, by name or version, separated by commas. Default: all."`
	settings
}

func (extractCommand) Help() string {
	return "Standard input has one PAM conversation document a line, standard output one candidate a line. A line that is no\n" +
		"conversation is named on standard error and passed over; then the exit code is 3.\n\n" +
		"Example:\n  jq -c . pam-out/bundle/conversations/*.json | pamline extract --extractors harvest"
}

func (c *extractCommand) Run(a *app) error {
	settings, err := c.load(a, nil)
	if err != nil {
		return err
	}
	picked, err := builtin.Registry().Select(c.Extractors...)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	stats, err := extract.RunLines(a.ctx, a.stdin, a.stdout, picked, extract.LineOptions{MaxLine: lineLimit(settings)})
	for _, e := range stats.Errors {
		a.say("%v", e)
	}
	if more := stats.Failed - int64(len(stats.Errors)); more > 0 {
		a.say("and %d more lines that could not be read", more)
	}
	switch {
	case err != nil:
		return err
	case stats.Failed > 0 && stats.Conversations == 0:
		return errors.New("extract: no line was a conversation")
	case stats.Failed > 0:
		return exit.With(exit.Partial, fmt.Errorf("extract: %d of %d lines could not be read", stats.Failed, stats.Failed+stats.Conversations))
	}
	return nil
}

// lineLimit allows a document its source and a quarter more: so much larger it may be (ARCHITECTURE.md, Losslessness).
func lineLimit(c *config.Config) int {
	return int(c.Limits.MaxConversation + c.Limits.MaxConversation/4 + 1<<20)
}
