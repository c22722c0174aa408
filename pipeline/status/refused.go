package status

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// An entry of the inbox that was refused before it became a drop has no job. It is a row, too: of
// generation 0, with the id of the entry in the place of the drop's.

// isEntry tells whether an id is that of an entry: it is shorter than that of a drop.
func isEntry(id string) bool { return len(id) == 32 }

// readEntry gives the row of a refused entry; nil if there is none.
func (c *Catalog) readEntry(ctx context.Context, ref job.Ref) (*Row, error) {
	row := &Row{Owner: ref.Owner, Drop: ref.Drop, State: state.StateRefused}
	rec, err := inbox.ReadRefusal(ctx, c.store, ref.Owner, ref.Drop)
	switch {
	case objects.IsMissing(err):
		return nil, nil
	case fault.Of(err) == fault.Permanent && err != nil:
		row.setUnreadable(err)
		return row, nil
	}
	row.Files, row.Reason, row.Hint, row.UpdatedAt = []string{rec.Name()}, rec.Reason, rec.Hint, rec.At
	if rec.Failed {
		row.State = state.StateFailed
	}
	return row, err
}

// entryReport gives the report of a refused entry.
func (c *Catalog) entryReport(ctx context.Context, ref job.Ref) (state.Receipt, error) {
	r := state.Receipt{V: 1, Owner: ref.Owner, Drop: ref.Drop}
	row, err := c.readEntry(ctx, ref)
	switch {
	case err != nil:
		return r, err
	case row == nil:
		return r, fmt.Errorf("report drop %s of %s: %w", ref.Drop, ref.Owner, ErrNoImport)
	case row.State == StateUnreadable:
		return r, fault.Permanentf("", "%s", row.Unusable)
	}
	r.State, r.Parts, r.Reason, r.Hint = row.State, []state.Part{{Name: row.Files[0]}}, row.Reason, row.Hint
	return r, nil
}
