package status

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// Generations gives a drop in its newest generation and in each older one that was accepted, the
// newest first. It is ErrNoImport if there is no such job.
func (c *Catalog) Generations(ctx context.Context, ref job.Ref) ([]Row, error) {
	l, r := &listing{Catalog: c}, c.newReader()
	if !isEntry(ref.Drop) {
		if err := l.addJob(ctx, ref); err != nil {
			return nil, err
		}
	}
	l.places = append(l.places, place{Owner: ref.Owner, Drop: ref.Drop}) // of an entry, or of no job
	newest, err := r.read(ctx, l.places[0])
	switch {
	case err != nil:
		return nil, err
	case newest == nil:
		return nil, fmt.Errorf("find drop %s of %s: %w", ref.Drop, ref.Owner, ErrNoImport)
	}
	older, err := r.olderGenerations(ctx, *newest)
	return append([]Row{*newest}, older...), err
}

// generationOf gives the row of the generation whose import has an id, if that of the newest
// generation has not.
func (r *reader) generationOf(ctx context.Context, newest *Row, id string) (*Row, error) {
	if newest == nil || strings.HasPrefix(newest.Import, id) || strings.HasPrefix(newest.Drop, id) {
		return newest, nil
	}
	older, err := r.olderGenerations(ctx, *newest)
	for _, row := range older {
		if strings.HasPrefix(row.Import, id) {
			return &row, err
		}
	}
	return newest, err // the import was read and never accepted
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
