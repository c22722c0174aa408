package status

import (
	"context"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// eachOwner calls do for the owner of the query, or for all.
func (l *listing) eachOwner(ctx context.Context, do func(owner string) error) error {
	if l.Owner != "" {
		return do(l.Owner)
	}
	for owner, err := range state.ListOwners(ctx, l.store) {
		if err == nil {
			err = do(owner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addJobs adds all jobs.
func (l *listing) addJobs(ctx context.Context) error {
	return l.eachOwner(ctx, func(owner string) error {
		last, err := l.addJobsOf(ctx, owner, "", "", listPage)
		if err != nil || last == "" {
			return err
		}
		// Many pages that follow each other would take a person's patience.
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(parallel)
		for _, digit := range strings.Split("0123456789abcdef", "") {
			if digit >= last[:1] {
				g.Go(func() error {
					_, err := l.addJobsOf(gctx, owner, digit, last, 0)
					return err
				})
			}
		}
		return g.Wait()
	})
}

// listPage is how many keys a store gives with one request.
const listPage = 1000

// addJobsOf adds the jobs of an owner whose drops have a prefix and come after another one. It
// stops behind the limit, unless that is 0, and gives the last drop then.
func (l *listing) addJobsOf(ctx context.Context, owner, prefix, after string, limit int) (last string, err error) {
	n := 0
	for o, err := range state.ListJobs(ctx, l.store, owner, prefix) {
		if err != nil {
			return "", err
		}
		if o.Drop <= after {
			continue
		}
		l.add(job.Ref{Owner: owner, Drop: o.Drop}, o.ModTime)
		if n++; n == limit {
			return o.Drop, nil
		}
	}
	return "", nil
}
