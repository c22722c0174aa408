package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pipeline/prune"
)

// prune removes what no current store needs, as the workers of a disturbed run do all the time:
// what is left can be compared. It waits for workers that are at it.
func (r *run) prune(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, owner := range r.material.Owners {
		for busy := true; busy; {
			report, err := prune.Owner(ctx, prune.Options{Store: r.quiet, NewID: uuid.NewString, Now: time.Now, Rules: prune.Rules{Exports: 1}}, owner)
			if err != nil {
				return fmt.Errorf("prune %s: %w", owner, err)
			}
			if busy = report.Busy; busy {
				pauseFor(ctx, 200*time.Millisecond)
			}
		}
	}
	r.prunes++
	return nil
}

// pruned is how often the head of an owner may have been repeated; negative: nobody knows.
func (r *run) pruned() int64 {
	if r.disturbed() {
		return -1
	}
	return r.prunes
}
