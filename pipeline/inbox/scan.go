package inbox

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
)

// Scan counts what one listing of the inbox found.
type Scan struct {
	Entries int // everything in the inbox
	Known   int // entries that have a record already
	Sent    int // entries for which a task was sent
	Queued  int // entries for which a task waits already
	Growing int // entries that may not be complete yet
	Removed int // records of entries that have gone
}

// ScanInbox lists all inboxes beside the small records and sends a task for each entry without one.
// That takes two listings, which both come by owner, and no other request except for owners with
// something new. Names are people's own, so there is no place in the listing to begin at. The scan
// holds the ids of one owner's records at a time, and those of the inbox's root.
//
// Any number of scans may run at once: the worst outcome is a task whose work is done.
func (in *Inbox) ScanInbox(ctx context.Context) (Scan, error) {
	return in.scanPrefix(ctx, state.InboxRoot)
}

// scanPrefix is ScanInbox for the whole inbox, or for that of one owner.
func (in *Inbox) scanPrefix(ctx context.Context, prefix string) (Scan, error) {
	s := &scan{Inbox: in, root: newRecordSet(""), records: newRecordSet("")}
	var err error
	if s.now, err = state.ReadStoreTime(ctx, in.Store); err != nil {
		return s.Scan, err
	}
	below := strings.TrimPrefix(prefix, state.InboxRoot)
	var stop func()
	s.next, stop = iter.Pull2(listRecords(ctx, in.Store, state.TakenRoot+below))
	defer stop()
	if below == "" {
		for o, err := range listRecords(ctx, in.Store, state.TakenRoot+state.Nobody+"/") {
			if err != nil {
				return s.Scan, err
			}
			s.root.add(o)
		}
	}
	for e, err := range in.entries(ctx, in.Store, prefix, 0) {
		if err == nil {
			err = s.see(ctx, e)
		}
		if err != nil {
			return s.Scan, err
		}
	}
	if err := s.advance(ctx, ""); err != nil {
		return s.Scan, err
	}
	return s.Scan, s.removeUnseen(ctx, s.root)
}

// scan is one listing in progress.
type scan struct {
	*Inbox
	Scan
	now     time.Time // by the clock of the store
	next    func() (blob.Object, error, bool)
	ahead   *blob.Object // was read already, and belongs to the next owner
	records recordSet    // of the owner whose entries are listed now
	root    recordSet    // of entries in the inbox's root and of those of nobody
	queued  queuedTasks
}

// recordSet has the small records of one owner.
type recordSet struct {
	owner  string
	ids    map[string]bool
	unseen map[string]blob.Object // by key; of entries that have not been listed
}

func newRecordSet(owner string) recordSet {
	return recordSet{owner, map[string]bool{}, map[string]blob.Object{}}
}

func (r recordSet) add(o blob.Object) {
	_, id, _, _ := parseRecordKey(o.Key)
	r.ids[id], r.unseen[o.Key] = true, o
}

// has tells whether an entry has a record, and notes that the entry exists.
func (r recordSet) has(e entry) bool {
	if !r.ids[e.id] {
		return false
	}
	delete(r.unseen, state.TakenKey(e.recordOwner(), e.id))
	delete(r.unseen, refusedKey(e.recordOwner(), e.id))
	return true
}

// see sends a task for an entry if it needs one.
func (s *scan) see(ctx context.Context, e entry) error {
	s.Entries++
	records := s.root
	if e.recordOwner() != "" {
		if err := s.advance(ctx, e.owner); err != nil {
			return err
		}
		records = s.records
	}
	if records.has(e) {
		s.Known++
		return nil
	}
	t := taskOf(e)
	if t.Refuse == "" && s.patience(e, s.now) > 0 {
		s.Growing++
		return nil
	}
	queued, err := s.queued.has(ctx, s.queue, t)
	if err != nil {
		return err
	}
	if queued {
		s.Scan.Queued++
		return nil
	}
	s.Sent++
	return s.queue.Send(ctx, t.message(queue.FromHandler))
}

// advance reads the records up to those of an owner, or all for "". Owners come in the order of
// their keys, in which "ann-b/" stands before "ann/".
func (s *scan) advance(ctx context.Context, owner string) error {
	if owner != "" && s.records.owner == owner {
		return nil
	}
	for {
		o, ok, err := s.peek()
		if err != nil {
			return err
		}
		who, _, _, _ := parseRecordKey(o.Key)
		if !ok || owner != "" && who+"/" > owner+"/" && who != state.Nobody {
			break
		}
		s.ahead = nil
		if who == state.Nobody {
			continue // those are in s.root
		}
		if s.records.owner != who {
			if err := s.removeUnseen(ctx, s.records); err != nil {
				return err
			}
			s.records = newRecordSet(who)
		}
		s.records.add(o)
	}
	if s.records.owner == owner {
		return nil
	}
	err := s.removeUnseen(ctx, s.records)
	s.records = newRecordSet(owner)
	return err
}

func (s *scan) peek() (blob.Object, bool, error) {
	if s.ahead == nil {
		o, err, ok := s.next()
		if err != nil || !ok {
			return o, false, err
		}
		s.ahead = &o
	}
	return *s.ahead, true, nil
}

// removeUnseen removes the records of entries that have gone: they would be read in every scan to
// come. A record that was written since the scan began may be of an entry that came since.
func (s *scan) removeUnseen(ctx context.Context, r recordSet) error {
	for key, o := range r.unseen {
		if !o.ModTime.Before(s.now) {
			continue
		}
		if err := s.Store.Delete(ctx, key); err != nil {
			return fmt.Errorf("remove record of an entry that has gone: %w", err)
		}
		s.Removed++
	}
	return nil
}

// queuedTasks knows the tasks of one owner that wait, so that a scan asks the server once for each
// owner with something new.
type queuedTasks struct {
	owner string
	ids   map[string]bool
}

func (q *queuedTasks) has(ctx context.Context, from *queue.Queue, t Task) (bool, error) {
	owner := strings.Split(t.message("").Subject, ".")[3]
	if q.ids == nil || q.owner != owner {
		subjects, err := from.Subjects(ctx, dispatch.StreamTake, "pam."+takeKind+".*."+owner+".>")
		if err != nil {
			return false, err
		}
		*q = queuedTasks{owner, map[string]bool{}}
		for subject := range subjects {
			if tokens := strings.Split(subject, "."); len(tokens) > 4 {
				q.ids[tokens[4]] = true
			}
		}
	}
	return q.ids[t.id()], nil
}
