package status

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// Find gives the one row that an id names: a prefix of at least MinID digits of an import or of a
// drop, of an owner or, with "", of any. A drop and the import of its newest generation name its
// newest generation; the import of an older generation names that one. ErrNoImport: there is none;
// ErrQuery: the prefix is too short, or several begin with it.
func (c *Catalog) Find(ctx context.Context, owner, id string) (Row, error) {
	page, err := c.List(ctx, QueryOf(owner, id))
	if err != nil {
		return Row{}, err
	}
	return page.Only(id)
}

// QueryOf gives the query whose page has the one row that an id names, if there is one.
func QueryOf(owner, id string) Query { return Query{Owner: owner, ID: id, Limit: 2} }

// Only gives the one row of a page of QueryOf.
func (p Page) Only(id string) (Row, error) {
	switch {
	case id == "":
		return Row{}, fmt.Errorf("%w: no import is named", ErrQuery)
	case len(p.Imports) == 0:
		return Row{}, fmt.Errorf("find import %s: %w", id, ErrNoImport)
	case len(p.Imports) > 1:
		return Row{}, fmt.Errorf("%w: several imports begin with %s: use more digits", ErrQuery, id)
	}
	return p.Imports[0], nil
}

// addID adds the drops and entries that have an id, and the drops with an import of it.
func (l *listing) addID(ctx context.Context) error {
	inboxOf := l.Owner
	if l.Shared && l.Owner == "" {
		inboxOf = state.Nobody
		for p, err := range l.Board.Progress(ctx, "", "") {
			if err != nil {
				return err
			}
			if strings.HasPrefix(p.Drop, l.ID) || strings.HasPrefix(p.Import, l.ID) {
				l.add(job.Ref{Owner: p.Owner, Drop: p.Drop}, parseTime(p.UpdatedAt))
			}
		}
	}
	if len(l.places) == 0 { // else it was reported lately
		if err := l.eachOwner(ctx, func(owner string) error { return l.addIDOf(ctx, owner) }); err != nil {
			return err
		}
	}
	return l.addRefused(ctx, inboxOf)
}

// addIDOf adds the drops of an owner that have an id, or an import of it that has been read.
func (l *listing) addIDOf(ctx context.Context, owner string) error {
	if _, err := l.addJobsOf(ctx, owner, l.ID, "", 0); err != nil {
		return err
	}
	last, prefix := "", state.OwnerKey(owner, "imports/")
	for o, err := range l.store.List(ctx, prefix+l.ID) {
		if err != nil {
			return err
		}
		id, _, _ := strings.Cut(o.Key[len(prefix):], "/")
		if id == last {
			continue
		}
		last = id
		m, ok, err := state.ReadManifest(ctx, l.store, owner, id)
		if fault.Of(err) == fault.Permanent && err != nil || err == nil && !ok {
			continue // the drop's id finds it
		}
		ref := job.Ref{Owner: owner, Drop: m.Drop}
		if err == nil && !slices.ContainsFunc(l.places, func(p place) bool { return p.ref() == ref }) {
			err = l.addJob(ctx, ref)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
