package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/pamline/pamline/pipeline"
)

// watchEvery is how often imports are looked at.
const watchEvery = time.Second

// watch shows imports until all have ended: drawn again on a terminal, line by line as they change elsewhere.
func watch(a *app, l *lister, q pipeline.Query, asJSON bool) error {
	show := shower(a.stdout, asJSON)
	for {
		list, err := l.list(a.ctx, q)
		if err != nil {
			return err
		}
		if err := show(list.Imports); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if !slices.ContainsFunc(list.Imports, pipeline.Status.Open) {
			return nil
		}
		select {
		case <-a.ctx.Done():
			return a.ctx.Err()
		case <-time.After(watchEvery):
		}
	}
}

func shower(w io.Writer, asJSON bool) func([]pipeline.Status) error {
	if asJSON {
		return (&changes{w: w, line: func(s pipeline.Status) ([]byte, error) {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			err := e.Encode(s)
			return b.Bytes(), err
		}}).show
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return (&screen{w: w, size: func() (int, int) {
			width, height, err := term.GetSize(int(f.Fd()))
			if err != nil || width < 20 || height < 4 {
				return 80, 24
			}
			return width, height
		}}).show
	}
	return (&changes{w: w, line: func(s pipeline.Status) ([]byte, error) { return []byte(statusLine(s) + "\n"), nil }}).show
}

// changes writes a line for each import that has changed since it was written last.
type changes struct {
	w    io.Writer
	line func(pipeline.Status) ([]byte, error)
	last map[string]string
}

func (c *changes) show(list []pipeline.Status) error {
	now := make(map[string]string, len(list))
	for _, s := range list {
		line, err := c.line(s)
		if err != nil {
			return err
		}
		key := s.Owner + "/" + s.Import
		if s.Import == "" {
			key = s.Owner + "/" + s.Drop
		}
		now[key] = string(line)
		if c.last[key] == string(line) {
			continue
		}
		if _, err := c.w.Write(line); err != nil {
			return err
		}
	}
	c.last = now
	return nil
}

// screen draws the list in the place where it drew it before.
type screen struct {
	w     io.Writer
	size  func() (width, height int)
	drawn int
}

func (s *screen) show(list []pipeline.Status) error {
	width, height := s.size()
	var b bytes.Buffer
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn) // up
	}
	b.WriteString("\r\x1b[J") // what is below goes
	s.drawn = 0
	line := func(text string) {
		if r := []rune(text); len(r) > width-1 {
			text = string(r[:width-1])
		}
		b.WriteString(text + "\n")
		s.drawn++
	}
	if len(list) == 0 {
		line("There are no imports yet.")
	}
	for i, one := range list {
		if i == height-2 && len(list) > height-1 {
			line(fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		line(screenLine(one))
	}
	_, err := s.w.Write(b.Bytes())
	return err
}

// screenLine has what changes on the left, so that a narrow terminal shows it.
func screenLine(s pipeline.Status) string {
	id := s.Import
	if id == "" {
		id = s.Drop
	}
	return fmt.Sprintf("%-8s %-12s %-16s %s %s, %d/%d shards%s", id[:min(8, len(id))], s.Owner, s.State, bar(s, 20),
		plural(s.Conversations, "conversation"), s.Extracted, s.Shards, pace(s))
}
