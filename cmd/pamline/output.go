package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// format is the flag of commands that report.
type format struct {
	Format string `enum:"text,json" default:"text" help:"text for a person, json for a program."`
}

func (f format) json() bool { return f.Format == "json" }

// text is something that a person can read.
type text interface{ WriteText(io.Writer) error }

// print writes a report to standard output in the form that was asked for.
func (f format) print(a *app, report text) error {
	if f.json() {
		return printJSON(a.stdout, report)
	}
	w := &page{bufio.NewWriter(a.stdout), a.style, listWidth(a.stdout)}
	if err := report.WriteText(w); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// printJSON writes a report as one indented JSON document.
func printJSON(w io.Writer, report any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(report); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
