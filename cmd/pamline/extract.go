package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/pamline/pamline/cmd/internal/answers"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/extract"
)

type extractCommand struct {
	Extractors []string `placeholder:"LIST" help:"Extractors to use, by name or version, separated by commas: harvest, rules, llm. Default: the setting extract.extractors."`
	Rejects    string   `placeholder:"FILE" type:"path" help:"Write the statements that were not made memories to FILE, one JSON object per line: reason, rule and place, without the text."`
	Answers    string   `placeholder:"DIR" type:"path" help:"Save the answers of a model in DIR and reuse them. Default: answers are not saved."`
	settings
}

func (extractCommand) Help() string {
	return "Reads PAM conversation documents from standard input, one per line, and writes the memories found to standard output, one JSON\n" +
		"object per line. Lines that are not conversations are reported on standard error and skipped; the exit code is then 3.\n\n" +
		"Example:\n  jq -c . pam-out/bundle/conversations/*.json | pamline extract --extractors harvest"
}

func (c *extractCommand) Run(a *app) (err error) {
	settings, err := c.load(a, nil)
	if err != nil {
		return err
	}
	known, err := wiring.Extractors(settings)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	picked, err := known.Select(c.Extractors...)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	o := extract.LineOptions{MaxLine: lineLimit(settings)}
	if o.Answers, err = answers.Open(c.Answers); err != nil {
		return err
	}
	if c.Rejects != "" {
		f, failed := os.OpenFile(c.Rejects, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if failed != nil {
			return fmt.Errorf("write rejects: %w", failed)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		o.Rejects = f
	}
	stats, err := extract.RunLines(a.ctx, a.stdin, a.stdout, picked, o)
	for _, e := range stats.Errors {
		a.say("%v", e)
	}
	if more := stats.Failed - int64(len(stats.Errors)); more > 0 {
		a.say("and %d more lines cannot be read", more)
	}
	unanswered := 0
	for i, r := range stats.Reports {
		if t := stats.Troubles[i]; t != nil {
			a.say("%s: %v: %s", picked[i].Name(), t, t.Hint)
		}
		for _, reason := range slices.Sorted(maps.Keys(r.Failed)) {
			a.say("%s: %d × %s", picked[i].Name(), r.Failed[reason], reason)
			unanswered += r.Failed[reason]
		}
	}
	switch {
	case err != nil:
		return err
	case unanswered > 0 && stats.Candidates == 0:
		return fmt.Errorf("extract: nothing was found, and the model left %d questions unanswered", unanswered)
	case unanswered > 0:
		return exit.With(exit.Partial, fmt.Errorf("extract: the model left %d questions unanswered", unanswered))
	case stats.Failed > 0 && stats.Conversations == 0:
		return errors.New("extract: no line is a conversation")
	case stats.Failed > 0:
		return exit.With(exit.Partial, fmt.Errorf("extract: %d of %d lines cannot be read", stats.Failed, stats.Failed+stats.Conversations))
	}
	return nil
}

// lineLimit allows a document its source and a quarter more: so much larger it may be
// (ARCHITECTURE.md, Losslessness).
func lineLimit(c *config.Config) int {
	return int(c.Limits.MaxConversation + c.Limits.MaxConversation/4 + 1<<20)
}
