package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/state"
)

// replay is what is given to pamline replay.
type replay []string

// Again is what is asked for once more when everything has been imported. Each way of reading is
// asked for alone first, and waited for: which results a store has ever had of a drop is part of
// it, so that what comes of many requests at once follows from the last.
type Again struct {
	// Older has the conversations of one provider read by the importer of before, Other the drops
	// of Owner by fewer extractors.
	Older, Other replay
	Owner        string
	// One is a drop that is read by its import's id.
	One Drop
	// Last are waited for, in their order.
	Last []replay
}

// again draws what is asked for again.
func (m *Material) again() {
	r := rand.New(rand.NewPCG(m.Seed, 5))
	owner := m.Owners[r.IntN(len(m.Owners))]
	a := Again{
		Older: replay{"--provider", "chatgpt", "--importer", "chatgpt-importer/2026.07"},
		Other: replay{"--owner", owner, "--extractors", "rules"},
		Owner: owner,
	}
	for _, d := range m.Drops {
		if d.Owner == owner && d.Name == largeName {
			a.One = d
		}
	}
	a.Last = []replay{{"--all"}}
	if n := r.IntN(3); n < 2 {
		a.Last = append(a.Last, []replay{a.Older, a.Other}[n])
	}
	m.Again = a
}

// healAndReplay is the short form of what comes after the imports.
func healAndReplay(ctx context.Context, r *run, _ time.Duration) error {
	if err := r.poisoned(ctx, 1, false, 1); err != nil { // damage is noticed at the first attempt
		return err
	}
	return r.replay(ctx, r.material.Again.Last[0])
}

// askReplays has drops read again in all ways, several at the same time, and at last in one.
func askReplays(ctx context.Context, r *run, span time.Duration) error {
	again := r.material.Again
	id, err := r.accepted(ctx, again.One)
	if err != nil {
		return err
	}
	if err := r.replay(ctx, replay{"--import", id}); err != nil {
		return err
	}
	if r.disturbed() {
		if err := r.crowd(ctx, span); err != nil {
			return err
		}
	}
	for _, last := range again.Last {
		if err := r.replay(ctx, last); err != nil {
			return err
		}
	}
	return nil
}

// crowd hands over requests of which none is waited for, two at once.
func (r *run) crowd(ctx context.Context, span time.Duration) error {
	again := r.material.Again
	ways := []replay{again.Older, again.Other, {"--owner", again.Owner}, {"--all"}}
	d := rand.New(rand.NewPCG(r.seed, 6))
	for range 4 {
		g, ctx := errgroup.WithContext(ctx)
		for worker := range 2 {
			way, late := ways[d.IntN(len(ways))], time.Duration(d.Int64N(int64(span/8)))
			g.Go(func() error {
				pauseFor(ctx, late)
				_, err := r.pamline(ctx, worker, longest, append([]string{"replay", "--no-wait"}, way...)...)
				r.count("replays in a crowd", 1)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// replay has drops read again and waits until they have been. Where things go wrong, the first try
// of the command is killed.
func (r *run) replay(ctx context.Context, which replay) error {
	args := append([]string{"replay"}, which...)
	r.count("replays", 1)
	if r.disturbed() {
		d := rand.New(rand.NewPCG(r.seed, uint64(len(strings.Join(which, " ")))))
		if _, err := r.pamline(ctx, 0, drawDuration(d, 100*time.Millisecond, 2*time.Second), args...); err != nil {
			return err
		}
	}
	end := time.Now().Add(patience)
	for {
		a, err := r.pamline(ctx, 1, longest, args...)
		if err != nil {
			return err
		}
		if a.replayed() {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("pamline %s does not end well within %s: exit code %d\n%s\n%s", strings.Join(args, " "), patience, a.code, a.errors, a.out)
		}
		pauseFor(ctx, 200*time.Millisecond)
	}
}

// replayed tells whether all drops that were selected have been read to their end, be it to a
// refusal.
func (a answer) replayed() bool {
	var report struct {
		Summary struct {
			Selected, Gone, Trouble int
		} `json:"summary"`
	}
	if a.code < 0 || a.errors != "" || json.Unmarshal([]byte(a.out), &report) != nil {
		return false
	}
	s := report.Summary
	return s.Selected > 0 && s.Gone+s.Trouble == 0
}

// accepted is the import whose result the store has of a drop.
func (r *run) accepted(ctx context.Context, d Drop) (id string, err error) {
	for range 50 {
		var head state.Head
		if head, _, err = state.ReadHead(ctx, r.quiet, d.Owner); err == nil {
			var in state.Inputs
			if in, err = state.ReadInputs(ctx, r.quiet, d.Owner, head); err == nil && in.Drops[d.Digest].Import != "" {
				return in.Drops[d.Digest].Import, nil
			}
		}
		pauseFor(ctx, 200*time.Millisecond)
	}
	return "", fmt.Errorf("find the import of %q of %s: %w", d.Name, d.Owner, err)
}
