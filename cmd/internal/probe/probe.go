// Package probe tries the settings on what they name: the store, the message server, models,
// folders, addresses. Each part is asked at the same time as the others and tells of each step as
// it is done, so that one that hangs hides nothing but its own next step.
package probe

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// State is how a step went.
type State string

// A warning does not keep pamline from working; a note says what cannot be asked or is as it should
// be.
const (
	OK   State = "ok"
	Warn State = "warn"
	Fail State = "fail"
	Note State = "note"
)

// Line is one step of one part.
type Line struct {
	Part  string `json:"part"`
	What  string `json:"what"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"`
	Do    string `json:"do,omitempty"`
}

// Part is one thing that is probed.
type Part struct {
	Name string
	Run  func(ctx context.Context, say *Say)
}

// Say collects the lines of a part. It is safe for concurrent use, and takes nothing any more once
// its part was given up.
type Say struct {
	part  string
	mu    sync.Mutex
	lines []Line
	over  bool
}

func (s *Say) add(l Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		l.Part = s.part
		s.lines = append(s.lines, l)
	}
}

// OK tells that a step went well; why may be empty.
func (s *Say) OK(what, why string) { s.add(Line{What: what, State: OK, Why: why}) }

// Note tells something that is neither good nor bad.
func (s *Say) Note(what, why string) { s.add(Line{What: what, State: Note, Why: why}) }

// Warn tells of something that pamline works with, and what to do about it.
func (s *Say) Warn(what, why, do string) { s.add(Line{What: what, State: Warn, Why: why, Do: do}) }

// Fail tells of something that pamline does not work with. do may be empty when the error says what
// to do.
func (s *Say) Fail(what string, err error, do string) {
	s.add(Line{What: what, State: Fail, Why: err.Error(), Do: do})
}

// Try is OK or Fail, and tells whether it was OK.
func (s *Say) Try(what, do string, err error) bool {
	if err != nil {
		s.Fail(what, err, do)
		return false
	}
	s.OK(what, "")
	return true
}

// grace is what a part that has heard of the end of its time has to clean up.
const grace = 2 * time.Second

// All runs the parts side by side, each for timeout at most, and gives their lines in the order of
// the parts.
func All(ctx context.Context, timeout time.Duration, parts []Part) []Line {
	says := make([]*Say, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts {
		says[i] = &Say{part: p.Name}
		wg.Go(func() { one(ctx, timeout, p, says[i]) })
	}
	wg.Wait()
	var lines []Line
	for _, s := range says {
		lines = append(lines, s.lines...)
	}
	return lines
}

// one runs a part, and leaves it alone when it does not end in time.
func one(ctx context.Context, timeout time.Duration, p Part, say *Say) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx, say)
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	left := time.NewTimer(grace)
	defer left.Stop()
	select {
	case <-done:
		return
	case <-left.C:
	}
	say.Fail("answer in time", fmt.Errorf("the next step did not end within %s", timeout),
		"look whether a firewall swallows the packets instead of refusing them, or give more time with --timeout")
	say.mu.Lock()
	say.over = true
	say.mu.Unlock()
}
