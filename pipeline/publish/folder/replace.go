// Package folder replaces folders of the file system as a whole, and makes them last.
package folder

import (
	"errors"
	"fmt"
	"os"
)

// ReplaceFolder puts next in the place of a folder, if there is one, in one step where the system
// can exchange folders: then next is the old folder, which the caller removes. Where it cannot, the
// name is free for an instant.
func ReplaceFolder(next, folder string) error {
	if err := exchangeFolders(next, folder); err == nil {
		return nil
	}
	if err := os.Remove(folder); err == nil || errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(next, folder); err != nil {
			return fmt.Errorf("replace folder %s: %w", folder, err)
		}
		return nil
	}
	old := next + ".old"
	if err := os.Rename(folder, old); err != nil {
		return fmt.Errorf("replace folder %s: %w", folder, err)
	}
	if err := os.Rename(next, folder); err != nil {
		return fmt.Errorf("replace folder %s: %w", folder, errors.Join(err, os.Rename(old, folder)))
	}
	return os.RemoveAll(old)
}
