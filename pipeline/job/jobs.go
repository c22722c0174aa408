package job

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
)

// Options of Jobs. The zero value of each but NewID gives its default.
type Options struct {
	// NewID names crash marks: each call gives another lower-case name.
	NewID func() string
	// Window is how many shards of an import are sent beyond the first missing shard. Default: 64.
	Window int
	// Marks is how many crashes of a unit make it fail. Default: 3.
	Marks int
	// Parallel is how many drops of an assembly are looked at together. Default: 16.
	Parallel int
}

// Jobs is the access to the job records of a store. It is safe for concurrent use, by any number of
// processes, and keeps nothing but a cache of immutable manifests.
//
// The store must be consistent after a write (blob.Store). All methods can be repeated after an
// error. Errors of the store come through unchanged; an object that cannot be read is a fault of
// class Permanent.
type Jobs struct{ storage }

// storage reads and changes the objects of jobs. It holds the steps that several rules share.
type storage struct {
	store   blob.Store
	options Options
	shards  shardCache
}

// New gives the jobs of a store.
func New(s blob.Store, o Options) *Jobs {
	if o.Window <= 0 {
		o.Window = 64
	}
	if o.Marks <= 0 {
		o.Marks = 3
	}
	if o.Parallel <= 0 {
		o.Parallel = 16
	}
	return &Jobs{storage{store: s, options: o}}
}

// Window is how many shards of an import are sent beyond the first missing shard.
func (j *Jobs) Window() int { return j.options.Window }

// each calls f for 0 to n-1, several at a time, until the first error.
func (s *storage) each(ctx context.Context, n int, f func(context.Context, int) error) error {
	if s.options.Parallel == 1 {
		for i := range n {
			if err := f(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(s.options.Parallel)
	for i := range n {
		g.Go(func() error { return f(gctx, i) })
	}
	return g.Wait()
}
