package sealed

import (
	"context"
	"errors"

	"github.com/pamline/pamline/blob"
)

// Of gives the encrypting decorator within a store, nil if it is not encrypted.
func Of(s blob.Store) *Store {
	for s != nil {
		if found, ok := s.(*Store); ok {
			return found
		}
		outer, ok := s.(interface{ Unwrap() blob.Store })
		if !ok {
			return nil
		}
		s = outer.Unwrap()
	}
	return nil
}

// Check tells by object what is wrong with the file of an owner's keys and its copy, of which one
// is enough. An owner without keys has nothing wrong. Another error is one of storage, or
// ErrMaster.
func (k *Keyring) Check(ctx context.Context, owner string) (map[string]error, error) {
	wrong, missing := map[string]error{}, 0
	for _, key := range []string{keyFile(owner), copyFile(owner)} {
		_, _, err := k.readFile(ctx, owner, key)
		switch {
		case err == nil:
		case errors.Is(err, blob.ErrNotExist):
			missing++
			wrong[key] = err
		case errors.Is(err, blob.ErrDamaged):
			wrong[key] = err
		default:
			return nil, err
		}
	}
	if missing == 2 {
		clear(wrong)
	}
	return wrong, nil
}

// Mend writes the file of an owner's keys and its copy anew from the one that is whole.
func (k *Keyring) Mend(ctx context.Context, owner string) error {
	_, err := k.create(ctx, owner)
	if err != nil {
		return err
	}
	return k.Rewrap(ctx, owner)
}
