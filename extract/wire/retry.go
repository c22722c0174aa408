package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/pamline/pamline/extract"
)

const (
	firstPause = 500 * time.Millisecond
	lastPause  = 8 * time.Second
)

// try calls ask until it succeeds, cannot succeed, or has had its attempts. Between them it waits
// as long as the server says, else half a second, doubled each time.
func (c *Client) try(ctx context.Context, ask func(ctx context.Context, attempt int) (Answer, error)) (Answer, error) {
	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		answer, err := ask(ctx, attempt)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		v := c.judge(err)
		if !v.again {
			return Answer{}, v.err
		}
		wait := c.pause(attempt)
		if v.asked {
			wait = v.after
		}
		if wait > c.o.MaxWait {
			return Answer{}, &extract.AskError{Err: fmt.Errorf("ask service %s: %w", c.Host(), err),
				Hint: fmt.Sprintf("The service asks to wait %s. Try again later.", v.after.Round(time.Second))}
		}
		if attempt >= c.o.Attempts {
			return Answer{}, &extract.AskError{Err: fmt.Errorf("ask service %s (%d attempts): %w", c.Host(), attempt, err), Hint: v.hint}
		}
		if err := c.o.Sleep(ctx, wait); err != nil {
			return Answer{}, err
		}
	}
}

// pause is how long to wait after the given number of failed attempts, when the server does not
// say.
func (c *Client) pause(failed int) time.Duration {
	d := firstPause
	for i := 1; i < failed && d < lastPause; i++ {
		d *= 2
	}
	d = min(d, lastPause)
	return d - time.Duration(c.o.Jitter()*float64(d/4))
}

// verdict is what an attempt's error means.
type verdict struct {
	again bool          // another attempt can help
	after time.Duration // the pause that the server asks for
	asked bool          // it asks for one
	err   error         // what to end with when no attempt can help
	hint  string        // what a person can do when the attempts are used up
}

func (c *Client) judge(err error) verdict {
	var l *lost
	if errors.As(err, &l) {
		if l.permanent {
			return verdict{err: &extract.AskError{Err: fmt.Errorf("ask service %s: %w", c.Host(), l), Permanent: true, Hint: l.hint}}
		}
		return verdict{again: true, hint: l.hint}
	}
	var s *StatusError
	if !errors.As(err, &s) {
		return verdict{err: err}
	}
	k := s.kind()
	after, asked := s.wait()
	v := verdict{again: k.again, after: after, asked: asked, hint: k.hint, err: s}
	switch s.header.Get("X-Should-Retry") {
	case "true":
		v.again = true
	case "false":
		v.again = false
	}
	if !v.again && k.service {
		v.err = &extract.AskError{Err: fmt.Errorf("ask service %s: %w", c.Host(), s), Permanent: !k.again, Hint: k.hint}
	}
	return v
}

// wait is the pause that a server asks for: Retry-After-Ms, or Retry-After in seconds or as a date,
// which is compared with the server's own clock.
func (e *StatusError) wait() (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(e.header.Get("Retry-After-Ms"), 64); err == nil {
		return span(ms, time.Millisecond)
	}
	text := e.header.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return span(s, time.Second)
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(e.header.Get("Date"))
	if err != nil {
		return 0, false
	}
	return max(until.Sub(now), 0), true
}

func span(n float64, unit time.Duration) (time.Duration, bool) {
	if !(n >= 0) { // NaN, too
		return 0, false
	}
	const longest = 365 * 24 * time.Hour
	if n > float64(longest/unit) {
		return longest, true
	}
	return time.Duration(n * float64(unit)), true
}
