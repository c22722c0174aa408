package pipeline

import (
	"context"
	"errors"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
)

// RefusedBefore gives the receipt by which a request was refused for what is in its drop, when reading the drop now would come to
// the same: the same importers would be asked, under the same rules and limits. A version of pamline with another importer, or
// with other rules, and other limits are reason enough to try again. It is for those whose own stages, with the same Deps, do the
// work.
func RefusedBefore(ctx context.Context, d Deps, r Request) (before Receipt, same bool, err error) {
	d.Store = outages{d.Store}
	id := refusal(d, r, DropRecord{}, errEnough).Import // of other limits on units it is another
	before, ok, err := ReadReceipt(ctx, d.Store, r.Owner, id)
	if ClassOf(err) == Permanent {
		return before, false, nil // what it says cannot be read: the drop is, and gets another one
	}
	if err != nil || !ok || before.State != StateRefused || before.Reading == "" {
		return before, false, err
	}
	now, err := d.reading(r.Importer)
	return before, err == nil && now == before.Reading, err
}

// refusedReading is the name of the reading that a drop was refused by; "" when the drop itself was not the reason, for then another
// attempt may come to something else.
func refusedReading(d Deps, r Request, cause error) string {
	var bad *archive.Error
	var none *providers.UnrecognisedError
	var nothing *NothingKeptError
	if d.Registry == nil || !errors.As(cause, &bad) && !errors.As(cause, &none) && !errors.As(cause, &nothing) {
		return ""
	}
	reading, err := d.reading(r.Importer)
	if err != nil {
		return "" // it would be refused for that
	}
	return reading
}
