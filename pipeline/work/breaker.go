package work

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Breaker says when the units of one stage, owner and set of importers wait because those before
// them failed.
type Breaker struct {
	Failures int           // in a row; 0: never
	Pause    time.Duration // before one unit is tried; it doubles as long as that one fails
}

// maxDoubling is how often the pause of a breaker doubles. If the probe after the longest pause has
// failed, too, the units get one attempt each, so that an import all of whose shards fail still
// ends.
const maxDoubling = 5

// breakerKey names a breaker.
type breakerKey struct{ stage, owner, importers string }

// breakers hold up the units of a key after several in a row have failed: one is tried after a
// pause, and the others wait without an attempt being counted. Each process has its own.
type breakers struct {
	Breaker
	now    func() time.Time
	gauge  func(stage string, open int)
	mu     sync.Mutex
	states map[breakerKey]*breakerState
	open   map[string]int // by stage
}

// breakerState is that of a key that has failed since it last succeeded.
type breakerState struct {
	failures int // in a row
	doubled  int // how often the pause was doubled
	until    time.Time
	probing  bool
	spent    bool // the longest pause has not helped
}

func (s *breakerState) isOpen() bool { return !s.until.IsZero() }

func newBreakers(b Breaker, now func() time.Time, gauge func(stage string, open int)) *breakers {
	return &breakers{Breaker: b, now: now, gauge: gauge, states: map[breakerKey]*breakerState{}, open: map[string]int{}}
}

// breakerPass is the permission to work on one unit. The zero pass belongs to no breaker.
type breakerPass struct {
	b     *breakers
	key   breakerKey
	probe bool
}

// admit gives a pass, or a *fault.Later if the units of the key wait. Every pass must be told how
// its unit ended (report).
func (b *breakers) admit(k breakerKey) (breakerPass, error) {
	if b.Failures == 0 {
		return breakerPass{}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p, s := breakerPass{b: b, key: k}, b.states[k]
	switch {
	case s == nil || !s.isOpen() || s.spent:
		return p, nil
	case s.probing:
		return breakerPass{}, &fault.Later{After: b.Pause, Why: "a unit of the owner is being tried after several failed"}
	}
	if wait := s.until.Sub(b.now()); wait > 0 {
		return breakerPass{}, &fault.Later{After: wait, Why: "units of the owner before it failed"}
	}
	s.probing, p.probe = true, true
	return p, nil
}

// report tells how the unit of a pass ended, and gives its error, which is final if waiting
// has shown to be of no use. Outages, drains and faults of the drop itself change nothing.
func (p breakerPass) report(ctx context.Context, err error) error {
	if p.b == nil {
		return err
	}
	b := p.b
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.states[p.key]
	if s != nil && p.probe {
		s.probing = false
	}
	switch outcome := telemetry.OutcomeOf(ctx, err); {
	case errors.Is(err, job.ErrStale):
	case outcome == telemetry.OutcomeOK:
		if s != nil && s.isOpen() {
			b.countOpen(p.key.stage, -1)
		}
		delete(b.states, p.key)
	case outcome == string(fault.Unit):
		if s == nil {
			s = &breakerState{}
			b.states[p.key] = s
		}
		b.countFailure(p, s)
		if s.spent {
			return &finalError{err}
		}
	}
	return err
}

func (b *breakers) countFailure(p breakerPass, s *breakerState) {
	s.failures++
	switch {
	case !s.isOpen():
		if s.failures < b.Failures {
			return
		}
		b.countOpen(p.key.stage, 1)
	case !p.probe || s.spent: // it had begun before the breaker opened
		return
	case s.doubled == maxDoubling:
		s.spent = true
		return
	default:
		s.doubled++
	}
	s.until = b.now().Add(b.Pause << s.doubled)
}

func (b *breakers) countOpen(stage string, n int) {
	b.open[stage] += n
	if b.gauge != nil {
		b.gauge(stage, b.open[stage])
	}
}

// finalError is an error after which a unit has no further attempt.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

func isFinal(err error) bool { return errors.As(err, new(*finalError)) }
