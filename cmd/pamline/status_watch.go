package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/status"
)

// watchEvery is how often imports are looked at.
const watchEvery = time.Second

// watch shows imports until all have ended: redrawn on a terminal, line by line as they change
// elsewhere. It waits for the first import, and for a data folder that has no store yet.
func (c *statusCommand) watch(a *app, loaded *config.Config) error {
	show, told := rowWriter(a.stdout, c.json()), false
	for {
		list, err := c.watched(a, loaded)
		if err != nil {
			return err
		}
		if len(list) == 0 && !told {
			a.say("waiting for the first import; Ctrl-C ends this")
			told = true
		}
		if err := show(list); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if len(list) > 0 && !slices.ContainsFunc(list, status.Row.IsOpen) {
			return nil
		}
		select {
		case <-a.ctx.Done():
			return a.ctx.Err()
		case <-time.After(watchEvery):
		}
	}
}

// watched lists what is watched. The viewer is opened each time, for a service may start or stop
// meanwhile.
func (c *statusCommand) watched(a *app, loaded *config.Config) (list []status.Row, err error) {
	if requireStore(loaded) != nil {
		return nil, nil // nothing has started
	}
	err = withViewer(a, loaded, func(v pipeline.Viewer) error {
		if c.Import != "" {
			row, err := findImport(a.ctx, v, c.Owner, c.Import)
			list = []status.Row{row}
			return err
		}
		found, err := v.Imports(a.ctx, c.query())
		list = found.Imports
		return queryError(err)
	})
	return list, err
}

func rowWriter(w io.Writer, asJSON bool) func([]status.Row) error {
	if asJSON {
		return (&changes{w: w, line: func(s status.Row) ([]byte, error) {
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
	return (&changes{w: w, line: func(s status.Row) ([]byte, error) {
		var b bytes.Buffer
		err := statusList{s}.table(usualWidth).writeRows(printTo(&b))
		return b.Bytes(), err
	}}).show
}

// changes writes each import that has changed since it was written last.
type changes struct {
	w    io.Writer
	line func(status.Row) ([]byte, error)
	last map[string]string
}

func (c *changes) show(list []status.Row) error {
	now := make(map[string]string, len(list))
	for _, s := range list {
		line, err := c.line(s)
		if err != nil {
			return err
		}
		key := s.Owner + "/" + s.Drop
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

func (s *screen) show(list []status.Row) error {
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
		line("Waiting for the first import.")
		_, err := s.w.Write(b.Bytes())
		return err
	}
	var text strings.Builder
	if err := statusList(list).table(width - 1).WriteText(&text); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for i, l := range lines {
		if i == height-2 && len(lines) > height-1 {
			line(fmt.Sprintf("and %d more lines", len(lines)-i))
			break
		}
		line(l)
	}
	_, err := s.w.Write(b.Bytes())
	return err
}
