package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// place is where a row stands in a list. Listings alone tell it.
type place struct {
	Ended bool   `json:"e,omitempty"`
	At    int64  `json:"t"` // ms since 1970, by the clock of the store
	Owner string `json:"o"`
	Drop  string `json:"d"`
}

func (p place) ref() job.Ref { return job.Ref{Owner: p.Owner, Drop: p.Drop} }

func (p place) time() time.Time { return time.UnixMilli(p.At) }

// compare orders open imports before ended ones, and newer ones before older ones.
func (p place) compare(q place) int {
	if p.Ended != q.Ended {
		if q.Ended {
			return -1
		}
		return 1
	}
	return cmp.Or(-cmp.Compare(p.At, q.At), cmp.Compare(p.Owner, q.Owner), cmp.Compare(p.Drop, q.Drop))
}

// listing collects the places of a query: those of its rows, and others where that is cheaper.
type listing struct {
	*Catalog
	Query
	hints map[job.Ref]time.Time // of jobs that may be open, and since when

	mu     sync.Mutex
	places []place
}

// listPlaces gives the places of a query behind its cursor, in order.
func (c *Catalog) listPlaces(ctx context.Context, q Query) ([]place, error) {
	after, err := q.cursor()
	if err != nil {
		return nil, err
	}
	l := &listing{Catalog: c, Query: q}
	if err := l.collect(ctx); err != nil {
		return nil, fmt.Errorf("list imports: %w", err)
	}
	slices.SortFunc(l.places, place.compare)
	if after == nil {
		return l.places, nil
	}
	n, found := slices.BinarySearchFunc(l.places, *after, place.compare)
	if found {
		n++
	}
	return l.places[n:], nil
}

func (l *listing) collect(ctx context.Context) error {
	if l.ID != "" {
		return l.addID(ctx)
	}
	if err := l.readHints(ctx); err != nil {
		return err
	}
	inboxOf, add := l.Owner, l.addJobs
	switch shared := l.Shared && l.Owner == ""; {
	case l.State == StateOpen || slices.Contains(openStates, l.State):
		return l.addOpen(ctx)
	case l.State == state.StateFailed || l.State == state.StateRefused:
		add = l.addFailed
	case shared:
		inboxOf, add = state.Nobody, l.addReported // entries of owners are in the lists of their owners
	}
	if err := add(ctx); err != nil {
		return err
	}
	return l.addRefused(ctx, inboxOf)
}

// add adds the place of a job or an entry.
func (l *listing) add(ref job.Ref, at time.Time) {
	p := place{Ended: true, At: at.UnixMilli(), Owner: ref.Owner, Drop: ref.Drop}
	if since, open := l.hints[ref]; open {
		p.Ended, p.At = false, since.UnixMilli()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places = append(l.places, p)
}

// addJob adds a job by its record, if it has one.
func (l *listing) addJob(ctx context.Context, ref job.Ref) error {
	o, err := l.store.Head(ctx, state.JobKey(ref.Owner, ref.Drop))
	if objects.IsMissing(err) {
		return nil
	}
	if err == nil {
		l.add(ref, o.ModTime)
	}
	return err
}

// eachGeneration lists the objects of generations below a root.
func (l *listing) eachGeneration(ctx context.Context, root string, do func(ref job.Ref, rest string, at time.Time) error) error {
	prefix := root
	if l.Owner != "" {
		prefix += l.Owner + "/"
	}
	for o, err := range l.store.List(ctx, prefix) {
		if err != nil {
			return err
		}
		owner, drop, _, rest, ok := state.ParseGeneration(root, o.Key)
		if !ok || drop == state.OwnerJob {
			continue
		}
		if err := do(job.Ref{Owner: owner, Drop: drop}, rest, o.ModTime); err != nil {
			return err
		}
	}
	return nil
}

func (l *listing) readHints(ctx context.Context) error {
	l.hints = map[job.Ref]time.Time{}
	return l.eachGeneration(ctx, state.OpenRoot, func(ref job.Ref, _ string, at time.Time) error {
		if at.After(l.hints[ref]) {
			l.hints[ref] = at
		}
		return nil
	})
}

func (l *listing) addOpen(context.Context) error {
	for ref, since := range l.hints {
		l.add(ref, since)
	}
	return nil
}

// addFailed adds the drops with failed objects: each refused or failed import has one.
func (l *listing) addFailed(ctx context.Context) error {
	var last job.Ref
	return l.eachGeneration(ctx, state.FailedRoot, func(ref job.Ref, unit string, _ time.Time) error {
		kind := job.Kind(strings.TrimSuffix(unit, ".json"))
		if ref == last || kind != job.Ingest && kind != job.Assemble {
			return nil
		}
		last = ref
		return l.addJob(ctx, ref)
	})
}

// addReported adds what the workers of a cluster have reported, so that nobody's storage is listed,
// and the open imports of which nobody has reported yet.
func (l *listing) addReported(ctx context.Context) error {
	for p, err := range l.Board.Progress(ctx, "", "") {
		if err != nil {
			return err
		}
		ref := job.Ref{Owner: p.Owner, Drop: p.Drop}
		if _, open := l.hints[ref]; !open && state.CheckOwner(p.Owner) == nil && state.CheckDigest("drop", p.Drop) == nil {
			l.add(ref, parseTime(p.UpdatedAt))
		}
	}
	return l.addOpen(ctx)
}

// addRefused adds the refused entries of an inbox.
func (l *listing) addRefused(ctx context.Context, owner string) error {
	for r, err := range inbox.ListRefusals(ctx, l.store, owner, l.ID) {
		if err != nil {
			return err
		}
		l.add(job.Ref{Owner: r.Owner, Drop: r.ID}, r.At)
	}
	return nil
}
