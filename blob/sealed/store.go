package sealed

import (
	"bytes"
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/pamline/pamline/blob"
)

var (
	_ blob.Store        = (*Store)(nil)
	_ blob.Batcher      = (*Store)(nil)
	_ blob.Opener       = (*Store)(nil)
	_ blob.Inventory    = (*Store)(nil)
	_ blob.FolderLister = (*Store)(nil)
)

// Scope tells whose an object is. Objects of nobody are not encrypted.
type Scope func(key string) (owner string, ok bool)

// Store is a store that encrypts the objects of owners.
type Store struct {
	inner blob.Store
	keys  *Keyring
	scope Scope

	mu      sync.Mutex
	ciphers map[string]known // by object key: for reads of ranges
}

// known is the cipher of an object in one state.
type known struct {
	etag string
	c    cipher.AEAD
}

// maxKnown bounds the ciphers that are kept, 1 KiB each.
const maxKnown = 256

// New decorates a store.
func New(inner blob.Store, keys *Keyring, scope Scope) *Store {
	return &Store{inner: inner, keys: keys, scope: scope, ciphers: map[string]known{}}
}

// Unwrap gives the decorated store.
func (s *Store) Unwrap() blob.Store { return s.inner }

// Keys gives the data keys of the owners.
func (s *Store) Keys() *Keyring { return s.keys }

// ownerOf tells whose the object of a valid key is.
func (s *Store) ownerOf(key string) (string, bool) {
	if blob.ValidKey(key) != nil {
		return "", false // the store below says what is wrong with it
	}
	return s.scope(key)
}

func (s *Store) described(o blob.Object) blob.Object {
	if _, ok := s.ownerOf(o.Key); ok {
		o.Size = plainSize(o.Size)
	}
	return o
}

func (s *Store) Head(ctx context.Context, key string) (blob.Object, error) {
	o, err := s.inner.Head(ctx, key)
	if err != nil {
		return o, err
	}
	return s.described(o), nil
}

func (s *Store) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	owner, ok := s.ownerOf(key)
	if !ok || r.Valid() != nil {
		return s.inner.Get(ctx, key, r)
	}
	if r.Offset > 0 {
		return s.getRange(ctx, owner, key, r)
	}
	below := blob.Range{}
	if r.Length > 0 && r.Length < 1<<60 {
		below.Length = headerSize + (r.Length+chunkSize-1)/chunkSize*wholeChunk
	}
	body, obj, err := s.inner.Get(ctx, key, below)
	if err != nil {
		return nil, obj, err
	}
	_, to := r.Span(plainSize(obj.Size))
	return s.open(ctx, owner, body, obj, nil, 0, 0, to), s.described(obj), nil
}

// getRange reads from the middle of an object: the header first, unless it is known.
func (s *Store) getRange(ctx context.Context, owner, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	for range 10 {
		k, ok := s.known(key)
		if !ok {
			obj, c, err := s.readCipher(ctx, owner, key)
			if err != nil {
				return nil, blob.Object{}, err
			}
			k = known{obj.ETag, c}
		}
		first := r.Offset / chunkSize
		below := blob.Range{Offset: headerSize + first*wholeChunk}
		if r.Length > 0 && r.Length < 1<<60 {
			last := (r.Offset + r.Length - 1) / chunkSize
			below.Length = (last - first + 1) * wholeChunk
		}
		body, obj, err := s.inner.Get(ctx, key, below)
		if err != nil {
			return nil, obj, err
		}
		if obj.ETag != k.etag {
			s.forget(key)
			if err := body.Close(); err != nil {
				return nil, obj, err
			}
			continue
		}
		from, to := r.Span(plainSize(obj.Size))
		return s.open(ctx, owner, body, obj, k.c, first, from-first*chunkSize, to-from), s.described(obj), nil
	}
	return nil, blob.Object{}, fmt.Errorf("get object %q: %w", key, blob.ErrChanged)
}

func (s *Store) open(ctx context.Context, owner string, body io.ReadCloser, obj blob.Object, c cipher.AEAD, chunk, skip, length int64) *opened {
	return &opened{
		ctx: ctx, keys: s.keys, owner: owner, object: obj, body: body, c: c, chunk: chunk, skip: skip, left: length,
		noted: func(c cipher.AEAD) { s.remember(obj, c) },
	}
}

// readCipher reads the header of an object.
func (s *Store) readCipher(ctx context.Context, owner, key string) (blob.Object, cipher.AEAD, error) {
	body, obj, err := s.inner.Get(ctx, key, blob.Range{Length: headerSize})
	if err != nil {
		return obj, nil, err
	}
	o := s.open(ctx, owner, body, obj, nil, 0, 0, 0)
	if err := errors.Join(o.readHeader(), body.Close()); err != nil {
		return obj, nil, err
	}
	return obj, o.c, nil
}

func (s *Store) known(key string) (known, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.ciphers[key]
	return k, ok
}

// remember keeps the cipher of an object from which ranges may be read: one of several chunks.
func (s *Store) remember(o blob.Object, c cipher.AEAD) {
	if chunksOf(o.Size) < 2 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ciphers) >= maxKnown {
		clear(s.ciphers)
	}
	s.ciphers[o.Key] = known{o.ETag, c}
}

func (s *Store) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ciphers, key)
}

func (s *Store) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	owner, ok := s.ownerOf(key)
	if !ok || o.Valid() != nil {
		return s.inner.Put(ctx, key, body, o)
	}
	h, c, err := s.keys.newCipher(ctx, owner, key)
	if err != nil {
		return blob.Object{}, err
	}
	text, err := sealBody(c, h, body)
	if err != nil {
		return blob.Object{}, fmt.Errorf("put object %q: read body: %w", key, err)
	}
	obj, err := s.inner.Put(ctx, key, text, o)
	if err != nil {
		return obj, err
	}
	return s.described(obj), nil
}

// PutAbsent seals a batch and uses that of the store below.
func (s *Store) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	batch := make([]blob.Item, len(items))
	keys := map[string]DataKey{} // looked at once for each owner
	for i, it := range items {
		batch[i] = it
		owner, ok := s.ownerOf(it.Key)
		if !ok {
			continue
		}
		key, ok := keys[owner]
		if !ok {
			var err error
			if key, err = s.keys.current(ctx, owner); err != nil {
				return 0, err
			}
			keys[owner] = key
		}
		h, c, err := s.keys.cipherOfNew(key, it.Key)
		if err != nil {
			return 0, err
		}
		batch[i].Body = sealBytes(c, h, it.Body)
	}
	return blob.PutAbsentAll(ctx, s.inner, batch)
}

func (s *Store) Delete(ctx context.Context, key string) error { return s.inner.Delete(ctx, key) }

// OpenAt opens objects that are not encrypted. Others are read through ranges.
func (s *Store) OpenAt(ctx context.Context, key string) (blob.RandomReader, blob.Object, error) {
	o, ok := s.inner.(blob.Opener)
	if _, isSealed := s.ownerOf(key); isSealed || !ok {
		return nil, blob.Object{}, errors.ErrUnsupported
	}
	return o.OpenAt(ctx, key)
}

func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return s.listed(s.inner.List(ctx, prefix))
}

func (s *Store) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return s.listed(blob.ListAll(ctx, s.inner, prefix))
}

func (s *Store) listed(all iter.Seq2[blob.Object, error]) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for o, err := range all {
			if err == nil {
				o = s.described(o)
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

func (s *Store) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return blob.ListFolders(ctx, s.inner, prefix)
}

// isSealed tells whether the object of the store below begins like a sealed one.
func isSealed(ctx context.Context, inner blob.Store, key string) (bool, error) {
	body, _, err := inner.Get(ctx, key, blob.Range{Length: int64(len(magic))})
	if err != nil {
		return false, err
	}
	start, err := io.ReadAll(body)
	return bytes.Equal(start, []byte(magic)), errors.Join(err, body.Close())
}
