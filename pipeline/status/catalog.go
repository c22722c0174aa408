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
	// Shared: the Board has all imports of late of all owners, so a list of all owners need not list
	// everybody's storage.
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

// List gives a page of imports: one row for each drop, in its newest generation. With Query.ID it
// also gives older generations, if their import has that id.
func (c *Catalog) List(ctx context.Context, q Query) (Page, error) {
	if err := q.check(); err != nil {
		return Page{}, err
	}
	places, err := c.listPlaces(ctx, q)
	if err != nil {
		return Page{}, err
	}
	page := Page{Imports: []Row{}}
	reader := c.newReader()
	for len(places) > 0 {
		n := min(len(places), batch)
		if q.Limit > 0 && q.State == "" {
			n = min(n, q.Limit-len(page.Imports))
		}
		rows, err := reader.readAll(ctx, places[:n], q.ID)
		if err != nil {
			return page, err
		}
		for i, r := range rows {
			if r == nil || !q.wants(*r) { // nil: it has gone
				continue
			}
			page.Imports = append(page.Imports, *r)
			if q.Limit > 0 && len(page.Imports) == q.Limit {
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
func (r *reader) readAll(ctx context.Context, places []place, id string) ([]*Row, error) {
	rows := make([]*Row, len(places))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, p := range places {
		g.Go(func() (err error) {
			if rows[i], err = r.read(gctx, p); err == nil && id != "" {
				rows[i], err = r.generationOf(gctx, rows[i], id)
			}
			return err
		})
	}
	return rows, g.Wait()
}
