package inbox

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Refusal is the record of a refused entry as a listing shows it.
type Refusal struct {
	Owner string // "" for entries of nobody and of the root
	ID    string
	At    time.Time // by the clock of the store
	Key   string    // of the record
}

// ListRefusals lists the refused entries of an owner's inbox whose ids have a prefix: state.Nobody
// stands for those of nobody and of the root, "" for all. It reads no record.
func ListRefusals(ctx context.Context, s blob.Store, owner, id string) iter.Seq2[Refusal, error] {
	prefix := state.TakenRoot
	if owner != "" {
		prefix += owner + "/" + id
	}
	return func(yield func(Refusal, error) bool) {
		for o, err := range listRecords(ctx, s, prefix) {
			if err != nil {
				yield(Refusal{}, err)
				return
			}
			owner, found, refused, _ := parseRecordKey(o.Key)
			if !refused || !strings.HasPrefix(found, id) {
				continue
			}
			r := Refusal{ID: found, At: o.ModTime, Key: o.Key}
			if owner != state.Nobody {
				r.Owner = owner
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// RefusalKey is the key of the record of a refused entry.
func RefusalKey(owner, id string) string { return refusedKey(owner, id) }

// ReadRefusal gives the record of a refused entry, "" for the owner of entries of nobody. A missing
// record is blob.ErrNotExist: the entry was retried or removed.
func ReadRefusal(ctx context.Context, s blob.Store, owner, id string) (Record, error) {
	r := Record{ID: id, Owner: owner}
	_, err := objects.ReadJSON(ctx, s, refusedKey(owner, id), &r)
	return r, err
}

// Retry has a refused entry looked at again: the next listing finds it without a record.
func Retry(ctx context.Context, s blob.Store, r Record) error {
	return s.Delete(ctx, refusedKey(r.Owner, r.ID))
}

// Name gives the name of an entry in its inbox, as the person called it.
func (r Record) Name() string {
	if r.Owner != "" {
		return strings.TrimPrefix(r.Key, state.InboxPrefix(r.Owner))
	}
	return strings.TrimPrefix(r.Key, state.InboxRoot)
}
