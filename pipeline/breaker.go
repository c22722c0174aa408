package pipeline

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// maxDoubling is how often a breaker's pause doubles. When the probe after the longest one has failed, too, waiting has
// shown to be of no use: the units are tried once each and given up, so that an import all of whose shards fail still ends.
const maxDoubling = 5

// breakerKey is what one breaker is about: an owner's units of one stage that one importer reads.
type breakerKey struct{ stage, owner, importer string }

// breakers hold up the units of a key after several in a row have failed: one is tried after a pause, and the others wait
// without an attempt being counted. They are this process's own; their clock is Deps.Now.
type breakers struct {
	Breaker
	now    func() time.Time
	gauge  func(stage string, open int)
	mu     sync.Mutex
	states map[breakerKey]*breakerState
	open   map[string]int // by stage
}

// breakerState: a key without one has not failed since it was last well.
type breakerState struct {
	failures int // in a row
	// doubled is how often the pause was; until is when the next probe may go.
	doubled int
	until   time.Time
	probing bool
	// spent: the longest pause has not helped.
	spent bool
}

func (s *breakerState) isOpen() bool { return !s.until.IsZero() }

func newBreakers(b Breaker, now func() time.Time, gauge func(stage string, open int)) *breakers {
	return &breakers{Breaker: b, now: now, gauge: gauge, states: map[breakerKey]*breakerState{}, open: map[string]int{}}
}

// pass is one unit's leave to be worked on. The zero pass belongs to no breaker.
type pass struct {
	b     *breakers
	key   breakerKey
	probe bool
}

// admit gives a pass, or a *Later when the key's units wait. Every pass must be told how its unit ended.
func (b *breakers) admit(k breakerKey) (pass, error) {
	p := pass{b: b, key: k}
	if b == nil || b.Failures == 0 {
		return pass{}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.states[k]
	switch {
	case s == nil || !s.isOpen() || s.spent:
		return p, nil
	case s.probing:
		return pass{}, &fault.Later{After: b.Pause, Why: "one of the owner's units is being tried after several failed"}
	}
	if wait := s.until.Sub(b.now()); wait > 0 {
		return pass{}, &fault.Later{After: wait, Why: "the owner's units before it failed"}
	}
	s.probing, p.probe = true, true
	return p, nil
}

// ended tells how the unit of a pass ended. What says nothing about the machinery changes nothing: outages, the end of the
// process, and what is wrong with the drop itself.
func (p pass) Ended(outcome string) {
	if p.b == nil {
		return
	}
	b := p.b
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.states[p.key]
	if s != nil && p.probe {
		s.probing = false
	}
	switch outcome {
	case telemetry.OutcomeOK:
		if s != nil && s.isOpen() {
			b.opened(p.key.stage, -1)
		}
		delete(b.states, p.key)
	case string(fault.Unit):
		if s == nil {
			s = &breakerState{}
			b.states[p.key] = s
		}
		b.failed(p, s)
	}
}

func (b *breakers) failed(p pass, s *breakerState) {
	s.failures++
	switch {
	case !s.isOpen():
		if s.failures < b.Failures {
			return
		}
		b.opened(p.key.stage, 1)
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

// spent tells that the key's units are not worth another attempt.
func (p pass) spent() bool {
	if p.b == nil {
		return false
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	s := p.b.states[p.key]
	return s != nil && s.spent
}

func (b *breakers) opened(stage string, n int) {
	b.open[stage] += n
	if b.gauge != nil {
		b.gauge(stage, b.open[stage])
	}
}

// end tells how the unit of a pass ended, and gives its error the breaker that counted it.
func (p pass) end(ctx context.Context, err error) error {
	outcome := telemetry.OutcomeOf(ctx, err)
	p.Ended(outcome)
	if outcome == string(fault.Unit) {
		return &blamed{err, p}
	}
	return err
}

// blamed is an error of a unit together with the breaker's pass that it belongs to.
type blamed struct {
	error
	pass pass
}

func (b *blamed) Unwrap() error { return b.error }

// spentBreaker tells whether an error is one more of a key whose units are tried once only.
func spentBreaker(err error) bool {
	var b *blamed
	return errors.As(err, &b) && b.pass.spent()
}
