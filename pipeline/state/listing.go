package state

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
)

// JobObject is a job record as a listing shows it.
type JobObject struct {
	Drop    string
	ModTime time.Time // when the record was last changed
}

// ListJobs iterates over the jobs of an owner's drops whose ids have a prefix, in the order of the
// ids. The owner-level job is not among them.
func ListJobs(ctx context.Context, s blob.Store, owner, prefix string) iter.Seq2[JobObject, error] {
	return func(yield func(JobObject, error) bool) {
		folder := OwnerKey(owner, "jobs/")
		for o, err := range s.List(ctx, folder+prefix) {
			if err != nil {
				yield(JobObject{}, fmt.Errorf("list jobs of %s: %w", owner, err))
				return
			}
			drop, ok := strings.CutSuffix(o.Key[len(folder):], ".json")
			if !ok || CheckDigest("drop", drop) != nil {
				continue
			}
			if !yield(JobObject{drop, o.ModTime}, nil) {
				return
			}
		}
	}
}

// ListOwners iterates over the owners that have objects, in order.
func ListOwners(ctx context.Context, s blob.Store) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for owner, err := range blob.ListFolders(ctx, s, "owners/") {
			if err != nil {
				yield("", fmt.Errorf("list owners: %w", err))
				return
			}
			if CheckOwner(owner) == nil && !yield(owner, nil) {
				return
			}
		}
	}
}
