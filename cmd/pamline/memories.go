package main

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/pamio"
)

type memoriesCommand struct {
	period
	Type      []string `placeholder:"TYPE" help:"Only of these types, for example fact,preference."`
	Status    []string `placeholder:"STATUS" help:"Only with this status: active, superseded, retracted, archived or deprecated. Default: all."`
	Topic     []string `placeholder:"TOPIC" help:"Only about these topics, for example health,food: the tags of a memory."`
	Sensitive string   `enum:"any,yes,no" default:"any" help:"Only sensitive memories (yes), only others (no), or any."`
	Limit     int      `placeholder:"N" default:"0" help:"Show at most N memories. 0 shows all."`
	Path      string   `arg:"" optional:"" type:"path" help:"An owner of the data folder, a bundle (folder or zip) or a store file. Default: the store of the data folder."`
	bundleFlags
	format
	outgoing `kong:"-"`
}

func (memoriesCommand) Help() string {
	return "Lists memories by type, active ones first. pamline show ID shows where a memory comes from, pamline edit corrects it.\n\n" +
		"Examples:\n  pamline memories --type preference --status active\n  pamline memories --topic health --sensitive yes\n  pamline memories --until 2y --format json"
}

// statuses are those that PAM knows (PAM §6).
var statuses = []string{"active", "superseded", "deprecated", "retracted", "archived"}

func (c *memoriesCommand) Run(a *app) (err error) {
	since, until, err := c.bounds(time.Now())
	if err != nil {
		return err
	}
	for _, s := range c.Status {
		if !slices.Contains(statuses, s) {
			return exit.With(exit.Usage, fmt.Errorf("memories: there is no status %q: use one of %s", s, strings.Join(statuses, ", ")))
		}
	}
	if c.Limit < 0 {
		return exit.With(exit.Usage, errors.New("memories: --limit is below 0"))
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
	what := "memories"
	if c.isFiltered() {
		what = "such memories"
	}
	return printList(a, c.format, what, c.Limit, func(folder string) iter.Seq2[inspect.Memory, error] {
		return inspect.Memories(a.ctx, b, folder, func(m *pamio.Memory) bool {
			return c.wants(m) && withinBounds(m.Temporal.CreatedAt, since, until)
		})
	})
}

func (c *memoriesCommand) isFiltered() bool {
	return c.period != (period{}) || len(c.Type)+len(c.Status)+len(c.Topic) > 0 || c.Sensitive != "any"
}

// wants tells whether the flags choose a memory.
func (c *memoriesCommand) wants(m *pamio.Memory) bool {
	isType := func(t string) bool { return t == m.Type || t == m.CustomType && t != "" }
	switch {
	case c.isWithheld(m):
		return false
	case c.Provider != "" && m.Provenance.Platform != c.Provider:
		return false
	case len(c.Type) > 0 && !slices.ContainsFunc(c.Type, isType):
		return false
	case len(c.Status) > 0 && !slices.Contains(c.Status, m.Status):
		return false
	case len(c.Topic) > 0 && !slices.ContainsFunc(c.Topic, func(t string) bool { return slices.Contains(m.Tags, t) }):
		return false
	case c.Sensitive != "any" && slices.Contains(m.Tags, "sensitive") != (c.Sensitive == "yes"):
		return false
	}
	return true
}
