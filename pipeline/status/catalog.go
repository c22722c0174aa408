package status

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
)

// Catalog lists imports. The zero Board and Shared stand for storage alone. It is safe for
// concurrent use.
//
// A list of one owner lists that owner's job records, a thousand with each request, and reads the
// objects of the rows on the page only: three or four of each. A list in one state reads rows until
// the page is full; lists of open, refused and failed imports look at such imports only.
type Catalog struct {
	store blob.Store
	jobs  *job.Jobs
	// Board has the progress of imports; nil: none.
	Board Board
	// Shared: the Board has all imports of late of all owners, so a list of all owners need not
	// list everybody's storage.
	Shared bool
}

// NewCatalog gives the catalog of a store.
func NewCatalog(s blob.Store) *Catalog { return &Catalog{store: s, jobs: job.New(s, job.Options{})} }

// parallel is how many rows are read at a time; batch is how many are read before the next look
// whether a page is full.
const (
	parallel = 16
	batch    = 64
)

// List gives a page of imports: one row for each drop, in its newest generation, or with
// Query.Older in all. Query.ID gives the generation whose import has that id.
func (c *Catalog) List(ctx context.Context, q Query) (Page, error) {
	if err := q.check(); err != nil {
		return Page{}, err
	}
	places, err := c.listPlaces(ctx, q)
	if err != nil {
		return Page{}, err
	}
	page := Page{Imports: []Row{}}
	reader, found := c.newReader(), 0
	for len(places) > 0 {
		n := min(len(places), batch)
		if q.Limit > 0 && q.State == "" {
			n = min(n, q.Limit-found)
		}
		drops, err := reader.readAll(ctx, places[:n], q)
		if err != nil {
			return page, err
		}
		for i, rows := range drops {
			if len(rows) == 0 || !q.wants(rows[0]) {
				continue // it has gone, or is in another state
			}
			page.Imports = append(page.Imports, rows...)
			if found++; found == q.Limit {
				if i+1 < len(places) {
					page.Next = places[i].token()
				}
				return page, nil
			}
		}
		places = places[n:]
	}
	return page, nil
}

// readAll reads the rows of places, several at a time.
func (r *reader) readAll(ctx context.Context, places []place, q Query) ([][]Row, error) {
	drops := make([][]Row, len(places))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, p := range places {
		g.Go(func() error {
			newest, err := r.read(gctx, p)
			if err == nil && newest != nil {
				drops[i], err = r.generations(gctx, *newest, q)
			}
			return err
		})
	}
	return drops, g.Wait()
}
