package main

import (
	"errors"
	"iter"
	"time"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/search"
)

type conversationsCommand struct {
	period
	Title string `placeholder:"WORDS" help:"Only with these words in the title, as pamline search reads them."`
	Limit int    `placeholder:"N" default:"50" help:"Show at most N conversations, the newest first. 0 shows all."`
	Path  string `arg:"" optional:"" type:"path" help:"An owner of the data folder, a bundle (folder or zip) or a store file. Default: the store of the data folder."`
	bundleFlags
	format
}

func (conversationsCommand) Help() string {
	return "Lists conversations with id, date, provider, number of messages and title, the newest first. pamline show reads one.\n\n" +
		"Examples:\n  pamline conversations --since 2025 --provider claude\n  pamline conversations --title \"tokyo hotel\" --limit 0 --format json"
}

func (c *conversationsCommand) Run(a *app) (err error) {
	since, until, err := c.bounds(time.Now())
	if err != nil {
		return err
	}
	matches := func(string) bool { return true }
	if c.Title != "" {
		q, err := search.ParseQuery(c.Title)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		matches = q.Matches
	}
	if c.Limit < 0 {
		return exit.With(exit.Usage, errors.New("conversations: --limit is below 0"))
	}
	path, remove, err := c.bundle(a, c.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b, err := openBundle(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	what := "conversations"
	if c.period != (period{}) || c.Title != "" {
		what = "such conversations"
	}
	return printList(a, c.format, what, c.Limit, func(folder string) iter.Seq2[inspect.Conversation, error] {
		return inspect.Conversations(a.ctx, b, folder, true, func(e *pamio.IndexEntry) bool {
			title := ""
			if e.Title != nil {
				title = *e.Title
			}
			return (c.Provider == "" || e.Platform == c.Provider) && matches(title) && overlaps(e.Temporal, since, until)
		})
	})
}

// overlaps tells whether a conversation went on within bounds.
func overlaps(t pamio.Span, since, until int64) bool {
	last := t.UpdatedAt
	if last == "" {
		last = t.CreatedAt
	}
	return withinBounds(last, since, 0) && withinBounds(t.CreatedAt, 0, until)
}
