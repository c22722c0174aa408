package prune

import (
	"context"
	"iter"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// importedArchives gives the copied archives of drops whose import has ended and is in the store.
// What lies where a person has put it is theirs.
func importedArchives(ctx context.Context, s blob.Store, jobs *job.Jobs, owner string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range state.ListJobs(ctx, s, owner, "") {
			if err == nil {
				var more bool
				if more, err = yieldArchives(ctx, s, jobs, job.Ref{Owner: owner, Drop: o.Drop}, yield); err == nil && more {
					continue
				}
			}
			if err != nil {
				yield(blob.Object{}, err)
			}
			return
		}
	}
}

func yieldArchives(ctx context.Context, s blob.Store, jobs *job.Jobs, ref job.Ref, yield func(blob.Object, error) bool) (more bool, err error) {
	r, err := jobs.Read(ctx, ref)
	if err != nil || r.State != job.Ended || r.Outcome != job.Done {
		return true, err
	}
	rec, err := state.ReadDrop(ctx, s, ref.Owner, ref.Drop)
	if objects.IsMissing(err) {
		return true, nil
	}
	if err != nil {
		return true, err
	}
	for _, p := range rec.Parts {
		if p.ETag != "" || p.Files != nil || !strings.HasPrefix(p.Key, state.DropKey(ref.Owner, ref.Drop, "")) {
			continue
		}
		o, err := s.Head(ctx, p.Key)
		if objects.IsMissing(err) {
			continue
		}
		if err != nil {
			return true, err
		}
		if !yield(o, nil) {
			return false, nil
		}
	}
	return true, nil
}
