package pipeline

import (
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

// Backoff bounds the waits between tries: first doubles up to max.
type Backoff struct{ First, Max time.Duration }

// Breaker says when the units of one stage, owner and importer wait because those before them failed.
type Breaker struct {
	Failures int           // in a row; 0: never
	Pause    time.Duration // before one is tried; it doubles as long as that one fails
}

// Inbox says how drops lie in the store's inbox.
type Inbox struct {
	// Owner is that of what lies in the inbox itself; "": such drops are refused.
	Owner string
	// Quiet is how long nothing in a folder without a marker must have changed.
	Quiet time.Duration
	// Parts is how many files a folder may have; 0: DefaultParts.
	Parts int
	// Scan is how often the inbox, and what has not ended, are looked through; 0: DefaultScan.
	Scan time.Duration
	// Bucket is the name that notifications give the store, and Prefix what keys there begin with; "" for a folder.
	Bucket, Prefix string
}

// hints reads a notification, and asks nobody. Those of one object whose two possible names lie in inboxes of two owners are two.
func (in Inbox) hints(data []byte) ([]hint, error) {
	events, err := decodeEvents(data)
	if err != nil {
		return nil, &fault.Fault{Class: fault.Permanent, Err: err, Hint: "docs/drops.md names the forms that are read; the drop itself is found by the next listing of the inbox"}
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

// within gives the key as the store knows it, of one that lies in the inbox.
func (in Inbox) within(key string) (string, bool) {
	if in.Prefix != "" {
		rest, inside := strings.CutPrefix(key, strings.Trim(in.Prefix, "/")+"/")
		if !inside {
			return "", false
		}
		key = rest
	}
	return key, strings.HasPrefix(key, state.InboxRoot)
}

func (in Inbox) parts() int {
	if in.Parts > 0 {
		return in.Parts
	}
	return state.DefaultParts
}

// lies tells what an object is to the inbox, by its name and size alone.
//
//	inbox/<file>                    of the owner of the inbox's root, if there is one
//	inbox/<owner>/<file>            a drop of one object
//	inbox/<owner>/<folder>/<path>   part of the drop that is the folder
func (in Inbox) lies(o blob.Object) lying {
	rest := strings.TrimPrefix(o.Key, state.InboxRoot)
	first, below, deep := strings.Cut(rest, "/")
	l := lying{bad: badName(o.Key), ignore: strings.HasSuffix(o.Key, "/") && o.Size == 0 || unfinished(first)}
	switch {
	case !deep:
		l.owner, l.unit = in.Owner, o.Key
		return l
	case state.CheckOwner(first) != nil:
		l.unit = state.InboxRoot + first + "/" // one refusal for all of it
		return l
	}
	l.owner = first
	folder, inner, deep := strings.Cut(below, "/")
	if !deep {
		l.unit = o.Key
		l.ignore = l.ignore || unfinished(folder)
		return l
	}
	l.unit, l.inner = state.InboxPrefix(first)+folder+"/", inner
	switch {
	case l.ignore:
	case ingest.Ours(folder, inner), unfinished(folder):
		l.ignore = true
	default:
		for name := range strings.SplitSeq(inner, "/") {
			l.ignore = l.ignore || unfinished(name) && name != "." && name != ".."
		}
		l.busy = l.ignore
	}
	return l
}

// patience is how long to wait until a unit counts as whole; 0: it does. now is the store's own clock.
func (in Inbox) patience(u inboxUnit, now time.Time) time.Duration {
	if u.marked || u.Whole(in) || in.Quiet <= 0 {
		return 0
	}
	return min(in.Quiet, max(0, in.Quiet-now.Sub(u.newest.ModTime)))
}

// unusable says why what a task names cannot be taken by anybody.
func (in Inbox) unusable(t TakeTask) error {
	l := in.lies(blob.Object{Key: t.Key, Size: 1})
	switch {
	case l.owner == "" && l.folder():
		return fault.Permanentf("name the folder by an owner: 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit",
			"take drop: the folder in the inbox is not named by an owner id")
	case l.owner == "":
		return fault.Permanentf("put it into the folder of its owner, or set owner to whose the inbox's root is",
			"take drop: it lies in the inbox itself, and nobody is the owner of that")
	case l.bad == nil:
		return badObject(errBadName)
	}
	return badObject(l.bad)
}
