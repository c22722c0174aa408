package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrNotEnded is returned for the report of a generation that has not ended.
var ErrNotEnded = errors.New("the import has not ended")

// ErrNoReport is returned for the report of an older generation that was never accepted: another
// generation has taken its place.
var ErrNoReport = errors.New("a later import of the drop has taken its place")

// Report gives the report of a generation, 0 for the newest: the receipt of an accepted one, else
// the same form made of its failed objects. The report of an erasure has a state only. A refused
// entry of the inbox has a report, too. It is ErrNoImport if the job does not exist.
func (c *Catalog) Report(ctx context.Context, ref job.Ref, gen int) (state.Receipt, error) {
	if isEntry(ref.Drop) {
		return c.entryReport(ctx, ref)
	}
	rec, err := c.jobs.Read(ctx, ref)
	if err != nil {
		return state.Receipt{}, err
	}
	if rec.Gen == 0 || gen > rec.Gen {
		return state.Receipt{}, fmt.Errorf("report drop %s of %s: %w", ref.Drop, ref.Owner, ErrNoImport)
	}
	gen = cmp.Or(gen, rec.Gen)
	r, ok, err := state.ReadReceipt(ctx, c.store, ref.Owner, ref.Drop, gen)
	switch {
	case err != nil || ok:
		return r, err
	case gen < rec.Gen:
		return r, fmt.Errorf("report generation %d of drop %s: %w", gen, ref.Drop, ErrNoReport)
	case rec.State == job.Open:
		return r, fmt.Errorf("report drop %s of %s: %w", ref.Drop, ref.Owner, ErrNotEnded)
	}
	return receipt.Maker{Store: c.store}.Unaccepted(ctx, ref, rec)
}
