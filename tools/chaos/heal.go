package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// healFailures reads drops again while a model does not answer, and again when it does; then has
// units given up whose objects are lost or damaged, restores those, and redrives until no letter is
// left but those of drops that nobody can read. An undisturbed run asks for the same, and nothing
// fails.
func healFailures(ctx context.Context, r *run, _ time.Duration) error {
	if err := r.modelAway(ctx, r.material.Again.Older); err != nil {
		return err
	}
	d := rand.New(rand.NewPCG(r.seed, 7))
	return r.poisoned(ctx, 1+d.IntN(4), d.IntN(2) == 0, 1+d.IntN(3))
}

// modelAway has the same asked for twice, the first time while the model says that it cannot
// answer: what is without vectors then is read once more.
func (r *run) modelAway(ctx context.Context, older replay) error {
	r.model.away.Store(r.disturbed())
	err := r.replay(ctx, older)
	r.model.away.Store(false)
	return errors.Join(err, r.replay(ctx, older))
}

// poisoned has drops of an owner read in a way that is new, while n objects are damaged, or lost.
// Letters are redriven so often too early: as they come, and when the replay has ended.
func (r *run) poisoned(ctx context.Context, n int, lose bool, early int) error {
	again := r.material.Again
	if !r.disturbed() {
		return r.replay(ctx, again.Other)
	}
	r.poison.lay(again.Owner, n, lose)
	g, during := errgroup.WithContext(ctx)
	g.Go(func() error { return r.replay(during, again.Other) })
	for range early - 1 {
		pauseFor(during, time.Second)
		g.Go(func() error { return r.redriveTwice(during) })
	}
	err := g.Wait()
	if err == nil {
		err = r.redriveTwice(ctx)
	}
	n, lifted := r.poison.lift(context.WithoutCancel(ctx), r.quiet)
	r.count("objects lost or damaged", n)
	if err := errors.Join(err, lifted); err != nil {
		return err
	}
	if n == 0 {
		return errors.New("no object was poisoned: there is nothing to be healed")
	}
	return r.redriveAll(ctx)
}

// redriveTwice has all letters redriven by two processes at once.
func (r *run) redriveTwice(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for worker := range 2 {
		g.Go(func() error {
			a, err := r.pamline(ctx, worker, longest, "dlq", "redrive", "--all", "--no-wait")
			r.count("redrives", 1)
			r.count("imports redriven", strings.Count(a.out, `"result": "queued"`))
			return err
		})
	}
	return g.Wait()
}

// redriveAll redrives until no letter is left that the undisturbed run has not.
func (r *run) redriveAll(ctx context.Context) error {
	end := time.Now().Add(patience)
	for {
		if err := r.redriveTwice(ctx); err != nil {
			return err
		}
		more, err := r.moreLetters(ctx)
		if err == nil && len(more) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("redriving does not heal within %s: %w", patience, errors.Join(err, errors.New(firstNames(more))))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// moreLetters waits until all has ended that can, and gives the letters that the undisturbed run
// has not.
func (r *run) moreLetters(ctx context.Context) ([]string, error) {
	var still []string
	for range 50 {
		pauseFor(ctx, 200*time.Millisecond)
		open, err := r.unsettled(ctx)
		still = open
		s := State{Letters: map[string]bool{}}
		if err := errors.Join(err, r.letters(ctx, &s)); err != nil {
			continue // a server is away just now
		}
		maps.DeleteFunc(s.Letters, func(l string, _ bool) bool { return r.calm[r.now].Letters[l] })
		if len(open) == 0 || len(s.Letters) > 0 {
			return slices.Sorted(maps.Keys(s.Letters)), nil
		}
	}
	return nil, fmt.Errorf("what was redriven does not end: %s", firstNames(still))
}
