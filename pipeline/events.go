package pipeline

import (
	"context"
	"strings"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
)

// Events reads one notification of the bucket and asks for what it tells of to be taken. It is a hint and no more: what it
// says of an object is asked of the store again, and what no notification tells of is found by the next listing.
//
// Of a folder only the marker is worth a task: any other object of it would have the whole folder listed, for nothing.
func Events(ctx context.Context, d Deps, data []byte, publish func(context.Context, TakeTask) error) error {
	events, err := decodeEvents(data)
	if err != nil && len(data) > maxUnread {
		d.Log.Error("a notification that cannot be read is too large for a dead letter and was removed; the next listing finds its drop", zap.Int("bytes", len(data)), zap.Error(err))
		return nil
	}
	if err != nil {
		return &Fault{Class: Permanent, Err: err, Hint: "docs/drops.md names the forms that are read; the drop itself is found by the next listing of the inbox"}
	}
	for _, e := range events {
		if !e.created() || d.Inbox.Bucket != "" && e.bucket != d.Inbox.Bucket {
			continue
		}
		t, ok, err := d.told(ctx, e.keys)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := publish(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// told finds the object that a notification means and makes the task for it.
func (d Deps) told(ctx context.Context, keys []string) (t TakeTask, ok bool, err error) {
	for _, key := range keys {
		key, inside := d.Inbox.within(key)
		if !inside || badName(key) != nil {
			continue
		}
		l := d.Inbox.lies(blob.Object{Key: key, Size: 1})
		if l.ignore || l.owner == "" || l.inner != "" && !l.marker() {
			continue // the listing sees to what belongs to nobody, for it writes that down once
		}
		o, err := d.Store.Head(ctx, key)
		if isMissing(err) {
			continue // it is called otherwise, or has gone again
		}
		if err != nil {
			return t, false, err
		}
		return TakeTask{V: MessageVersion, Owner: l.owner, Key: l.unit, Lane: Lane(o.Size)}, true, nil
	}
	return t, false, nil
}

// within gives the key as the store knows it, of one that lies in the inbox.
func (in Inbox) within(key string) (string, bool) {
	if in.Prefix != "" {
		rest, inside := strings.CutPrefix(key, strings.Trim(in.Prefix, "/")+"/")
		if !inside {
			return "", false
		}
		key = rest
	}
	return key, strings.HasPrefix(key, inboxRoot)
}

// maxUnread is the largest notification that a dead letter has room for: what is no JSON takes twice as much there, and a
// message may have a megabyte.
const maxUnread = 400 << 10

func (w *Worker) events(ctx context.Context, data []byte) error {
	return Events(ctx, w.Deps, data, func(ctx context.Context, t TakeTask) error {
		lane, err := FairLane(ctx, w.js, StageTake, t.Owner, t.Lane, w.Limits.OwnerSmall)
		if err != nil {
			return err
		}
		t.Lane = lane
		return w.publish(ctx, t)
	})
}

// giveUpEvents leaves nothing: the dead letter says all there is.
func (w *Worker) giveUpEvents(context.Context, []byte, error) error { return nil }
