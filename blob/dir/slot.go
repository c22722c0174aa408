//go:build unix

package dir

import (
	"errors"
	"fmt"
	"io/fs"
)

// maxSlots bounds how many processes can have one root open.
const maxSlots = 4096

// takeSlot finds a scratch folder that no living process holds, empties it and keeps it locked,
// then empties the other abandoned ones. A lock tells the dead from the living, where an age could
// only guess.
func (s *Store) takeSlot() error {
	for n := range maxSlots {
		name := fmt.Sprintf("%s/%d", tmpFolder, n)
		release, ok, err := s.fs.TryLock(name + ".lock")
		if err != nil {
			return fmt.Errorf("lock scratch folder: %w", err)
		}
		if !ok {
			continue
		}
		err = errors.Join(s.mkdir(name), s.empty(name), s.sweep(n+1))
		if err != nil {
			release()
			return fmt.Errorf("clean scratch folder: %w", err)
		}
		s.slot, s.release = name, release
		return nil
	}
	return fmt.Errorf("take a scratch folder: all %d are in use by other processes", maxSlots)
}

// sweep empties the slots from n on that have lost their process.
func (s *Store) sweep(n int) error {
	for ; n < maxSlots; n++ {
		name := fmt.Sprintf("%s/%d", tmpFolder, n)
		if _, err := s.fs.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return nil // slots are handed out from 0 upwards and never removed
		}
		release, ok, err := s.fs.TryLock(name + ".lock")
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		err = s.empty(name)
		release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) empty(folder string) error {
	entries, err := s.fs.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := s.discard(folder + "/" + e.name); err != nil {
			return err
		}
	}
	return nil
}
