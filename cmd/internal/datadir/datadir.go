// Package datadir is the folder that pamline keeps its state and store in on one machine. One
// process at a time uses it.
package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pamline/pamline/config"
)

// Dir is an opened data folder.
type Dir struct {
	path string
	lock *os.File // nil when the folder is only looked at
}

// StoreFolder holds the objects of a store.kind dir, unless the settings name another folder.
// Beside it are scratch, search, the lock, owner, inbox and copies, and while a service runs
// http.addr and http.token.
const StoreFolder = "store"

// SearchFolder holds the search index of each owner, a cache that can be deleted at any time.
const SearchFolder = "search"

// Default is the user data folder of the operating system: $XDG_DATA_HOME/pamline or
// ~/.local/share/pamline, ~/Library/Application Support/pamline, %LocalAppData%\pamline.
func Default() (string, error) {
	return defaultPath(goos, os.Getenv, os.UserHomeDir)
}

func defaultPath(system string, getenv func(string) string, home func() (string, error)) (string, error) {
	switch system {
	case "windows":
		if dir := getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "pamline"), nil
		}
		return "", errors.New("find data folder: %LocalAppData% is not set; choose a folder with --data")
	case "darwin", "ios":
	default:
		if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "pamline"), nil
		}
	}
	dir, err := home()
	if err != nil {
		return "", fmt.Errorf("find data folder: %w; choose one with --data", err)
	}
	if system == "darwin" || system == "ios" {
		return filepath.Join(dir, "Library", "Application Support", "pamline"), nil
	}
	return filepath.Join(dir, ".local", "share", "pamline"), nil
}

// Open creates the folder if need be and locks it. An empty path is [Default]. A folder that
// another process has locked gives an *InUseError.
func Open(path string) (*Dir, error) {
	path, err := Find(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("create data folder: %w: choose another with --data", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data folder: %w: make it writable for you, or choose another with --data", err)
	}
	if err := lockFile(lock); err != nil {
		pid := lockHolder(lock)
		closeErr := lock.Close()
		if errors.Is(err, errLocked) {
			return nil, errors.Join(&InUseError{Path: path, PID: pid}, closeErr)
		}
		return nil, fmt.Errorf("lock data folder %s: %w", path, errors.Join(err, closeErr))
	}
	if err := writeHolder(lock); err != nil {
		return nil, fmt.Errorf("lock data folder %s: %w", path, errors.Join(err, lock.Close()))
	}
	return &Dir{path: path, lock: lock}, nil
}

// Find is the absolute path of the data folder without opening it: what is given, else [Default].
func Find(path string) (string, error) {
	if path == "" {
		return Default()
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find data folder: %w", err)
	}
	return abs, nil
}

// InUseError says who uses a data folder. PID is 0 when that is not known.
type InUseError struct {
	Path string
	PID  int
}

func (e *InUseError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("the data folder %s is in use by %s: wait for it to finish, stop it, or choose another folder with --data", e.Path, who)
}

func lockHolder(lock *os.File) int {
	var text [32]byte
	n, _ := lock.ReadAt(text[:], 0) // an unreadable number only makes the message poorer
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return 0
	}
	return pid
}

func writeHolder(lock *os.File) error {
	text := strconv.Itoa(os.Getpid()) + "\n"
	if err := lock.Truncate(int64(len(text))); err != nil {
		return err
	}
	_, err := lock.WriteAt([]byte(text), 0)
	return err
}

// Path is the folder.
func (d *Dir) Path() string { return d.path }

// Join is the path of something in the folder.
func (d *Dir) Join(parts ...string) string {
	return filepath.Join(append([]string{d.path}, parts...)...)
}

// Close unlocks the folder.
func (d *Dir) Close() error {
	if d.lock == nil {
		return nil
	}
	return errors.Join(unlockFile(d.lock), d.lock.Close())
}

// Owner is the owner id to use: the given one, else the one made once for this folder. make is
// called when there is none yet; its id is kept, unless the folder is only looked at. An id of
// another form than the accepted one is an error, wherever it comes from.
func (d *Dir) Owner(given string, make func() string) (string, error) {
	if given != "" {
		if !config.ValidOwner(given) {
			return "", fmt.Errorf("check owner: %q is not an owner id: use 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit", given)
		}
		return given, nil
	}
	if kept, err := d.KeptOwner(); err != nil || kept != "" {
		return kept, err
	}
	id := make()
	if !config.ValidOwner(id) {
		return "", fmt.Errorf("make owner: %q is not an owner id", id)
	}
	if d.lock == nil {
		return id, nil
	}
	if err := writeWhole(d.Join(ownerFile), id+"\n"); err != nil {
		return "", fmt.Errorf("keep owner: %w", err)
	}
	return id, nil
}

// writeWhole writes a small file so that after a power cut it is there whole or not at all.
func writeWhole(path, text string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err = f.WriteString(text); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}
