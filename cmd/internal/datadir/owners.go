package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pamline/pamline/config"
)

// Owners lists the owners in the folder of a store.kind dir, sorted: those who have published
// something, whether their head is still there or not. If nobody has, these are the owners who have
// anything, for example an import that was interrupted. A folder that does not exist has none.
func Owners(store string) ([]string, error) {
	published, err := ownersIn(filepath.Join(store, "owners"), publishedNames...)
	if err != nil || len(published) > 0 {
		return published, err
	}
	begun, err := ownersIn(filepath.Join(store, "owners"))
	if err != nil {
		return nil, err
	}
	uploaded, err := ownersIn(filepath.Join(store, "inbox"))
	if err != nil {
		return nil, err
	}
	owners := append(begun, uploaded...)
	slices.Sort(owners)
	return slices.Compact(owners), nil
}

// publishedNames are what the folder of an owner has after something was published.
var publishedNames = []string{"head.json", "exports", "inputs", "receipts"}

// ownersIn lists the owners whose folder in root has one of some names, or anything if there are no
// names.
func ownersIn(root string, names ...string) (owners []string, err error) {
	folders, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list owners: %w: let the folder's user give you access", err)
	}
	for _, f := range folders {
		if !f.IsDir() || !config.ValidOwner(f.Name()) {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(root, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("list owners: %w: let the folder's user give you access", err)
		}
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return len(names) == 0 || slices.Contains(names, e.Name()) }) {
			owners = append(owners, f.Name())
		}
	}
	return owners, nil
}

// ManyOwnersError says that a command needs one owner and the data folder has several.
type ManyOwnersError struct {
	Folder string
	Owners []string
}

// maxNamed is how many owners an error names.
const maxNamed = 20

func (e *ManyOwnersError) Error() string {
	names := strings.Join(e.Owners[:min(maxNamed, len(e.Owners))], ", ")
	if more := len(e.Owners) - maxNamed; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the data folder %s has several owners: %s: choose one with --owner", e.Folder, names)
}

// KeptOwner is the owner id that was generated for this folder; "" when there is none.
func (d *Dir) KeptOwner() (string, error) {
	path := d.Join(ownerFile)
	kept, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read owner: %w", err)
	}
	id := strings.TrimSpace(string(kept))
	if !config.ValidOwner(id) {
		return "", fmt.Errorf("read owner: %s does not contain an owner id: choose the owner with --owner", path)
	}
	return id, nil
}

// ownerFile keeps the generated owner id.
const ownerFile = "owner"
