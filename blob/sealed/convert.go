package sealed

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/blob"
)

// Progress hears of each object that a conversion has looked at.
type Progress func(o blob.Object, changed bool)

// Encrypt encrypts what is not encrypted yet, and marks the store. Nobody else may use the store.
// A conversion that was interrupted goes on when it is called again.
func (s *Store) Encrypt(ctx context.Context, tell Progress) error {
	if err := WriteState(ctx, s.inner, Encrypting, s.keys.master); err != nil {
		return err
	}
	if err := s.convert(ctx, s.inner, s, false, tell); err != nil {
		return err
	}
	return WriteState(ctx, s.inner, Encrypted, s.keys.master)
}

// Decrypt is the inverse of Encrypt. It removes the data keys.
func (s *Store) Decrypt(ctx context.Context, tell Progress) error {
	if err := WriteState(ctx, s.inner, Decrypting, s.keys.master); err != nil {
		return err
	}
	if err := s.convert(ctx, s, s.inner, true, tell); err != nil {
		return err
	}
	owners, err := s.keys.Owners(ctx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if err := errors.Join(s.inner.Delete(ctx, copyFile(owner)), s.inner.Delete(ctx, keyFile(owner))); err != nil {
			return err
		}
	}
	return s.inner.Delete(ctx, markKey)
}

// convert copies each object of an owner whose form is the given one onto itself.
func (s *Store) convert(ctx context.Context, from, to blob.Store, sealed bool, tell Progress) error {
	for o, err := range s.inner.List(ctx, "") {
		if err != nil {
			return fmt.Errorf("list objects: %w", err)
		}
		if _, ok := s.ownerOf(o.Key); !ok {
			continue
		}
		is, err := isSealed(ctx, s.inner, o.Key)
		if err == nil && is == sealed {
			err = rewriteObject(ctx, from, to, o.Key)
		}
		if errors.Is(err, blob.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("convert %s: %w", o.Key, err)
		}
		tell(o, is == sealed)
	}
	return nil
}

func rewriteObject(ctx context.Context, from, to blob.Store, key string) error {
	body, obj, err := from.Get(ctx, key, blob.Range{})
	if err != nil {
		return err
	}
	_, err = to.Put(ctx, key, boundReader(body, obj.Size), blob.PutOptions{IfMatch: obj.ETag})
	return errors.Join(err, body.Close())
}

// boundReader keeps a reader from being taken for another kind of body.
func boundReader(r io.Reader, size int64) io.Reader { return io.LimitReader(r, size) }

// Renew encrypts all that is left of an owner with a new data key, and destroys the earlier ones:
// whatever else was encrypted with them cannot be read any more, wherever it lies.
func (s *Store) Renew(ctx context.Context, owner string, prefixes ...string) error {
	err := s.keys.renew(ctx, owner)
	if errors.Is(err, blob.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("renew data key of %s: %w", owner, err)
	}
	for _, prefix := range prefixes {
		for o, err := range s.inner.List(ctx, prefix) {
			if err == nil {
				if whose, ok := s.ownerOf(o.Key); !ok || whose != owner {
					continue
				}
				err = rewriteObject(ctx, s, s, o.Key)
			}
			if err != nil && !errors.Is(err, blob.ErrNotExist) {
				return fmt.Errorf("renew data key of %s: %w", owner, err)
			}
		}
	}
	if err := s.keys.dropEarlier(ctx, owner); err != nil {
		return fmt.Errorf("destroy earlier data keys of %s: %w", owner, err)
	}
	return nil
}
