package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/pipeline/objects"
)

// Overlay gives a store that reads through to base and keeps what is written to it in a scratch
// folder: a dry run sees all of its own effects, and base none. discard removes the folder.
func Overlay(base blob.Store, scratch string) (s blob.Store, discard func() error, err error) {
	folder, err := os.MkdirTemp(scratch, "dry-*")
	if err != nil {
		return nil, nil, fmt.Errorf("make scratch folder for the dry run: %w", err)
	}
	top, err := dir.Open(folder)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	o := &overlay{base: base, top: top, gone: map[string]bool{}}
	return o, func() error { return errors.Join(top.Close(), os.RemoveAll(folder)) }, nil
}

type overlay struct {
	base, top blob.Store
	mu        sync.Mutex
	gone      map[string]bool // keys of base that were deleted
}

func (o *overlay) below(key string, err error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return objects.IsMissing(err) && !o.gone[key]
}

func (o *overlay) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, obj, err := o.top.Get(ctx, key, r)
	if o.below(key, err) {
		return o.base.Get(ctx, key, r)
	}
	return rc, obj, err
}

func (o *overlay) Head(ctx context.Context, key string) (blob.Object, error) {
	obj, err := o.top.Head(ctx, key)
	if o.below(key, err) {
		return o.base.Head(ctx, key)
	}
	return obj, err
}

// Put checks a condition against what the overlay shows, then writes on top.
func (o *overlay) Put(ctx context.Context, key string, body io.Reader, opts blob.PutOptions) (blob.Object, error) {
	_, err := o.top.Head(ctx, key)
	if !o.below(key, err) {
		return o.top.Put(ctx, key, body, opts)
	}
	shown, err := o.base.Head(ctx, key)
	switch {
	case err != nil && !objects.IsMissing(err):
		return blob.Object{}, err
	case err == nil && opts.IfAbsent, opts.IfMatch != "" && (err != nil || shown.ETag != opts.IfMatch):
		return blob.Object{}, fmt.Errorf("put %s: %w", key, blob.ErrPrecondition)
	}
	return o.top.Put(ctx, key, body, blob.PutOptions{IfAbsent: opts.IfAbsent || opts.IfMatch != ""})
}

func (o *overlay) Delete(ctx context.Context, key string) error {
	o.mu.Lock()
	o.gone[key] = true
	o.mu.Unlock()
	return o.top.Delete(ctx, key)
}

// List merges the two sorted listings; the upper one hides equal keys of the lower.
func (o *overlay) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		next, stop := iter.Pull2(o.base.List(ctx, prefix))
		defer stop()
		low, lowErr, more := next()
		for up, err := range o.top.List(ctx, prefix) {
			for more && (lowErr != nil || low.Key < up.Key) {
				if !o.shows(low.Key) && lowErr == nil {
					low, lowErr, more = next()
					continue
				}
				if !yield(low, lowErr) || lowErr != nil {
					return
				}
				low, lowErr, more = next()
			}
			if more && low.Key == up.Key {
				low, lowErr, more = next()
			}
			if !yield(up, err) || err != nil {
				return
			}
		}
		for ; more; low, lowErr, more = next() {
			if lowErr == nil && !o.shows(low.Key) {
				continue
			}
			if !yield(low, lowErr) || lowErr != nil {
				return
			}
		}
	}
}

func (o *overlay) shows(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.gone[key]
}
