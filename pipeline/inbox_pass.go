package pipeline

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// InboxPass is what one look through the whole inbox found.
type InboxPass struct {
	Drops   int // everything that lies there
	Known   int // of which somebody has a record already
	Asked   int // for which a task was queued
	Queued  int // for which one is waiting already
	Growing int // which may not be complete yet
	Removed int // records of what has gone
}

// ScanInbox lists all inboxes beside the records of what was taken from them and queues a task for whatever has none. That
// takes two listings, which both come by owner, and no other request but for owners who have something new. Keys are people's
// own names, so there is no place in the list to begin at. It holds the records of one owner at a time, and those of what lies
// in the inbox's root or in nobody's.
//
// It may run any number of times, and several at once: the worst that comes of it is a task whose work is done.
func ScanInbox(ctx context.Context, d Deps, js jetstream.JetStream) (p InboxPass, err error) {
	d.Store = state.ClassedStore{Store: d.Store}
	now, err := storeTime(ctx, d.Store)
	if err != nil {
		return p, err
	}
	s := &inboxScan{Deps: d, js: js, now: now, pass: &p}
	next, stop := iter.Pull2(takenRecords(ctx, d.Store, state.TakenRoot))
	defer stop()
	s.records = recordGroups{next: next}
	return p, s.all(ctx)
}

type inboxScan struct {
	Deps
	js      jetstream.JetStream
	now     time.Time // by the store's clock
	pass    *InboxPass
	records recordGroups
	asking  ownerQueue
}

// all walks both listings side by side.
func (s *inboxScan) all(ctx context.Context) error {
	loose, err := s.loose(ctx)
	if err != nil {
		return err
	}
	owner, mine := "", newKnown()
	for u, err := range inboxUnits(ctx, s.Store, s.Inbox, state.InboxRoot, 0) {
		if err != nil {
			return err
		}
		s.pass.Drops++
		group := mine
		if strings.HasPrefix(u.Record(), state.TakenRoot+state.Nobody+"/") {
			group = loose
		} else if u.owner != owner {
			if err := s.leave(ctx, mine); err != nil {
				return err
			}
			owner = u.owner
			if mine, err = s.upTo(ctx, owner); err != nil {
				return err
			}
			group = mine
		}
		if err := s.look(ctx, u, group); err != nil {
			return err
		}
	}
	for _, k := range []known{mine, loose} {
		if err := s.leave(ctx, k); err != nil {
			return err
		}
	}
	_, err = s.upTo(ctx, "") // whoever has records only
	return err
}

// look decides about one unit.
func (s *inboxScan) look(ctx context.Context, u inboxUnit, k known) error {
	if k.see(u.id) {
		s.pass.Known++
		return nil
	}
	t := u.task()
	if t.Refuse == "" && s.Inbox.patience(u, s.now) > 0 {
		s.pass.Growing++
		return nil
	}
	queued, err := s.asking.Ask(ctx, s.js, t, s.Limits.OwnerSmall)
	switch {
	case err != nil:
		return err
	case queued:
		s.pass.Queued++
	default:
		s.pass.Asked++
	}
	return nil
}

// loose are the records of what belongs to no owner's group.
func (s *inboxScan) loose(ctx context.Context) (known, error) {
	k := newKnown()
	for r, err := range takenRecords(ctx, s.Store, state.TakenRoot+state.Nobody+"/") {
		if err != nil {
			return k, err
		}
		k.Add(r)
	}
	return k, nil
}

// upTo reads the records of an owner, after those of the owners before, who have nothing in the inbox any more. "" reads
// all that are left.
func (s *inboxScan) upTo(ctx context.Context, owner string) (known, error) {
	for {
		k, ok, err := s.records.group(owner)
		if err != nil || !ok || k.owner == owner {
			return k, err
		}
		if err := s.leave(ctx, k); err != nil {
			return k, err
		}
	}
}

// leave removes the records of one group whose things have gone: they would be looked at in every pass to come. A record that
// was written since the listings began may be of something that came since.
func (s *inboxScan) leave(ctx context.Context, k known) error {
	for id, r := range k.unseen {
		if !r.ModTime.Before(s.now) {
			continue
		}
		if err := s.Store.Delete(ctx, r.Key); err != nil {
			return fmt.Errorf("remove record %s of what has gone: %w", id, err)
		}
		s.pass.Removed++
	}
	return nil
}

// takenRecords lists the records under a prefix.
func takenRecords(ctx context.Context, s blob.Store, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range s.List(ctx, prefix) {
			if err != nil {
				yield(o, fmt.Errorf("list records of drops: %w", err))
				return
			}
			if _, _, ok := takenID(o.Key); ok && !yield(o, nil) {
				return
			}
		}
	}
}
