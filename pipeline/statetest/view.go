package statetest

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pamline/pamline/blob"
)

// view is a store with hooks. A listing is one call.
type view struct {
	store  *Store
	before Hook
	after  Hook
	// note learns what a call has seen: equal notes are equal observations.
	note func(Call, string)
}

func (v *view) begin(c Call) error {
	if v.before == nil {
		return nil
	}
	return v.before(c)
}

func (v *view) end(c Call, seen string, err error) error {
	if v.note != nil {
		if err != nil {
			seen = err.Error()
		}
		v.note(c, seen)
	}
	if v.after == nil {
		return nil
	}
	return v.after(c)
}

func (v *view) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	c := Call{"get", key}
	if err := v.begin(c); err != nil {
		return nil, blob.Object{}, err
	}
	body, o, err := v.store.Get(ctx, key, r)
	if lost := v.end(c, o.ETag, err); lost != nil {
		return nil, blob.Object{}, lost
	}
	return body, o, err
}

func (v *view) Head(ctx context.Context, key string) (blob.Object, error) {
	c := Call{"head", key}
	if err := v.begin(c); err != nil {
		return blob.Object{}, err
	}
	o, err := v.store.Head(ctx, key)
	if lost := v.end(c, o.ETag, err); lost != nil {
		return blob.Object{}, lost
	}
	return o, err
}

func (v *view) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	c := Call{"put", key}
	if err := v.begin(c); err != nil {
		return blob.Object{}, err
	}
	obj, err := v.store.Put(ctx, key, body, o)
	if lost := v.end(c, obj.ETag, err); lost != nil {
		return blob.Object{}, lost
	}
	return obj, err
}

func (v *view) Delete(ctx context.Context, key string) error {
	c := Call{"delete", key}
	if err := v.begin(c); err != nil {
		return err
	}
	err := v.store.Delete(ctx, key)
	return errors.Join(err, v.end(c, "", err))
}

func (v *view) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		c := Call{"list", prefix}
		if err := v.begin(c); err != nil {
			yield(blob.Object{}, err)
			return
		}
		var objects []blob.Object
		var failed error
		var seen strings.Builder
		for o, err := range v.store.List(ctx, prefix) {
			objects, failed = append(objects, o), err
			seen.WriteString(o.Key + "\n")
		}
		if lost := v.end(c, seen.String(), failed); lost != nil {
			yield(blob.Object{}, lost)
			return
		}
		for _, o := range objects {
			if !yield(o, failed) {
				return
			}
		}
	}
}

// CrashAtWrite gives a hook that lets n writes through: the next write and all later calls fail
// with ErrCrashed. reached tells whether the crash has happened. Calls may be concurrent.
func CrashAtWrite(n int) (before Hook, reached func() bool) {
	var mu sync.Mutex
	writes, crashed := 0, false
	return func(c Call) error {
		mu.Lock()
		defer mu.Unlock()
		if c.IsWrite() && writes == n {
			crashed = true
		}
		if crashed {
			return ErrCrashed
		}
		if c.IsWrite() {
			writes++
		}
		return nil
	}, func() bool { mu.Lock(); defer mu.Unlock(); return crashed }
}

// FailCall gives a hook whose call number n, from 0, fails with err. reached tells whether there
// was such a call. Calls may be concurrent. Looks at the keys of an encrypted store are not
// counted: they have a copy, which a failed look falls back to.
func FailCall(n int, err error) (hook Hook, reached func() bool) {
	var calls atomic.Int64
	return func(c Call) error {
		if !strings.HasPrefix(c.Key, "keys/") && calls.Add(1) == int64(n)+1 {
			return err
		}
		return nil
	}, func() bool { return calls.Load() > int64(n) }
}
