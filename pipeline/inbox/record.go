package inbox

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Record is the small record of an entry. While it exists, nobody looks at the entry again.
type Record struct {
	V    int    `json:"v"`
	Key  string `json:"key"`
	Drop string `json:"drop,omitempty"` // "" for a refusal
	// Reason and Hint say why the entry was refused and what to do. Reason may quote a person's
	// words.
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
	// Failed: nothing is known to be wrong with the entry, but its last attempt failed, too.
	Failed bool   `json:"failed,omitempty"`
	At     string `json:"at"`

	// ID and Owner are those of the record's key; Owner is "" for entries of nobody and of the
	// root.
	ID    string `json:"-"`
	Owner string `json:"-"`
}

const (
	// recordIDLength is that of an entry's id, in hex digits: enough to tell apart what one owner
	// puts anywhere, ever.
	recordIDLength = 32
	refusedSuffix  = ".refused.json"
)

// refusedKey is the key of the record of a refused entry. It has another name than the record of a
// taken one, so that refusals are found by a listing.
func refusedKey(owner, id string) string {
	return strings.TrimSuffix(state.TakenKey(owner, id), ".json") + refusedSuffix
}

// parseRecordKey reads the owner (state.Nobody for entries of nobody and of the root) and the id of
// a small record; ok is false for another object.
func parseRecordKey(key string) (owner, id string, refused, ok bool) {
	owner, name, _ := strings.Cut(strings.TrimPrefix(key, state.TakenRoot), "/")
	id, refused = strings.CutSuffix(name, refusedSuffix)
	if !refused {
		id, ok = strings.CutSuffix(name, ".json")
	}
	ok = (ok || refused) && len(id) == recordIDLength && state.CheckDigest("record", id) == nil
	return owner, id, refused, ok && (owner == state.Nobody || state.CheckOwner(owner) == nil)
}

// listRecords lists the small records under a prefix.
func listRecords(ctx context.Context, s blob.Store, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range s.List(ctx, prefix) {
			if err != nil {
				yield(o, fmt.Errorf("list records of drops: %w", err))
				return
			}
			if _, _, _, ok := parseRecordKey(o.Key); ok && !yield(o, nil) {
				return
			}
		}
	}
}

// hasRecord looks for the records of an entry.
func (in *Inbox) hasRecord(ctx context.Context, e entry) (taken, refused bool, err error) {
	prefix := strings.TrimSuffix(state.TakenKey(e.recordOwner(), e.id), ".json")
	for o, err := range listRecords(ctx, in.Store, prefix) {
		if err != nil {
			return false, false, err
		}
		if _, _, isRefused, _ := parseRecordKey(o.Key); isRefused {
			refused = true
		} else {
			taken = true
		}
	}
	return taken, refused, nil
}

// recordTaken writes the small record of an entry that became a drop.
func (in *Inbox) recordTaken(ctx context.Context, e entry, drop string) error {
	return objects.PutJSON(ctx, in.Store, state.TakenKey(e.recordOwner(), e.id), Record{V: 1, Key: e.key, Drop: drop, At: in.timestamp()})
}

// recordRefused writes the small record that says why an entry was refused.
func (in *Inbox) recordRefused(ctx context.Context, e entry, cause error) error {
	r := Record{V: 1, Key: e.key, Reason: cause.Error(), Failed: fault.Of(cause) != fault.Permanent, At: in.timestamp()}
	var f *fault.Fault
	if errors.As(cause, &f) {
		r.Reason, r.Hint = f.Err.Error(), f.Hint
	}
	if err := objects.PutJSON(ctx, in.Store, refusedKey(e.recordOwner(), e.id), r); err != nil {
		return fmt.Errorf("record refusal: %w", err)
	}
	return nil
}

func (in *Inbox) timestamp() string { return in.Now().UTC().Format(time.RFC3339) }
