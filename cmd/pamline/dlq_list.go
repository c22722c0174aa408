package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/replay"
)

type dlqListCommand struct {
	Refused bool `help:"List refused uploads, too: files that are not exports. They need no retry."`
	dlqFlags
}

func (dlqListCommand) Help() string {
	return "Lists work that failed permanently, or too often. Its results are missing from the stores. Read access to the store is enough.\n\n" +
		"Example:\n  pamline dlq list --owner me --stage extract"
}

func (c *dlqListCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	return withViewer(a, loaded, func(v pipeline.Viewer) error { return c.list(a, v) })
}

// list writes page by page.
func (c *dlqListCommand) list(a *app, v pipeline.Viewer) error {
	w := &page{bufio.NewWriter(a.stdout), a.style, listWidth(a.stdout)}
	f := c.filter()
	f.WrongUploads = c.Refused
	n := 0
	for more := true; more; more = f.After != "" {
		found, err := v.DeadLetters(a.ctx, f)
		if err != nil {
			return letterError(err)
		}
		if c.json() {
			err = writeElements(w, n, found.Letters)
		} else {
			err = letterTable(found.Letters, w.width).WriteText(w)
		}
		if err != nil {
			return fmt.Errorf("write list: %w", err)
		}
		n += len(found.Letters)
		f.After = found.Next
	}
	switch {
	case c.json():
		if _, err := io.WriteString(w, endOfArray(n)); err != nil {
			return fmt.Errorf("write list: %w", err)
		}
	case n == 0:
		a.say("no dead letters%s", c.scope())
	}
	return w.Flush()
}

// writeElements writes elements of a JSON array, a line each, after the first n. endOfArray closes
// it.
func writeElements[T any](w io.Writer, n int, all []T) error {
	for i, v := range all {
		before := ",\n "
		if n+i == 0 {
			before = "[\n "
		}
		body, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if _, err = io.WriteString(w, before+string(body)); err != nil {
			return err
		}
	}
	return nil
}

func endOfArray(n int) string {
	if n == 0 {
		return "[]\n"
	}
	return "\n]\n"
}

// letterTable lists dead letters, each with its reason and what to do.
func letterTable(all []replay.DeadLetter, width int) table {
	t := table{width: width, columns: []column{{name: "ID"}, {name: "TIME"}, {name: "OWNER", most: 12}, {name: "FILE", flexible: true}, {name: "PROVIDER", most: 12}, {name: "STAGE"}}}
	for _, l := range all {
		notes := []string{"reason: " + reasonOf(l)}
		if l.Hint != "" {
			notes = append(notes, "next: "+l.Hint)
		}
		t.rows = append(t.rows, row{
			cells: []string{l.ID, timeCell(l.FailedAt.Format(time.RFC3339)), l.Owner, joinLimited(l.Files, 2), joinLimited(l.Providers, 2), l.Stage},
			notes: notes,
		})
	}
	return t
}

// reasonOf is the first line of why work failed.
func reasonOf(l replay.DeadLetter) string {
	reason := l.Reason
	if l.Unusable != "" {
		reason = l.Unusable
	}
	reason, _, _ = strings.Cut(reason, "\n")
	return reason
}
