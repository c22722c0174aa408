package pipeline

import (
	"context"
	"strings"

	"github.com/pamline/pamline/blob"
)

// A notification is a hint and no more: what it says of an object is asked of the store again, and what no notification tells of
// is found by the next listing.

// hint is what a notification tells of one object.
type hint struct {
	inbox ownerInbox
	// keys are what the object may be called, all in that inbox, the likeliest first.
	keys []string
}

// hints reads a notification, and asks nobody. Those of one object whose two possible names lie in inboxes of two owners are two.
func (in Inbox) hints(data []byte) ([]hint, error) {
	events, err := decodeEvents(data)
	if err != nil {
		return nil, &Fault{Class: Permanent, Err: err, Hint: "docs/drops.md names the forms that are read; the drop itself is found by the next listing of the inbox"}
	}
	var out []hint
	for _, e := range events {
		if !e.created() || in.Bucket != "" && e.bucket != in.Bucket {
			continue
		}
		before := len(out)
		for _, key := range e.keys {
			key, l, ok := in.worth(key)
			if !ok {
				continue
			}
			p := inboxOf(l)
			if last := len(out) - 1; last >= before && out[last].inbox == p {
				out[last].keys = append(out[last].keys, key)
				continue
			}
			out = append(out, hint{p, []string{key}})
		}
	}
	return out, nil
}

// worth tells whether an object of this name, as the bucket has it, is worth a task. Of a folder only the marker is: any other
// object of it would have the whole folder listed, for nothing. What belongs to nobody is left to the listing, which writes
// that down once.
func (in Inbox) worth(key string) (_ string, l lying, ok bool) {
	key, inside := in.within(key)
	if !inside || badName(key) != nil {
		return key, l, false
	}
	l = in.lies(blob.Object{Key: key, Size: 1})
	return key, l, !l.ignore && l.owner != "" && (l.inner == "" || l.marker())
}

// told asks the store for the object that a hint means, and makes the task for it; ok is false when it has gone again.
func (d Deps) told(ctx context.Context, h hint) (t TakeTask, ok bool, err error) {
	for _, key := range h.keys {
		o, err := d.Store.Head(ctx, key)
		if isMissing(err) {
			continue // it is called otherwise
		}
		if err != nil {
			return t, false, err
		}
		l := d.Inbox.lies(blob.Object{Key: key, Size: 1})
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
