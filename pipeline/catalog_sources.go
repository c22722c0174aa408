package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// stored lists what storage has: the imports, and the requests that nobody has opened yet.
func (c *Catalog) stored(ctx context.Context, q Query, p *page) error {
	begun := map[string]bool{} // owner/drop of the open ones
	one := func(at place, packs int) error {
		if !strings.HasPrefix(at.Import, q.Import) {
			return nil
		}
		if at.Ended && q.State == "" {
			p.Add(entry{place: at})
			return nil
		}
		st, err := c.status(ctx, at)
		if err != nil || st == nil {
			return err
		}
		if st.Open() {
			asked, err := c.asked(ctx, *st)
			if err == nil && !asked {
				st, err = c.status(ctx, at) // it may have ended since
			}
			if err != nil || st == nil || !asked && st.Open() {
				return err // given up before it had a manifest, or superseded: a receipt of its drop says what came instead
			}
		}
		at.Ended = !st.Open()
		if st.Open() {
			st.Shards = max(st.Shards, packs)
			begun[at.Owner+"/"+st.Drop] = true
			if t := stamped(st.UpdatedAt); !t.IsZero() {
				at.At = t.UnixMilli()
			}
		}
		if q.wants(*st) {
			p.Add(entry{place: at, status: st})
		}
		return nil
	}
	if err := eachImport(ctx, c.store, q.Owner, one); err != nil {
		return err
	}
	return c.waiting(ctx, q, p, begun)
}

// asked tells whether somebody still asks for the drop of an import, which may not be known: then for any of the owner's.
func (c *Catalog) asked(ctx context.Context, st Status) (bool, error) {
	if state.CheckHex("drop", st.Drop) == nil {
		open, err := openAsks(ctx, c.store, st.Owner, st.Drop)
		return len(open) > 0, err
	}
	for _, err := range c.store.List(ctx, state.RequestPrefix(st.Owner)) {
		return err == nil, err
	}
	return false, nil
}

// eachImport gives the imports of an owner, or of all, in the order of their keys: whether they have a receipt, when, and
// how many packs.
func eachImport(ctx context.Context, s blob.Store, owner string, do func(at place, packs int) error) error {
	prefix := "owners/"
	if owner != "" {
		prefix = state.OwnerKey(owner, "imports/")
	}
	var at place
	packs := 0
	flush := func() error {
		if at.Import == "" {
			return nil
		}
		return do(at, packs)
	}
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return fmt.Errorf("list imports: %w", err)
		}
		parts := strings.SplitN(strings.TrimPrefix(o.Key, "owners/"), "/", 4)
		if len(parts) < 4 || parts[1] != "imports" || state.CheckOwner(parts[0]) != nil || state.CheckHex("import", parts[2]) != nil {
			continue
		}
		if parts[0] != at.Owner || parts[2] != at.Import {
			if err := flush(); err != nil {
				return err
			}
			at, packs = place{Owner: parts[0], Import: parts[2]}, 0
		}
		when := o.ModTime.UnixMilli()
		switch {
		case parts[3] == "receipt.json":
			at.Ended, at.At = true, when
		case !at.Ended:
			at.At = max(at.At, when)
		}
		if strings.HasPrefix(parts[3], "snapshots/") && strings.HasSuffix(parts[3], ".jsonl") {
			packs++
		}
	}
	return flush()
}

// waiting adds the requests whose drops nobody has opened.
func (c *Catalog) waiting(ctx context.Context, q Query, p *page, begun map[string]bool) error {
	if q.Import != "" {
		return nil // they have no id yet
	}
	prefix := "work/"
	if q.Owner != "" {
		prefix = state.RequestPrefix(q.Owner)
	}
	var last openRequest // of several for a drop, which lie side by side, the newest is told
	flush := func() {
		if last.owner == "" || begun[last.owner+"/"+last.drop] {
			return
		}
		one := last // of another name than a drop's is what somebody put among them, which is told, too
		st := Status{Owner: last.owner, Drop: last.drop, State: StateWaiting, UpdatedAt: stamp(last.since)}
		if q.wants(st) {
			p.Add(entry{place{At: last.since.UnixMilli(), Owner: last.owner, Drop: last.drop}, &st, &one})
		}
	}
	for o, err := range c.store.List(ctx, prefix) {
		if err != nil {
			return fmt.Errorf("list requests: %w", err)
		}
		r, ok := openRequestAt(o)
		switch {
		case !ok:
		case r.owner != last.owner || r.drop != last.drop:
			flush()
			last = r
		case r.compare(last) > 0:
			last = r
		}
	}
	flush()
	return nil
}

// told lists what the board has, so that nobody's storage is listed. An import that it calls open may have ended under
// another name or unheard: then storage says so.
func (c *Catalog) told(ctx context.Context, q Query, p *page) error {
	begun := map[string]bool{}
	id := ""
	if len(q.Import) == state.ImportIDLength {
		id = q.Import
	}
	for t, err := range c.board.each(ctx, "", id) {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(t.Import, q.Import) || state.CheckOwner(t.Owner) != nil || state.CheckHex("import", t.Import) != nil {
			continue
		}
		st := Status{Import: t.Import, Owner: t.Owner, Drop: t.Drop, State: t.State, Conversations: t.Conversations, Records: t.Records,
			Shards: t.Shards, Extracted: t.Extracted, Memories: t.Memories}
		if st.Open() {
			open, err := c.reallyOpen(ctx, &st)
			if err != nil {
				return err
			}
			if !open && st.Open() {
				continue
			}
			begun[st.Owner+"/"+st.Drop] = st.Open()
		} else {
			st.Receipt = state.ReceiptKey(st.Owner, st.Import)
		}
		st.overlay(t)
		if q.wants(st) {
			p.Add(entry{place: place{Ended: !st.Open(), At: stamped(st.UpdatedAt).UnixMilli(), Owner: st.Owner, Import: st.Import}, status: &st})
		}
	}
	return c.waiting(ctx, q, p, begun)
}

// reallyOpen asks storage about an import that should not have ended; if it has, st says how.
func (c *Catalog) reallyOpen(ctx context.Context, st *Status) (bool, error) {
	r, ended, err := state.ReadReceipt(ctx, c.store, st.Owner, st.Import)
	if fault.Of(err) == fault.Permanent {
		st.unreadable(err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if ended {
		st.receipt(r)
		return false, nil
	}
	return c.asked(ctx, *st)
}

// Catalog lists what this process works on; of its progress it knows more than storage.
func (l *Local) Catalog() *Catalog { return &Catalog{store: l.worker.Store, board: l.worker.track} }

// Catalog lists what the cluster works on.
func (r *Remote) Catalog() *Catalog { return ClusterCatalog(r.store, r.js) }

// Catalog lists what the cluster works on.
func (w *Worker) Catalog() *Catalog { return ClusterCatalog(w.Store, w.js) }

// Find gives the one import whose id begins like this, of an owner or, with "", of anybody.
func (c *Catalog) Find(ctx context.Context, owner, begin string) (Status, error) {
	found, err := c.List(ctx, Begins(owner, begin))
	if err != nil {
		return Status{}, err
	}
	return found.Only(begin)
}

// Begins asks for the imports whose id begins like this, as many as [Listed.Only] needs.
func Begins(owner, begin string) Query { return Query{Owner: owner, Import: begin, Limit: 2} }

// Only gives the import that begins like this. ErrNoImport: there is none; ErrQuery: there are several.
func (l Listed) Only(begin string) (Status, error) {
	switch {
	case begin == "":
		return Status{}, fmt.Errorf("%w: no import is named", ErrQuery)
	case len(l.Imports) == 0:
		return Status{}, fmt.Errorf("find import %s: %w", begin, ErrNoImport)
	case len(l.Imports) > 1:
		return Status{}, fmt.Errorf("%w: several imports begin with %s: give more of the id", ErrQuery, begin)
	}
	return l.Imports[0], nil
}

// ErrNoImport: no import has such an id.
var ErrNoImport = errors.New("there is no such import")
