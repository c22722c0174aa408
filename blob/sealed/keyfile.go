package sealed

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
)

// Root is the prefix of everything about keys in a store.
const Root = "keys/"

const (
	ownersRoot = Root + "owners/"
	markKey    = Root + "store.json"
	// maxKeyFile bounds the objects about keys, in bytes.
	maxKeyFile = 1 << 20
)

// KeyPrefix begins the keys of the objects that hold the wrapped data keys of an owner, and of no
// other: no name of an owner has a dot.
func KeyPrefix(owner string) string { return ownersRoot + owner + "." }

func keyFile(owner string) string  { return ownersRoot + owner + ".json" }
func copyFile(owner string) string { return ownersRoot + owner + ".copy.json" }

// KeyID names a data key. It tells nothing about it.
type KeyID [idSize]byte

func (id KeyID) String() string { return hex.EncodeToString(id[:]) }

// DataKey encrypts the objects of an owner.
type DataKey struct {
	ID     KeyID
	secret [keySize]byte
}

// wrappedKey is a data key in the file of an owner.
type wrappedKey struct {
	ID      string `json:"id"`
	Master  string `json:"master"`
	Wrapped []byte `json:"wrapped"`
}

// ownerFile is keys/owners/<owner>.json. The first key encrypts; the others still decrypt.
type ownerFile struct {
	V     int          `json:"v"`
	Owner string       `json:"owner"`
	Keys  []wrappedKey `json:"keys"`
}

// whatOf binds a wrapped key to its owner.
func whatOf(owner, id string) string { return "pamline data key v1\x00" + owner + "\x00" + id }

func (k *Keyring) unwrap(ctx context.Context, owner string, w wrappedKey) (d DataKey, err error) {
	id, err := hex.DecodeString(w.ID)
	if err != nil || len(id) != idSize {
		return d, errWrapped
	}
	secret, err := k.master.Unwrap(ctx, w.Master, w.Wrapped, whatOf(owner, w.ID))
	if err != nil {
		return d, err
	}
	if len(secret) != keySize {
		return d, errWrapped
	}
	copy(d.ID[:], id)
	copy(d.secret[:], secret)
	return d, nil
}

func (k *Keyring) wrap(ctx context.Context, owner string, d DataKey) (wrappedKey, error) {
	wrapped, err := k.master.Wrap(ctx, d.secret[:], whatOf(owner, d.ID.String()))
	return wrappedKey{ID: d.ID.String(), Master: k.master.ID(), Wrapped: wrapped}, err
}

// readKeys reads the keys of an owner: the file, or if that is damaged or missing, its copy. The
// ETag is that of the file, "" if it is missing.
func (k *Keyring) readKeys(ctx context.Context, owner string) (keys []DataKey, tag string, err error) {
	keys, tag, err = k.readFile(ctx, owner, keyFile(owner))
	if err == nil || errors.Is(err, ErrMaster) || ctx.Err() != nil {
		return keys, tag, err
	}
	fromCopy, _, failed := k.readFile(ctx, owner, copyFile(owner))
	if failed == nil {
		return fromCopy, tag, nil
	}
	return nil, tag, err
}

func (k *Keyring) readFile(ctx context.Context, owner, key string) (keys []DataKey, tag string, err error) {
	body, obj, err := blob.ReadAll(ctx, k.store, key, maxKeyFile)
	if err != nil {
		return nil, obj.ETag, err
	}
	var f ownerFile
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || !bytes.HasSuffix(body, []byte("\n")) || f.V != 1 || f.Owner != owner || len(f.Keys) == 0 {
		return nil, obj.ETag, &blob.DamagedError{Key: key, Err: errors.New("it is no key file of this owner")}
	}
	for _, w := range f.Keys {
		one, err := k.unwrap(ctx, owner, w)
		if errors.Is(err, errWrapped) {
			err = &blob.DamagedError{Key: key, Err: err}
		}
		if err != nil {
			return nil, obj.ETag, fmt.Errorf("read data key of %s: %w", owner, err)
		}
		keys = append(keys, one)
	}
	return keys, obj.ETag, nil
}

// writeKeys writes the keys of an owner in the place of those with an ETag, "" for none, and the
// copy.
func (k *Keyring) writeKeys(ctx context.Context, owner, tag string, keys []DataKey) (string, error) {
	f := ownerFile{V: 1, Owner: owner}
	for _, one := range keys {
		w, err := k.wrap(ctx, owner, one)
		if err != nil {
			return "", err
		}
		f.Keys = append(f.Keys, w)
	}
	body, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return "", err
	}
	body = append(body, '\n')
	obj, err := k.store.Put(ctx, keyFile(owner), bytes.NewReader(body), blob.PutOptions{IfMatch: tag, IfAbsent: tag == ""})
	if err != nil {
		return "", err
	}
	_, err = k.store.Put(ctx, copyFile(owner), bytes.NewReader(body), blob.PutOptions{})
	return obj.ETag, err
}
