package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/config"
)

type configCommand struct {
	Lint  configLint  `cmd:"" help:"Check the settings without touching the network."`
	Check configCheck `cmd:"" help:"Check the settings against the real storage, message server and models."`
	Print configPrint `cmd:"" help:"Show the settings in effect, with secrets hidden."`
}

type configLint struct {
	settings
	format
}

func (configLint) Help() string {
	return "Example:\n  pamline config lint --config pamline.yaml"
}

// findings are the problems of a configuration.
type findings struct {
	Valid    bool             `json:"valid"`
	Problems []config.Problem `json:"problems"`
}

func (f *findings) WriteText(w io.Writer) error {
	for _, p := range f.Problems {
		if _, err := fmt.Fprintf(w, "%s: %s\n", p.Severity, p); err != nil {
			return err
		}
	}
	if f.Valid {
		_, err := fmt.Fprintln(w, "The settings are valid.")
		return err
	}
	return nil
}

func (c *configLint) Run(a *app) error {
	loaded, err := c.load(a, nil)
	f := &findings{Valid: err == nil, Problems: []config.Problem{}}
	var problems config.Problems
	switch {
	case errors.As(err, &problems):
		f.Problems = problems
	case err != nil:
		return err
	default:
		f.Problems = append(f.Problems, loaded.Lint()...)
	}
	if err := c.print(a, f); err != nil {
		return err
	}
	if !f.Valid {
		return exit.With(exit.Failed, nil)
	}
	return nil
}

type configPrint struct {
	settings
	format
}

func (configPrint) Help() string {
	return "Prints a configuration file with all settings in effect.\n\n" +
		"Example:\n  pamline config print --set limits.max_conversation=8MB > pamline.yaml"
}

func (c *configPrint) Run(a *app) error {
	loaded, err := c.load(a, nil)
	if err != nil {
		return err
	}
	return c.print(a, printed{loaded})
}

// printed shows a configuration as YAML to a person, and as an object to a program.
type printed struct{ *config.Config }

func (p printed) WriteText(w io.Writer) error { return p.Print(w) }
