// Package copies remembers the bundles that commands have written outside the data folder (--out),
// so that a later command can bring them up to date or say that they are not.
package copies

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Copy is a bundle that was written for a person.
type Copy struct {
	// Path is the folder, absolute and without links.
	Path  string `json:"path"`
	Owner string `json:"owner"`
	content
	// Next is what was about to take its place when the record was written.
	Next *content `json:"next,omitempty"`
}

// content is what was written to the folder of a copy.
type content struct {
	// ExportID is the export that it was copied from.
	ExportID string `json:"export_id"`
	// Files is a digest of the names, sizes and times of its files, by which a change by hand is
	// noticed.
	Files string `json:"files"`
}

// folder holds a record for each copy, named by the digest of its path, so that commands do not
// overwrite each other's.
const folder = "copies"

// Announce keeps that the bundle in the folder next, made of an export, is about to take the place
// of what is at path. A command that is killed before Record leaves a record that is right in both
// cases.
func Announce(data, path, owner, next, export string) error {
	c, _, err := Find(data, path)
	if err != nil {
		return err
	}
	files, err := fingerprint(next)
	if err != nil {
		return fmt.Errorf("record copy %s: %w", path, err)
	}
	c.Path, c.Owner, c.Next = path, owner, &content{ExportID: export, Files: files}
	return c.write(data)
}

// Record keeps that a bundle has just been written to path.
func Record(data, path, owner, export string) error {
	files, err := fingerprint(path)
	if err != nil {
		return fmt.Errorf("record copy %s: %w", path, err)
	}
	return Copy{Path: path, Owner: owner, content: content{ExportID: export, Files: files}}.write(data)
}

func (c Copy) write(data string) error {
	body, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("record copy %s: %w", c.Path, err)
	}
	into := filepath.Join(data, folder)
	if err := os.MkdirAll(into, 0o700); err != nil {
		return fmt.Errorf("record copy %s: %w", c.Path, err)
	}
	f, err := os.CreateTemp(into, ".new-*")
	if err != nil {
		return fmt.Errorf("record copy %s: %w", c.Path, err)
	}
	_, err = f.Write(append(body, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), recordOf(data, c.Path))
	}
	if err != nil {
		return fmt.Errorf("record copy %s: %w", c.Path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// Forget removes the record of a copy.
func Forget(data, path string) error {
	if err := os.Remove(recordOf(data, path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget copy %s: %w", path, err)
	}
	return nil
}

// Find gives the copy at a path; ok is false when there is no record of one.
func Find(data, path string) (c Copy, ok bool, err error) {
	c, err = read(recordOf(data, path))
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	return c, err == nil, err
}

// Owners are those whose stores were copied, sorted.
func Owners(data string) ([]string, error) {
	all, err := list(data)
	var owners []string
	for _, c := range all {
		owners = append(owners, c.Owner)
	}
	slices.Sort(owners)
	return slices.Compact(owners), err
}

// Of lists the copies of an owner's store, in the order of their records.
func Of(data, owner string) ([]Copy, error) {
	all, err := list(data)
	return slices.DeleteFunc(all, func(c Copy) bool { return c.Owner != owner }), err
}

func list(data string) ([]Copy, error) {
	names, err := filepath.Glob(filepath.Join(escape(filepath.Join(data, folder)), "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list copies: %w", err)
	}
	var all []Copy
	for _, name := range names {
		c, err := read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another command has just removed it
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// IsGone tells whether the bundle was moved or removed.
func (c Copy) IsGone() bool {
	_, err := os.Stat(filepath.Join(c.Path, "memory-store.json"))
	return errors.Is(err, fs.ErrNotExist)
}

// Written gives the export that the bundle was copied from. unchanged is false when anybody has
// changed the bundle since: then it is theirs.
func (c Copy) Written() (export string, unchanged bool, err error) {
	files, err := fingerprint(c.Path)
	if c.Next != nil && files == c.Next.Files {
		return c.Next.ExportID, true, err
	}
	return c.ExportID, files == c.Files, err
}

func recordOf(data, path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(data, folder, hex.EncodeToString(sum[:16])+".json")
}

func read(name string) (c Copy, err error) {
	body, err := os.ReadFile(name)
	if err != nil {
		return c, fmt.Errorf("read record of a copy: %w", err)
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return c, fmt.Errorf("read record of a copy: %s is damaged: remove it: %w", name, err)
	}
	return c, nil
}

// fingerprint digests what a look at the files tells, without reading them.
func fingerprint(root string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%q %d %d\n", filepath.ToSlash(rel), info.Size(), info.ModTime().UnixNano())
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// escape makes a path a pattern that matches it alone.
func escape(path string) string {
	if filepath.Separator == '\\' {
		return path // there a backslash separates, and * and ? are in no name
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
