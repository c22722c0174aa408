// Package answers keeps what a model answered for a command that has no store: in a folder, or in
// memory.
package answers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/pamline/pamline/extract"
)

// Answers keeps values by key. It is safe for concurrent use by one process.
type Answers struct {
	folder string // "" is memory
	mu     sync.Mutex
	kept   map[string][]byte
	spent  extract.Usage
}

var _ extract.Answers = (*Answers)(nil)

// Open uses a folder, which is made; "" keeps everything in memory. What is spent is counted from
// the opening on.
func Open(folder string) (*Answers, error) {
	if folder != "" {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make folder for answers: %w", err)
		}
	}
	return &Answers{folder: folder, kept: map[string][]byte{}}, nil
}

var keyForm = regexp.MustCompile(`^(?:batch-)?[0-9a-f]{32,64}$`)

func (a *Answers) path(key string) (string, error) {
	if !keyForm.MatchString(key) {
		return "", fmt.Errorf("keep answer: %q is not a key", key)
	}
	return filepath.Join(a.folder, key+".json"), nil
}

// Get gives a recorded value.
func (a *Answers) Get(_ context.Context, key string) (value []byte, ok bool, err error) {
	path, err := a.path(key)
	if err != nil {
		return nil, false, err
	}
	if a.folder == "" {
		a.mu.Lock()
		defer a.mu.Unlock()
		value, ok = a.kept[key]
		return value, ok, nil
	}
	value, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return value, err == nil, err
}

// Put records a value.
func (a *Answers) Put(_ context.Context, key string, value []byte) error {
	path, err := a.path(key)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.folder == "" {
		a.kept[key] = append([]byte{}, value...)
		return nil
	}
	return write(path, value)
}

// write puts the file in place as a whole, durably.
func write(path string, value []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".answer-*")
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when it was renamed
	_, err = f.Write(value)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	return nil
}

// Spent is what was used since Open.
func (a *Answers) Spent(context.Context) (extract.Usage, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent, nil
}

// Spend adds to it.
func (a *Answers) Spend(_ context.Context, u extract.Usage) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent.Add(u)
	return nil
}
