package pipeline

import (
	"context"
	"errors"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// RefusedBefore gives the receipt by which a request was refused for what is in its drop, when reading the drop now would come to
// the same: the same importers would be asked, under the same rules and limits. A version of pamline with another importer, or
// with other rules, and other limits are reason enough to try again. It is for those whose own stages, with the same Deps, do the
// work.
func RefusedBefore(ctx context.Context, d Deps, r state.Request) (before state.Receipt, same bool, err error) {
	d.Store = state.ClassedStore{Store: d.Store}
	id := refusal(d, r, state.DropRecord{}, publish.ErrEnough).Import // of other limits on units it is another
	before, ok, err := state.ReadReceipt(ctx, d.Store, r.Owner, id)
	if fault.Of(err) == fault.Permanent {
		return before, false, nil // what it says cannot be read: the drop is, and gets another one
	}
	if err != nil || !ok || before.State != state.StateRefused || before.Reading == "" {
		return before, false, err
	}
	now, err := d.ingest().Reading(r.Importer)
	return before, err == nil && now == before.Reading, err
}

// refusedReading is the name of the reading that a drop was refused by; "" when the drop itself was not the reason, for then another
// attempt may come to something else.
func refusedReading(d Deps, r state.Request, cause error) string {
	var bad *archive.Error
	var none *providers.UnrecognisedError
	var nothing *ingest.NothingKeptError
	if d.Registry == nil || !errors.As(cause, &bad) && !errors.As(cause, &none) && !errors.As(cause, &nothing) {
		return ""
	}
	reading, err := d.ingest().Reading(r.Importer)
	if err != nil {
		return "" // it would be refused for that
	}
	return reading
}
