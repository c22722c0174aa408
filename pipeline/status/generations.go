package status

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// generations gives the rows of a drop that a query is for, the newest first.
func (r *reader) generations(ctx context.Context, newest Row, q Query) ([]Row, error) {
	isNamed := strings.HasPrefix(newest.Import, q.ID) || strings.HasPrefix(newest.Drop, q.ID)
	if isNamed && !q.Older || isEntry(newest.Drop) {
		return []Row{newest}, nil
	}
	older, err := r.olderGenerations(ctx, newest)
	if err != nil || q.Older {
		return append([]Row{newest}, older...), err
	}
	for _, row := range older {
		if strings.HasPrefix(row.Import, q.ID) {
			return []Row{row}, nil
		}
	}
	return []Row{newest}, nil // the import was read and never accepted
}

// olderGenerations gives the accepted generations of a drop before its newest, the newest first.
func (r *reader) olderGenerations(ctx context.Context, newest Row) (rows []Row, err error) {
	prefix := state.ReceiptPrefix(newest.Owner, newest.Drop)
	for o, err := range r.store.List(ctx, prefix) {
		if err != nil {
			return nil, fmt.Errorf("list receipts: %w", err)
		}
		gen, err := strconv.Atoi(strings.TrimSuffix(o.Key[len(prefix):], ".json"))
		if err == nil && gen != newest.Gen {
			rows = append(rows, Row{Owner: newest.Owner, Drop: newest.Drop, Gen: gen, UpdatedAt: formatTime(o.ModTime), Files: newest.Files})
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	slices.SortFunc(rows, func(a, b Row) int { return b.Gen - a.Gen })
	e, err := r.entry(ctx, newest.Ref())
	if err != nil {
		return nil, err
	}
	for i := range rows {
		row := &rows[i]
		switch accepted, _, err := state.ReadReceipt(ctx, r.store, row.Owner, row.Drop, row.Gen); {
		case err == nil:
			row.addReceipt(accepted)
		case fault.Of(err) == fault.Permanent:
			row.setUnreadable(err)
		default:
			return nil, err
		}
		if e.Import != row.Import {
			row.ReplacedBy = e.Import
		}
	}
	return rows, nil
}
