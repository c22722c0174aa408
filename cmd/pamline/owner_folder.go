package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/pipeline/state"
)

// ownerStore opens the store that a path is the folder of an owner of: STORE/owners/OWNER with a
// head. The store is nil if the path is anything else.
func ownerStore(path string) (owner string, s blob.Store, closer io.Closer, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", nil, nil, err
	}
	owner, above := filepath.Base(path), filepath.Dir(path)
	if filepath.Base(above) != "owners" || state.CheckOwner(owner) != nil {
		return "", nil, nil, nil
	}
	// The log of heads stands in for a head that is gone.
	found := false
	for _, name := range []string{"head.json", "heads"} {
		_, err := os.Lstat(filepath.Join(path, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, nil, err
		}
		found = found || err == nil
	}
	if !found {
		return "", nil, nil, nil
	}
	opened, err := dir.OpenReadOnly(filepath.Dir(above))
	if err != nil {
		return "", nil, nil, err
	}
	return owner, opened, opened, nil
}
