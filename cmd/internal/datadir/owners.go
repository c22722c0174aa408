package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/config"
)

// Owners lists the owners who have a store in the folder of a store.kind dir, sorted. A folder that
// does not exist has none.
func Owners(store string) ([]string, error) {
	root := filepath.Join(store, "owners")
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list owners: %w: let the folder's user give you access", err)
	}
	var owners []string
	for _, e := range entries {
		if !config.ValidOwner(e.Name()) {
			continue
		}
		switch _, err := os.Stat(filepath.Join(root, e.Name(), "head.json")); {
		case err == nil:
			owners = append(owners, e.Name())
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("list owners: %w", err)
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
