//go:build unix

package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pamline/pamline/blob"
)

// Delete removes an object and the folders that it leaves empty. It returns once the removal is
// durable.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := blob.ValidKey(key); err != nil {
		return fmt.Errorf("delete object: %w", err)
	}
	return wrap("delete", key, s.delete(ctx, key))
}

func (s *Store) delete(ctx context.Context, key string) error {
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = s.stat(key)
	if err == nil {
		err = s.fs.Remove(key)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// An absent object too: whoever removed it may not have synced yet.
	if err := s.syncFolders(folderOf(key)); err != nil {
		return err
	}
	return s.prune(folderOf(key))
}
