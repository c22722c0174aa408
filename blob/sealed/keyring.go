package sealed

import (
	"context"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/pamline/pamline/blob"
)

// Keyring has the data keys of the owners of a store.
type Keyring struct {
	store  blob.Store // the one below
	master Master
	random io.Reader

	mu     sync.Mutex
	owners map[string]ownerKeys
}

// ownerKeys are the keys of an owner, as its file of an ETag has them.
type ownerKeys struct {
	tag  string
	keys []DataKey
}

// NewKeyring gives the data keys of a store, which is the one below the decorator. random makes
// keys and salts.
func NewKeyring(store blob.Store, master Master, random io.Reader) *Keyring {
	return &Keyring{store: store, master: master, random: random, owners: map[string]ownerKeys{}}
}

// newCipher gives the header and cipher of a new object.
func (k *Keyring) newCipher(ctx context.Context, owner, object string) (h header, c cipher.AEAD, err error) {
	key, err := k.current(ctx, owner)
	if err != nil {
		return h, nil, err
	}
	return k.cipherOfNew(key, object)
}

// cipherOfNew is newCipher with the key that encrypts now.
func (k *Keyring) cipherOfNew(key DataKey, object string) (h header, c cipher.AEAD, err error) {
	h.id = key.ID
	if _, err := io.ReadFull(k.random, h.salt[:]); err != nil {
		return h, nil, fmt.Errorf("make salt: %w", err)
	}
	c, err = cipherFor(key, h, object)
	return h, c, err
}

// cipherOf gives the cipher of an object with a header.
func (k *Keyring) cipherOf(ctx context.Context, owner, object string, start []byte) (cipher.AEAD, error) {
	h, err := parseHeader(start)
	if err != nil {
		return nil, &blob.DamagedError{Key: object, Err: err}
	}
	key, err := k.find(ctx, owner, h.id)
	if errors.Is(err, blob.ErrNotExist) {
		err = &blob.DamagedError{Key: object, Err: fmt.Errorf("the data key %s of %s is gone", h.id, owner)}
	}
	if err != nil {
		return nil, err
	}
	return cipherFor(key, h, object)
}

// current gives the key that encrypts now. Another process may have replaced it, so its file is
// looked at each time; the first object of an owner makes it.
func (k *Keyring) current(ctx context.Context, owner string) (DataKey, error) {
	obj, err := k.store.Head(ctx, keyFile(owner))
	switch {
	case errors.Is(err, blob.ErrNotExist):
		return k.create(ctx, owner)
	case err != nil:
		return DataKey{}, err
	}
	k.mu.Lock()
	o, ok := k.owners[owner]
	k.mu.Unlock()
	if ok && o.tag == obj.ETag {
		return o.keys[0], nil
	}
	keys, err := k.load(ctx, owner)
	if err == nil {
		err = k.repair(ctx, owner, obj.ETag, keys)
	}
	if err != nil {
		return DataKey{}, err
	}
	return keys[0], nil
}

// repair writes the file or copy of the keys of an owner anew if it is missing or damaged: a writer
// may have been killed between the two.
func (k *Keyring) repair(ctx context.Context, owner, tag string, keys []DataKey) error {
	for _, key := range []string{keyFile(owner), copyFile(owner)} {
		_, _, err := k.readFile(ctx, owner, key)
		switch {
		case errors.Is(err, blob.ErrDamaged), errors.Is(err, blob.ErrNotExist):
			_, err = k.writeKeys(ctx, owner, tag, keys)
			if errors.Is(err, blob.ErrPrecondition) { // another writer does it
				err = nil
			}
			return err
		case err != nil:
			return err
		}
	}
	return nil
}

// create makes the first key of an owner. Its copy counts if only that is there.
func (k *Keyring) create(ctx context.Context, owner string) (DataKey, error) {
	keys, _, err := k.readKeys(ctx, owner)
	if errors.Is(err, blob.ErrNotExist) {
		var one DataKey
		one, err = k.newKey()
		keys = []DataKey{one}
	}
	if err != nil {
		return DataKey{}, err
	}
	if _, err = k.writeKeys(ctx, owner, "", keys); err != nil && !errors.Is(err, blob.ErrPrecondition) {
		return DataKey{}, fmt.Errorf("write data key of %s: %w", owner, err)
	}
	keys, err = k.load(ctx, owner) // that of another writer, if it was first
	if err != nil {
		return DataKey{}, err
	}
	return keys[0], nil
}

func (k *Keyring) newKey() (d DataKey, err error) {
	if _, err := io.ReadFull(k.random, d.secret[:]); err != nil {
		return d, fmt.Errorf("make data key: %w", err)
	}
	id, err := hkdf.Key(sha256.New, d.secret[:], nil, "pamline data key id v1", idSize)
	copy(d.ID[:], id)
	return d, err
}

func (k *Keyring) load(ctx context.Context, owner string) ([]DataKey, error) {
	keys, tag, err := k.readKeys(ctx, owner)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.owners[owner] = ownerKeys{tag, keys}
	return keys, nil
}

// find gives a key by its id, blob.ErrNotExist if the owner has none of it.
func (k *Keyring) find(ctx context.Context, owner string, id KeyID) (DataKey, error) {
	byID := func(d DataKey) bool { return d.ID == id }
	k.mu.Lock()
	keys := k.owners[owner].keys
	k.mu.Unlock()
	at := slices.IndexFunc(keys, byID)
	if at < 0 {
		var err error
		if keys, err = k.load(ctx, owner); err != nil {
			return DataKey{}, err
		}
		at = slices.IndexFunc(keys, byID)
	}
	if at < 0 {
		return DataKey{}, fmt.Errorf("find data key %s of %s: %w", id, owner, blob.ErrNotExist)
	}
	return keys[at], nil
}

// Owners lists the owners that have data keys, in order.
func (k *Keyring) Owners(ctx context.Context) (owners []string, err error) {
	for o, err := range k.store.List(ctx, ownersRoot) {
		if err != nil {
			return nil, fmt.Errorf("list data keys: %w", err)
		}
		owner, _, _ := strings.Cut(strings.TrimPrefix(o.Key, ownersRoot), ".")
		owners = append(owners, owner)
	}
	slices.Sort(owners)
	return slices.Compact(owners), nil
}

// change replaces the keys of an owner.
func (k *Keyring) change(ctx context.Context, owner string, to func([]DataKey) ([]DataKey, error)) error {
	for range 20 {
		keys, tag, err := k.readKeys(ctx, owner)
		if err != nil {
			return err
		}
		if keys, err = to(keys); err != nil {
			return err
		}
		_, err = k.writeKeys(ctx, owner, tag, keys)
		if errors.Is(err, blob.ErrPrecondition) {
			continue
		}
		if err == nil {
			_, err = k.load(ctx, owner)
		}
		return err
	}
	return fmt.Errorf("change data key of %s: others change it all the time", owner)
}

// Rewrap wraps the keys of an owner with the current master key.
func (k *Keyring) Rewrap(ctx context.Context, owner string) error {
	return k.change(ctx, owner, func(keys []DataKey) ([]DataKey, error) { return keys, nil })
}

// renew puts a new key before those that an owner has.
func (k *Keyring) renew(ctx context.Context, owner string) error {
	return k.change(ctx, owner, func(keys []DataKey) ([]DataKey, error) {
		one, err := k.newKey()
		return append([]DataKey{one}, keys...), err
	})
}

// dropEarlier destroys all keys of an owner but the first.
func (k *Keyring) dropEarlier(ctx context.Context, owner string) error {
	return k.change(ctx, owner, func(keys []DataKey) ([]DataKey, error) { return keys[:1], nil })
}
