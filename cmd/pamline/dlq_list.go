package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/pipeline"
)

type dlqListCommand struct{ dlqFlags }

func (dlqListCommand) Help() string {
	return "Lists work that failed too often or permanently, oldest first. The source is the cluster of nats.url, else the running service,\n" +
		"else the data folder, for which read access is enough.\n\n" +
		"Example:\n  pamline dlq list --owner me --stage extract"
}

func (c *dlqListCommand) Run(a *app) error {
	return c.within(a, false, func(ctx context.Context, l letters, _ *running) error {
		w := bufio.NewWriter(a.stdout)
		n, err := c.list(ctx, l, w)
		if err == nil && c.json() {
			_, err = io.WriteString(w, end(n))
		} else if err == nil && n == 0 {
			a.say("no dead letters%s", c.of())
		}
		if flushed := w.Flush(); err == nil {
			err = flushed
		}
		return err
	})
}

// of says what was asked for.
func (c dlqFlags) of() string {
	out := ""
	if c.Owner != "" {
		out += " of owner " + c.Owner
	}
	if c.Stage != "" {
		out += " in stage " + c.Stage
	}
	return out
}

// list writes page by page.
func (c *dlqListCommand) list(ctx context.Context, l letters, w io.Writer) (n int, err error) {
	for f := c.filter(); ; {
		page, err := l.Page(ctx, f)
		if err != nil {
			return n, err
		}
		for _, one := range page.Letters {
			if c.json() {
				err = element(w, n, one)
			} else {
				err = line(w, n, one)
			}
			if err != nil {
				return n, fmt.Errorf("write list: %w", err)
			}
			n++
		}
		if page.Next == 0 {
			return n, nil
		}
		f.After, f.UpTo = page.Next, page.UpTo
	}
}

// element writes the nth of a JSON array, a line each; end closes it.
func element(w io.Writer, n int, v any) error {
	before := ",\n "
	if n == 0 {
		before = "[\n "
	}
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, before+string(body))
	return err
}

func end(n int) string {
	if n == 0 {
		return "[]\n"
	}
	return "\n]\n"
}

const dlqLine = "%-12s  %-8s  %-20s  %-9s  %8s  %-20s  %s\n"

func line(w io.Writer, n int, l pipeline.Letter) error {
	if n == 0 {
		if _, err := fmt.Fprintf(w, dlqLine, "ID", "STAGE", "OWNER", "CLASS", "ATTEMPTS", "FAILED", "REASON"); err != nil {
			return err
		}
	}
	owner := l.Owner
	if owner == "" {
		owner = "-"
	}
	reason, _, _ := strings.Cut(l.Reason, "\n")
	_, err := fmt.Fprintf(w, dlqLine, l.ID, l.Stage, owner, l.Class, fmt.Sprint(l.Attempts), visible(l.At, ""), visible(reason, ""))
	return err
}
