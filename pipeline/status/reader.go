package status

import (
	"context"
	"fmt"
	"sync"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
)

// reader reads the rows of one list. It reads the head of each owner at most once.
type reader struct {
	*Catalog

	mu    sync.Mutex
	heads map[string]func() (state.Inputs, error)
}

func (c *Catalog) newReader() *reader {
	return &reader{Catalog: c, heads: map[string]func() (state.Inputs, error){}}
}

// entry gives what the store of an owner has of a drop.
func (r *reader) entry(ctx context.Context, ref job.Ref) (state.Entry, error) {
	r.mu.Lock()
	read, ok := r.heads[ref.Owner]
	if !ok {
		read = sync.OnceValues(func() (state.Inputs, error) {
			head, _, err := state.ReadHead(ctx, r.store, ref.Owner)
			if err != nil {
				return state.Inputs{}, err
			}
			return state.ReadInputs(ctx, r.store, ref.Owner, head)
		})
		r.heads[ref.Owner] = read
	}
	r.mu.Unlock()
	in, err := read()
	if fault.Of(err) == fault.Permanent {
		return state.Entry{}, nil // other objects of the row say what is known
	}
	return in.Drops[ref.Drop], err
}

// read gives the row of a drop's newest generation; nil if there is no job.
func (r *reader) read(ctx context.Context, p place) (*Row, error) {
	if isEntry(p.Drop) {
		return r.readEntry(ctx, p.ref())
	}
	row := &Row{Owner: p.Owner, Drop: p.Drop, UpdatedAt: formatTime(p.time())}
	rec, err := r.jobs.Read(ctx, p.ref())
	switch {
	case fault.Of(err) == fault.Permanent && err != nil:
		row.setUnreadable(err)
		return row, nil
	case err != nil:
		return nil, err
	case rec.Gen == 0:
		return nil, nil
	}
	row.Gen, row.Import = rec.Gen, rec.Import
	if err := r.addFiles(ctx, row); err != nil {
		return nil, err
	}
	switch err := r.addRecord(ctx, row, rec); {
	case err == nil:
	case fault.Of(err) == fault.Permanent:
		row.setUnreadable(err)
	default:
		return nil, fmt.Errorf("read import of drop %s: %w", p.Drop, err)
	}
	return row, r.addReports(ctx, row)
}

// addFiles adds the names of the archives, as far as the inbox has a record of them.
func (r *reader) addFiles(ctx context.Context, row *Row) error {
	d, err := state.ReadDrop(ctx, r.store, row.Owner, row.Drop)
	switch {
	case objects.IsMissing(err): // the archive is gone; the receipt has the names
	case fault.Of(err) == fault.Permanent && err != nil:
		row.Unusable = fault.Loggable(err)
	case err != nil:
		return err
	}
	if err == nil {
		for _, p := range d.Parts {
			row.Files = append(row.Files, p.Name)
		}
	}
	return nil
}

// addRecord adds where the job stands.
func (r *reader) addRecord(ctx context.Context, row *Row, rec job.Record) error {
	switch {
	case rec.State == job.Open:
		return r.addOpen(ctx, row, rec)
	case rec.Outcome == job.Done:
		accepted, ok, err := state.ReadReceipt(ctx, r.store, row.Owner, row.Drop, row.Gen)
		if err == nil && !ok {
			key := state.ReceiptKey(row.Owner, row.Drop, row.Gen)
			err = fault.Permanentf(objects.UnusableHint(key), "read %s: it is missing", key)
		}
		if err == nil {
			row.addReceipt(accepted)
		}
		return err
	case rec.Outcome == job.Erased:
		row.State, row.Files = StateErased, nil
		return nil
	}
	report, err := receipt.Maker{Store: r.store}.Unaccepted(ctx, row.Ref(), rec)
	if err != nil {
		return err
	}
	row.addReceipt(report)
	row.Receipt = ""
	e, err := r.entry(ctx, row.Ref())
	if e.Import != row.Import {
		row.Kept = e.Import
	}
	return err
}

// addOpen adds how far an open generation has come, as storage tells it.
func (r *reader) addOpen(ctx context.Context, row *Row, rec job.Record) error {
	row.State = StateWaiting
	switch {
	case rec.Want.Erase:
		row.State = StateAssembling
		return nil
	case rec.Import == "":
		return nil
	}
	row.State = StateExtracting
	m, ok, err := state.ReadManifest(ctx, r.store, row.Owner, rec.Import)
	if err == nil && !ok {
		key := state.ManifestKey(row.Owner, rec.Import)
		err = fault.Permanentf(objects.UnusableHint(key), "read %s: it is missing", key)
	}
	if err != nil {
		return err
	}
	row.setImporters(m.Importers)
	row.setCounts(m.Counts)
	p, err := r.jobs.Progress(ctx, row.Ref())
	if err != nil {
		return err
	}
	row.Shards, row.Extracted, row.Failed = p.Shards, p.Complete, p.Failed
	if p.Complete+p.Failed >= p.Shards {
		row.State = StateAssembling
	}
	return nil
}

// addReports adds what the workers report. What is true stands without it, so its errors end
// nothing but with the context.
func (r *reader) addReports(ctx context.Context, row *Row) error {
	if r.Board == nil {
		return nil
	}
	for p, err := range r.Board.Progress(ctx, row.Owner, row.Drop) {
		if err != nil {
			return ctx.Err()
		}
		row.addProgress(p)
	}
	return nil
}
