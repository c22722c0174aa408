package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrContended is returned by [Queue.MergeEntry] if other writers won every race for an entry. The
// caller writes again later.
var ErrContended = errors.New("many others write this entry")

// mergeTries is how often a lost race for an entry is repeated at once.
const mergeTries = 8

// Entry is one key of a bucket with its value.
type Entry struct {
	Key   string
	Value []byte
}

// MergeEntry replaces the value of a key by what merge makes of it, by compare-and-swap. merge gets
// nil if there is no value, and is called again with the new value after a lost race. Values are
// hints, such as the progress of an import.
func (q *Queue) MergeEntry(ctx context.Context, bucket, key string, merge func(old []byte) ([]byte, error)) error {
	kv, err := q.js.KeyValue(ctx, bucket)
	if err != nil {
		return classifyError(fmt.Errorf("open bucket %s: %w", bucket, err))
	}
	for range mergeTries {
		var old []byte
		var revision uint64
		entry, err := kv.Get(ctx, key)
		switch {
		case err == nil:
			old, revision = entry.Value(), entry.Revision()
		case !errors.Is(err, jetstream.ErrKeyNotFound):
			return classifyError(fmt.Errorf("read entry of %s: %w", bucket, err))
		}
		value, err := merge(old)
		if err != nil {
			return err
		}
		if revision == 0 {
			_, err = kv.Create(ctx, key, value)
		} else {
			_, err = kv.Update(ctx, key, value, revision)
		}
		if err == nil || !isLostRace(err) {
			return classifyError(err)
		}
	}
	return ErrContended
}

// isLostRace reports whether another writer came first. Replicated streams have their own code.
func isLostRace(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// Entries iterates over the present entries whose keys match a filter with wildcards, in no order.
// Of a replicated bucket, any server may answer: the last writes may not be among them.
func (q *Queue) Entries(ctx context.Context, bucket, filter string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		kv, err := q.js.KeyValue(ctx, bucket)
		if err != nil {
			yield(Entry{}, classifyError(fmt.Errorf("open bucket %s: %w", bucket, err)))
			return
		}
		w, err := kv.Watch(ctx, filter, jetstream.IgnoreDeletes())
		if err != nil {
			yield(Entry{}, classifyError(fmt.Errorf("read bucket %s: %w", bucket, err)))
			return
		}
		defer func() { _ = w.Stop() }() // it ends with the connection as well
		for {
			select {
			case <-ctx.Done():
				yield(Entry{}, ctx.Err())
				return
			case e := <-w.Updates():
				if e == nil || !yield(Entry{e.Key(), e.Value()}, nil) {
					return
				}
			}
		}
	}
}
