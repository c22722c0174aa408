package pipeline

import (
	"context"
	"errors"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

func listQuarantined(ctx context.Context, d Deps, m state.Manifest, r *state.Receipt) error {
	for q, err := range state.ListQuarantined(ctx, d.Store, m) {
		if err != nil || len(r.Quarantined) == state.MaxListed {
			return err
		}
		r.Quarantined = append(r.Quarantined, q)
	}
	return nil
}

// refusal is the receipt of a request that ended before there was anything to assemble.
func refusal(d Deps, req state.Request, rec state.DropRecord, cause error) state.Receipt {
	r := state.Receipt{
		V: 1, Owner: req.Owner, Drop: req.Drop, State: state.StateFailed, Reason: cause.Error(),
		Import: state.ImportID(req.Owner, req.Drop, []string{"none", req.Importer}, req.Extractors, "", d.Limits),
	}
	var f *fault.Fault
	if errors.As(cause, &f) {
		r.Reason, r.Hint = f.Err.Error(), f.Hint
		if f.Class == fault.Permanent {
			r.State, r.Reading = state.StateRefused, refusedReading(d, req, cause)
		}
	}
	for _, p := range rec.Parts {
		r.Parts = append(r.Parts, state.Part{Name: p.Name})
	}
	return r
}
