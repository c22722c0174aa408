// Package replay has work done again: drops that are read by newer importers and extractors, and
// failed work that is retried.
//
// Select gives drops. A Replayer has them read again, without a write for those that would not
// change, or shows in a dry run what would change. Letters lists the dead letters and redrives
// them.
//
// The work is done by whoever handles tasks: the package asks for it and reads storage.
package replay

import (
	"context"

	"github.com/pamline/pamline/pipeline/job"
)

// Worker does the work of jobs: this process, a cluster, or a service.
type Worker interface {
	// Ask wants work for a job and sends its tasks.
	Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error)
	// Redrive wants what failed in the last generation of a job again.
	Redrive(ctx context.Context, ref job.Ref) (job.Asked, error)
	// Wait returns the record of a job when it has ended in a generation or a later one.
	Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error)
}
