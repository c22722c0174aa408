package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// A computation reads the manifest, the lists and the results of every import of its owner: small
// objects, more of them with each drop, and all of them immutable. Owners with many imports have
// copies of them in one object, cache.zst. It decides nothing: any assembler may write it at any
// time, over that of any other, and if it is lost or damaged, each object is read where it is.
const (
	// cacheFrom is how many imports and edits an owner has before their objects are cached.
	cacheFrom = 16
	// cacheAt is how many objects were read one by one before they are cached, too.
	cacheAt = 24
	// cacheEach and cacheMost bound the copies, in bytes: a larger object is worth a request of its
	// own.
	cacheEach = 64 << 10
	cacheMost = 64 << 20
)

func cacheKey(owner string) string { return state.OwnerKey(owner, "cache.zst") }

// objectCache is a store that may give copies of the small objects of an owner. It keeps copies of
// what it reads itself for the next computation. The copies are in a scratch file; memory has their
// names and places, about 200 bytes each.
type objectCache struct {
	blob.Store
	options Options
	owner   string

	mu     sync.Mutex
	file   *os.File // nil: nothing is cached
	end    int64
	copies map[string]*cached // by key
	added  int
}

// cached is a copy: a place in the file.
type cached struct {
	at, size int64
	used     bool // by this computation, and so by the next
}

var (
	_ blob.Store   = (*objectCache)(nil)
	_ blob.Batcher = (*objectCache)(nil)
)

// openCache prepares for the reading of an input set.
func openCache(ctx context.Context, o Options, owner string, set state.Inputs) (*objectCache, error) {
	c := &objectCache{Store: o.Store, options: o, owner: owner, copies: map[string]*cached{}}
	if accepted, past := importsOf(set); len(accepted)+len(past)+set.Edits < cacheFrom {
		return c, nil
	}
	var err error
	if c.file, err = os.CreateTemp(o.Scratch, "cache-*"); err != nil {
		return nil, fmt.Errorf("cache objects of %s: %w", owner, err)
	}
	if err = c.load(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *objectCache) Close() {
	if c.file == nil {
		return
	}
	// Scratch is emptied at the next start.
	_ = c.file.Close()
	_ = os.Remove(c.file.Name())
}

// nameOf gives the name of the copy of an object, which is its key, if it is one of those that each
// computation reads whole.
func (c *objectCache) nameOf(key string, r blob.Range) (string, bool) {
	name, ok := strings.CutPrefix(key, state.OwnerKey(c.owner, ""))
	ok = ok && (strings.HasPrefix(name, "imports/") || strings.HasPrefix(name, "edits/"))
	return key, ok && c.file != nil && r == (blob.Range{}) && !strings.HasSuffix(key, ".s2")
}

// Get gives the copy of an object. Its Object has no ETag and no time.
func (c *objectCache) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	name, ok := c.nameOf(key, r)
	if !ok {
		return c.Store.Get(ctx, key, r)
	}
	c.mu.Lock()
	copied := c.copies[name]
	if copied != nil {
		copied.used = true
	}
	c.mu.Unlock()
	if copied != nil {
		body := io.NopCloser(io.NewSectionReader(c.file, copied.at, copied.size))
		return body, blob.Object{Key: key, Size: copied.size}, nil
	}
	rc, o, err := c.Store.Get(ctx, key, r)
	if err != nil || o.Size > cacheEach {
		return rc, o, err
	}
	body := make([]byte, o.Size)
	_, err = io.ReadFull(rc, body)
	if err = errors.Join(err, rc.Close()); err != nil {
		return nil, o, fmt.Errorf("read %s: %w", key, err)
	}
	return io.NopCloser(bytes.NewReader(body)), o, c.add(name, body)
}

// add keeps a copy, unless the cache would become too large.
func (c *objectCache) add(name string, body []byte) error {
	size := int64(len(body))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end+size > cacheMost {
		return nil
	}
	if _, err := c.file.WriteAt(body, c.end); err != nil {
		return fmt.Errorf("cache objects of %s: %w", c.owner, err)
	}
	c.copies[name] = &cached{at: c.end, size: size, used: true}
	c.end += size
	c.added++
	return nil
}

// PutAbsent passes on the batch of the store below.
func (c *objectCache) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	return blob.PutAbsentAll(ctx, c.Store, items)
}
