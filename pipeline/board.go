package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"
)

func compareNames(a, b importName) int {
	return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.id, b.id))
}

// putTries bounds how often a lost race for an entry is run again at once.
const putTries = 8

// errCrowded: so many tell of one import that this telling lost every race. It is to be told again later.
var errCrowded = errors.New("many others write the progress of this import")

// putProgress joins what is told of an import with what the bucket has, and gives how often the entry was written. The error
// is errCrowded when only other writers were in the way.
func putProgress(ctx context.Context, kv jetstream.KeyValue, p Progress) (writes int, err error) {
	key := p.Owner + "." + p.Import
	for range putTries {
		next, rev := p, uint64(0)
		entry, err := kv.Get(ctx, key)
		switch {
		case err == nil:
			rev = entry.Revision()
			var before Progress
			if json.Unmarshal(entry.Value(), &before) == nil { // another version's is replaced
				next = before.join(p)
			}
		case !errors.Is(err, jetstream.ErrKeyNotFound):
			return 0, fmt.Errorf("read progress: %w", err)
		}
		next.Writes++
		body, err := json.Marshal(next)
		if err != nil {
			return 0, fmt.Errorf("encode progress: %w", err)
		}
		if rev == 0 {
			_, err = kv.Create(ctx, key, body)
		} else {
			_, err = kv.Update(ctx, key, body, rev)
		}
		if err == nil {
			return next.Writes, nil
		}
		if !lostRace(err) {
			return 0, fmt.Errorf("write progress: %w", err)
		}
	}
	return 0, errCrowded
}

// lostRace: somebody else wrote an entry first. Replicated streams have a code of their own for it.
func lostRace(err error) bool {
	const onReplicas = 10164
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == onReplicas)
}

// board is where the progress of imports can be read: of one owner or, with "", of all; of one import or, with "", of all.
type board interface {
	each(ctx context.Context, owner, id string) iter.Seq2[Progress, error]
}

// bucketBoard reads the bucket of a cluster. It makes nothing that lasts.
type bucketBoard struct{ js jetstream.JetStream }

func (b bucketBoard) each(ctx context.Context, owner, id string) iter.Seq2[Progress, error] {
	return func(yield func(Progress, error) bool) {
		kv, err := b.js.KeyValue(ctx, BucketImports)
		if err != nil {
			yield(Progress{}, fmt.Errorf("open bucket %s: %w", BucketImports, err))
			return
		}
		w, err := kv.Watch(ctx, cmp.Or(owner, "*")+"."+cmp.Or(id, "*"), jetstream.IgnoreDeletes())
		if err != nil {
			yield(Progress{}, fmt.Errorf("read bucket %s: %w", BucketImports, err))
			return
		}
		defer func() { _ = w.Stop() }() // it ends with the connection, too
		for {
			select {
			case <-ctx.Done():
				yield(Progress{}, ctx.Err())
				return
			case entry := <-w.Updates():
				if entry == nil {
					return // all that there is now
				}
				var p Progress
				if json.Unmarshal(entry.Value(), &p) != nil || p.Owner+"."+p.Import != entry.Key() {
					continue // another version's, or somebody else's
				}
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}
