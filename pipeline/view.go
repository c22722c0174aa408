package pipeline

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// View reports on the imports of a store. It writes nothing, and read access is enough.
type View struct {
	store   blob.Store
	jobs    *job.Jobs
	catalog *status.Catalog
}

var _ Viewer = (*View)(nil)

// NewView returns the view of a store, without the progress of running imports.
func NewView(s blob.Store) *View {
	s = objects.ClassedStore{Store: s}
	return &View{store: s, jobs: job.New(s, job.Options{}), catalog: status.NewCatalog(s)}
}

// JoinView returns the view of a store with the progress that a cluster reports. It creates nothing
// there. leave ends the connection.
func JoinView(ctx context.Context, s blob.Store, c queue.ConnectOptions) (v *View, leave func(), err error) {
	q, err := queue.Join(ctx, c, queue.Topology{}, queue.Options{Log: c.Log})
	if err != nil {
		return nil, nil, err
	}
	v = NewView(s)
	v.catalog.Board, v.catalog.Shared = status.BucketBoard{Queue: q, Bucket: dispatch.BucketImports}, true
	return v, q.Close, nil
}

// Imports lists one page of imports: running ones first, then the newest. A storage that does not
// answer is an outage within a few seconds.
func (v *View) Imports(ctx context.Context, q status.Query) (status.Page, error) {
	if err := status.CheckStore(ctx, v.store); err != nil {
		return status.Page{}, err
	}
	return v.catalog.List(ctx, q)
}

// Report returns the receipt of an ended generation, 0 for the newest; of one that was not
// accepted, a report in the same form.
func (v *View) Report(ctx context.Context, ref job.Ref, gen int) (state.Receipt, error) {
	return v.catalog.Report(ctx, ref, gen)
}

// DeadLetters lists one page of dead letters.
func (v *View) DeadLetters(ctx context.Context, f replay.Filter) (replay.LetterPage, error) {
	if err := status.CheckStore(ctx, v.store); err != nil {
		return replay.LetterPage{}, err
	}
	return replay.NewLetters(v.store).Page(ctx, f)
}

// FindImport returns the one import that an id names: a prefix of the id of an import or of a drop.
// An error of status.ErrNoImport tells that there is none, one of status.ErrQuery that the prefix
// names several or is none.
func FindImport(ctx context.Context, v Viewer, owner, id string) (status.Row, error) {
	page, err := v.Imports(ctx, status.Query{Owner: owner, ID: id, Limit: 2})
	switch {
	case err != nil:
		return status.Row{}, err
	case id == "":
		return status.Row{}, fmt.Errorf("%w: no import is named", status.ErrQuery)
	case len(page.Imports) == 0:
		return status.Row{}, fmt.Errorf("find import %s: %w", id, status.ErrNoImport)
	case len(page.Imports) > 1:
		return status.Row{}, fmt.Errorf("%w: several imports begin with %s: use more digits", status.ErrQuery, id)
	}
	return page.Imports[0], nil
}
