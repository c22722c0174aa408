package work

import (
	"context"
	"errors"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// RefusedBefore gives the failure of a drop whose last generation was refused for its content, if
// this worker would refuse it again: it would ask the same importers, by the same rules and limits.
// Then there is no need to ask for the drop. A new version of an importer, other rules or other
// limits are reason enough.
func (w *Worker) RefusedBefore(ctx context.Context, ref job.Ref, want job.Want) (f job.Failure, same bool, err error) {
	r, err := w.jobs.Read(ctx, ref)
	if err != nil || r.Outcome != job.Refused || want.Erase || r.Want.Importer != want.Importer {
		return f, false, err
	}
	_, err = objects.ReadJSON(ctx, w.options.Store, state.FailedKey(ref.Owner, ref.Drop, r.Gen, string(job.Ingest)), &f)
	switch {
	case objects.IsMissing(err), fault.Of(err) == fault.Permanent && err != nil:
		return job.Failure{}, false, nil // the drop is read again, and gets another failure
	case err != nil:
		return f, false, err
	}
	now, err := w.options.Ingest.RefusalReading(want.Importer)
	return f, err == nil && f.IsWrongUpload() && f.Reading == now, err
}

// refusedReading names the reading that a drop was refused by; "" if the content of the drop was
// not the reason, for then another attempt may succeed.
func refusedReading(o ingest.Options, pin string, cause error) string {
	var bad *archive.Error
	var none *providers.UnrecognizedError
	var nothing *ingest.NothingKeptError
	if o.Registry == nil || !errors.As(cause, &bad) && !errors.As(cause, &none) && !errors.As(cause, &nothing) {
		return ""
	}
	reading, err := o.RefusalReading(pin)
	if err != nil {
		return "" // the drop would be refused for that
	}
	return reading
}
