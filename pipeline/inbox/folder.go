package inbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// FolderOptions say where a drop folder is.
type FolderOptions struct {
	Path string
	// Settle is the pause between two looks at the folder. A file counts as complete when it has
	// not changed from one look to the next, and a folder without a marker when it has not for
	// Rules.Quiet.
	Settle time.Duration
	// Scratch is a folder for packed folders.
	Scratch string
}

// Folder watches a drop folder on this machine. Its entries, markers, settings and skipped names
// are those of an inbox: <Path>/<owner>/<entry>, and <Path>/<file> for the owner in Rules. What is
// complete is copied into the inbox of the store, and its import is asked for. Everything is left
// where it is.
type Folder struct {
	Options
	FolderOptions
	// take copies an entry and asks for its import.
	take func(context.Context, localEntry) error
	wake map[string]chan struct{} // by lane: something may be ready

	mu   sync.Mutex
	seen map[string]*localEntry // by path, as the last look found them
	// last is the number of each lane and owner's last turn.
	last map[[2]string]int
	turn int
}

// NewFolder gives the watcher of a drop folder.
func NewFolder(o Options, f FolderOptions, a Asker) *Folder {
	w := &Folder{Options: o.withDefaults(), FolderOptions: f, last: map[[2]string]int{}}
	w.wake = map[string]chan struct{}{state.LaneSmall: make(chan struct{}, 1), state.LaneBulk: make(chan struct{}, 1)}
	w.take = func(ctx context.Context, l localEntry) error { return w.takeLocal(ctx, a, l) }
	return w
}

// Run watches the folder until ctx ends, with a pause after each look: so long something must be
// unchanged. Meanwhile it takes small entries one by one, and one large entry beside them.
func (f *Folder) Run(ctx context.Context) error {
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return fmt.Errorf("watch drop folder: %w", err)
	}
	var lanes sync.WaitGroup
	defer lanes.Wait()
	for lane, wake := range f.wake {
		lanes.Go(func() {
			for ctx.Err() == nil {
				if f.takeNext(ctx, lane) {
					continue
				}
				select {
				case <-wake:
				case <-ctx.Done():
				}
			}
		})
	}
	warned := ""
	for ctx.Err() == nil {
		err := f.look()
		if why := textWithoutPath(err); why != warned {
			if warned = why; err != nil {
				f.Log.Warn("look into drop folder failed; trying again", zap.String("error", why))
			}
		}
		pause := time.NewTimer(f.Settle)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
	return ctx.Err()
}

// foreignFolder is what is wrong with a folder in the drop folder itself, and what to do.
const foreignFolder = "the folder is not named by an owner id (lower-case letters, digits, - and _): " +
	"move an export that is a folder into a subfolder that has the id of its owner"

// look compares the folder with the last look. Its error is about the folder itself.
func (f *Folder) look() error {
	top, err := os.ReadDir(f.Path)
	if err != nil {
		return fmt.Errorf("look into drop folder: %w", err)
	}
	found := map[string]*localEntry{}
	see := func(l localEntry) { found[l.path] = &l }
	for _, e := range top {
		path := filepath.Join(f.Path, e.Name())
		switch {
		case isUnfinished(e.Name()):
		case !e.IsDir():
			see(f.readLocal(path, state.InboxRoot+e.Name(), 0))
		case state.CheckOwner(e.Name()) != nil:
			see(localEntry{path: path, problem: foreignFolder})
		default:
			entries, err := os.ReadDir(path)
			if err != nil {
				see(localEntry{entry: entry{owner: e.Name()}, path: path, problem: textWithoutPath(err)})
			}
			for _, inner := range entries {
				key := state.InboxPrefix(e.Name()) + inner.Name()
				if inner.IsDir() {
					key += "/"
				}
				if !isUnfinished(inner.Name()) {
					see(f.readLocal(filepath.Join(path, inner.Name()), key, 0))
				}
			}
		}
	}
	f.mu.Lock()
	f.compare(found)
	f.seen = found // what has gone is forgotten
	f.mu.Unlock()
	for _, wake := range f.wake {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// textWithoutPath is the text of an error without names of files, which are a person's own.
func textWithoutPath(err error) string {
	var p *fs.PathError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &p):
		return fault.Loggable(err)
	case errors.Is(err, fs.ErrPermission):
		return p.Op + ": " + p.Err.Error() + ": let the user who runs pamline read it"
	}
	return p.Op + ": " + p.Err.Error()
}
