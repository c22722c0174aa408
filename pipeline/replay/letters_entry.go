package replay

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Released is the result of redriving a refused entry: there is no generation to wait for.
const Released = "released"

// stageInbox is the stage of refused entries of the inbox, which have no job.
const stageInbox = telemetry.StageInbox

// isOfEntry tells whether a filter names an entry: its id is shorter than that of a drop.
func (f Filter) isOfEntry() bool { return len(f.Drop) == 32 }

// listRefused gives the refused entries of the inbox.
func (l *Letters) listRefused(ctx context.Context, f Filter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		for r, err := range inbox.ListRefusals(ctx, l.store, f.Owner, f.Drop) {
			if err != nil {
				yield(DeadLetter{}, err)
				return
			}
			// No owner begins with "~": these come behind the letters of all owners.
			cursor := "~" + cmp.Or(r.Owner, state.Nobody) + "/" + r.ID
			if f.skips(cursor) {
				continue
			}
			one := DeadLetter{cursor: cursor, ID: letterID(cursor), Owner: r.Owner, Drop: r.ID, Stage: stageInbox, Class: fault.Permanent,
				WrongUpload: true, FailedAt: r.At, Object: r.Key}
			rec, err := inbox.ReadRefusal(ctx, l.store, r.Owner, r.ID)
			switch {
			case objects.IsMissing(err):
				continue
			case err != nil && fault.Of(err) == fault.Permanent:
				one.Unusable, one.Hint, one.WrongUpload = fault.Loggable(err), fault.HintOf(err), false
			case err != nil:
				yield(DeadLetter{}, err)
				return
			default:
				one.Files, one.Reason, one.Hint = []string{rec.Name()}, rec.Reason, rec.Hint
				if rec.Failed {
					one.Class, one.WrongUpload = fault.Unit, false
				}
			}
			if one.WrongUpload && !f.WrongUploads && f.Stage != stageInbox {
				continue
			}
			one.Advice = adviceFor(one)
			if !yield(one, nil) {
				return
			}
		}
	}
}

// retryEntry has a refused entry of the inbox looked at again.
func retryEntry(ctx context.Context, s blob.Store, r *Redriven) error {
	if err := inbox.Retry(ctx, s, inbox.Record{Owner: r.Owner, ID: r.Drop}); err != nil {
		return fmt.Errorf("retry entry %s of the inbox: %w", r.Drop, err)
	}
	r.Result, r.Reason = Released, "the next look at the inbox takes the entry"
	return nil
}
