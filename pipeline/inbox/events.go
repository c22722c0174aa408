package inbox

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// The notifications of all owners come in one stream, in the order of the uploads. So that no owner
// waits for those before, a batch of them costs a bounded number of tasks for each owner: a task
// for each entry, or, beyond a few, one task that lists the owner's inbox. The storage is not
// asked.
const (
	// eventBatch notifications are handled together, and eventBatches batches at a time.
	eventBatch   = 128
	eventBatches = 4
	// eventTasks is how many entries of one inbox and batch get a task of their own.
	eventTasks = 8
	// eventSends is how many messages a batch sends at a time.
	eventSends = 16
	// scanDelay collects what asks for a listing. A delayed copy that waits stands for all that ask
	// meanwhile, and the queue does not begin its listing before the running one has ended. So a
	// listing that has passed the place of an entry does not hide that entry.
	scanDelay = time.Second / 2
	// copyPause is the time between two looks for a delayed copy.
	copyPause = 10 * time.Millisecond
)

// ConsumeEvents handles the notifications of a bucket until ctx ends. Notifications are hints: the
// task looks at the storage, and what no notification is about is found by the next listing.
func (in *Inbox) ConsumeEvents(ctx context.Context) error {
	return in.queue.ConsumeBatches(ctx, dispatch.StreamEvents, queue.Batches{Size: eventBatch, Parallel: eventBatches}, in.handleEvents)
}

// inboxPart is the part of the inbox that is listed for an owner: a folder, or the root.
type inboxPart struct{ owner, prefix string }

func partOf(owner, entry string) inboxPart {
	if inRoot(entry) {
		return inboxPart{owner, state.InboxRoot}
	}
	return inboxPart{owner, state.InboxPrefix(owner)}
}

// pendingEvents are the notifications of a batch about one part of the inbox.
type pendingEvents struct {
	entries    []string
	deliveries []int // indices in the batch
}

func (in *Inbox) handleEvents(ctx context.Context, batch []*queue.Delivery) {
	began := in.Now()
	fails := make([]error, len(batch))
	parts := in.groupEvents(batch, fails)
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(eventSends)
	for p, events := range parts {
		g.Go(func() error {
			if err := in.sendEvents(ctx, p, events.entries); err != nil {
				mu.Lock()
				defer mu.Unlock()
				for _, i := range events.deliveries {
					fails[i] = err
				}
			}
			return nil
		})
	}
	_ = g.Wait() // each delivery has its own error
	for i, d := range batch {
		g.Go(func() error {
			in.Metrics.Ended(telemetry.StageEvents, telemetry.OutcomeOf(ctx, fails[i]), in.Now(), in.Now().Sub(began))
			d.Settle(eventResult(ctx, fails[i]))
			return nil
		})
	}
	_ = g.Wait()
}

// groupEvents reads the notifications of a batch; fails gets the errors of those that it cannot
// read.
func (in *Inbox) groupEvents(batch []*queue.Delivery, fails []error) map[inboxPart]*pendingEvents {
	parts := map[inboxPart]*pendingEvents{}
	unreadable := 0
	for i, d := range batch {
		in.Metrics.Began(telemetry.StageEvents, d.NumDelivered > 1)
		var found []location
		if found, fails[i] = in.eventEntries(d.Body); fails[i] != nil {
			unreadable++
		}
		for _, l := range found {
			p := partOf(l.owner, l.entry)
			if parts[p] == nil {
				parts[p] = &pendingEvents{}
			}
			events := parts[p]
			events.deliveries = append(events.deliveries, i)
			if !slices.Contains(events.entries, l.entry) && len(events.entries) <= eventTasks {
				events.entries = append(events.entries, l.entry)
			}
		}
	}
	if unreadable > 0 {
		in.Log.Warn("notifications of no known form were removed; the next listing finds their drops, and docs/drops.md names the forms",
			zap.Int("removed", unreadable))
	}
	return parts
}

func eventResult(ctx context.Context, err error) queue.Result {
	switch {
	case err == nil:
		return queue.Done()
	case fault.IsDrain(ctx, err):
		return queue.Release()
	case fault.Of(err) == fault.Permanent:
		return queue.Drop("unreadable")
	}
	return queue.Outage()
}

// sendEvents sends the tasks of one part of the inbox. The size of an entry is not known yet: the
// handler of the task moves a large one to the other lane.
func (in *Inbox) sendEvents(ctx context.Context, p inboxPart, entries []string) error {
	if len(entries) > eventTasks {
		t := Task{V: 1, Owner: p.owner, Key: p.prefix, Scan: true}
		return in.queue.SendAfter(ctx, t.message(queue.FromHandler), scanDelay)
	}
	for _, key := range entries {
		t := Task{V: 1, Owner: p.owner, Key: key}
		if err := in.queue.Send(ctx, t.message(queue.FromHandler)); err != nil {
			return err
		}
	}
	return nil
}

// scanForEvents lists the inbox that notifications are about. The queue removes a delayed copy just
// after the task has entered its lane, and until then the copy would stand for requests of this
// moment, too. So the listing waits until the copy has gone, or is seen to be another one.
func (in *Inbox) scanForEvents(ctx context.Context, t Task) error {
	subject := t.message("").Subject
	copies := strings.Replace(subject, "."+t.Lane+".", ".wait.", 1) + ".>"
	for range scanDelay / copyPause {
		waiting, err := in.queue.Subjects(ctx, dispatch.StreamTake, copies)
		if err != nil {
			return err
		}
		if len(waiting) == 0 {
			break
		}
		select {
		case <-time.After(copyPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err := in.scanPrefix(ctx, t.Key)
	return err
}

// eventEntries reads a notification and gives the entries worth a task. A name that can be read in
// two ways gives two entries, of which one does not exist.
func (in *Inbox) eventEntries(data []byte) (found []location, err error) {
	var events []bucketEvent
	err = fault.Recovered("read notification", func() error {
		events, err = decodeEvents(data)
		return err
	})
	if err != nil {
		return nil, &fault.Fault{Class: fault.Permanent, Err: err}
	}
	for _, e := range events {
		if !e.isCreated() || in.Bucket != "" && e.bucket != in.Bucket {
			continue
		}
		for _, key := range e.keys {
			if l, ok := in.eventLocation(key); ok {
				found = append(found, l)
			}
		}
	}
	return found, nil
}

// eventLocation tells whether an object with this key in the bucket is worth a task. In a folder
// only the marker is: any other object would have the whole folder listed in vain. What belongs to
// nobody is left to the listing, which records that once.
func (r Rules) eventLocation(key string) (l location, ok bool) {
	if r.Prefix != "" {
		rest, inside := strings.CutPrefix(key, strings.Trim(r.Prefix, "/")+"/")
		if !inside {
			return l, false
		}
		key = rest
	}
	if !strings.HasPrefix(key, state.InboxRoot) || checkName(key) != nil {
		return l, false
	}
	l = r.locate(blob.Object{Key: key, Size: 1})
	return l, !l.skipped && l.owner != "" && (l.inner == "" || l.isMarker())
}
