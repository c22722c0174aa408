package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pipeline/state"
)

// refuseSealedPaths refuses a path argument that leads to encrypted objects, and says how their
// owner is read.
func refuseSealedPaths(parsed *kong.Context) error {
	for _, p := range parsed.Selected().Positional {
		if p.Tag.Type != "path" {
			continue
		}
		var given []string
		switch v := p.Target.Interface().(type) {
		case string:
			given = []string{v}
		case []string:
			given = v
		}
		for _, path := range given {
			if isSealed, err := leadsToSealed(path); err != nil || !isSealed {
				continue // whoever opens it says what is wrong
			}
			return exit.With(exit.Usage, fmt.Errorf("%s is encrypted: %s", path, adviceFor(path)))
		}
	}
	return nil
}

// leadsToSealed tells whether a path is an encrypted object, or the folder of an owner that holds
// such objects.
func leadsToSealed(path string) (bool, error) {
	info, err := os.Stat(path)
	if path == "" || err != nil {
		return false, err
	}
	if info.Mode().IsRegular() {
		return beginsSealed(path)
	}
	for _, name := range []string{"memory-store.json", "head.json"} {
		is, err := beginsSealed(filepath.Join(path, name))
		if is || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return is, err
		}
	}
	return false, nil
}

func beginsSealed(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // only read
	prefix := make([]byte, sealed.MagicSize)
	n, err := io.ReadFull(f, prefix)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return sealed.IsObject(prefix[:n]), err
}

// isOwnerFolder tells whether a path is the folder of an owner in a store.
func isOwnerFolder(path string) bool {
	for _, name := range []string{"head.json", "inputs"} {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			return false // whoever opens it says what is wrong
		}
	}
	return true
}

// adviceFor tells how the owner is read to whose encrypted objects a path leads.
func adviceFor(path string) string {
	data, owner := ownerOf(path)
	return fmt.Sprintf("give the owner in the place of the path:%s %s. `pamline export%s -o FOLDER %s` writes a copy that is not encrypted", data, owner, data, owner)
}

// ownerOf names the owner of a path, and the data folder as a flag with a space before it, as far
// as the path tells them.
func ownerOf(path string) (data, owner string) {
	owner = "OWNER"
	if abs, err := filepath.Abs(path); err == nil {
		parts := strings.Split(abs, string(filepath.Separator))
		for i := len(parts) - 2; i > 1; i-- {
			if parts[i] != "owners" || state.CheckOwner(parts[i+1]) != nil {
				continue
			}
			owner = parts[i+1]
			if parts[i-1] == "store" {
				data = " --data " + shellWord(strings.Join(parts[:i-1], string(filepath.Separator)))
			}
			break
		}
	}
	return data, owner
}
