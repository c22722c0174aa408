package statetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/pamline/pamline/blob"
)

// plain is a Store beneath what its calls go through.
type plain struct{ *Store }

// Get reads an object.
func (p plain) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	o, obj, err := p.find(ctx, key)
	if err == nil {
		err = r.Valid()
	}
	if err != nil {
		return nil, blob.Object{}, err
	}
	from, to := r.Span(obj.Size)
	return io.NopCloser(strings.NewReader(o.body[from:to])), obj, nil
}

// Head describes an object.
func (p plain) Head(ctx context.Context, key string) (blob.Object, error) {
	_, obj, err := p.find(ctx, key)
	return obj, err
}

func (p plain) find(ctx context.Context, key string) (object, blob.Object, error) {
	if err := errors.Join(blob.ValidKey(key), ctx.Err()); err != nil {
		return object{}, blob.Object{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o, ok := p.objects[key]
	if !ok {
		return o, blob.Object{}, blob.ErrNotExist
	}
	return o, o.describe(key), nil
}

// Put writes an object.
func (p plain) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if err := errors.Join(blob.ValidKey(key), o.Valid(), ctx.Err()); err != nil {
		return blob.Object{}, err
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, blob.ContextReader(ctx, body)); err != nil {
		return blob.Object{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old, there := p.objects[key]
	if o.IfAbsent && there || o.IfMatch != "" && (!there || old.describe(key).ETag != o.IfMatch) {
		return blob.Object{}, blob.ErrPrecondition
	}
	n := object{body: b.String(), etag: fmt.Sprintf("%016x", sumOf(b.String())), sum: sumOf(key, b.String()), time: p.now}
	p.sum += n.sum - old.sum
	p.objects[key] = n
	return n.describe(key), nil
}

// Delete removes an object.
func (p plain) Delete(ctx context.Context, key string) error {
	if err := errors.Join(blob.ValidKey(key), ctx.Err()); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum -= p.objects[key].sum
	delete(p.objects, key)
	return nil
}

// List walks the keys that there are when it begins.
func (p plain) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		if err := errors.Join(blob.ValidPrefix(prefix), ctx.Err()); err != nil {
			yield(blob.Object{}, err)
			return
		}
		for _, obj := range p.listing(prefix) {
			if !yield(obj, nil) {
				return
			}
		}
	}
}

func (p plain) listing(prefix string) []blob.Object {
	keys := p.Keys(prefix)
	p.mu.Lock()
	defer p.mu.Unlock()
	objects := make([]blob.Object, 0, len(keys))
	for _, key := range keys {
		if o, ok := p.objects[key]; ok {
			objects = append(objects, o.describe(key))
		}
	}
	return objects
}
