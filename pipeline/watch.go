package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Folder watches a drop folder. A file or folder in <Path>/<owner>/ is a drop of that owner, a file at its root one of
// DefaultOwner. It counts when it is still: unchanged between two looks. It is left where it is.
type Folder struct {
	Path         string
	DefaultOwner string
	Log          *zap.Logger
	// Take imports one drop; an error is logged and the drop tried again when it changes.
	Take func(ctx context.Context, owner, path string) error

	seen map[string]look
}

// look is what a drop looked like, and whether it was taken like that.
type look struct {
	size  int64
	files int
	last  time.Time
	taken bool
}

// partial are the endings that programs give to files that they are still writing.
var partial = []string{".part", ".partial", ".crdownload", ".download", ".tmp", ".filepart", "~"}

// Run looks at the folder until ctx ends; ticks sets the rhythm, and with it how long something must be still.
func (f *Folder) Run(ctx context.Context, ticks <-chan time.Time) error {
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return fmt.Errorf("watch drop folder: %w", err)
	}
	for {
		if err := f.Look(ctx); err != nil {
			f.Log.Warn("look into drop folder failed; trying again", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
		}
	}
}

// Look takes what has been still since the last look.
func (f *Folder) Look(ctx context.Context) error {
	if f.seen == nil {
		f.seen = map[string]look{}
	}
	found := map[string]look{}
	top, err := os.ReadDir(f.Path)
	if err != nil {
		return fmt.Errorf("look into drop folder: %w", err)
	}
	for _, e := range top {
		path := filepath.Join(f.Path, e.Name())
		switch {
		case unfinished(e.Name()):
		case !e.IsDir():
			err = errors.Join(err, f.consider(ctx, found, f.DefaultOwner, path))
		case CheckOwner(e.Name()) != nil:
			f.Log.Warn("a folder in the drop folder is not named by an owner id and is passed over")
		default:
			drops, bad := os.ReadDir(path)
			err = errors.Join(err, bad)
			for _, d := range drops {
				if !unfinished(d.Name()) {
					err = errors.Join(err, f.consider(ctx, found, e.Name(), filepath.Join(path, d.Name())))
				}
			}
		}
	}
	f.seen = found // what has gone is forgotten
	return err
}

func (f *Folder) consider(ctx context.Context, found map[string]look, owner, path string) error {
	now, err := lookAt(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before, known := f.seen[path]
	same := known && before.size == now.size && before.files == now.files && before.last.Equal(now.last)
	if same && before.taken {
		now.taken = true
	} else if same && now.files > 0 {
		now.taken = true
		if err := f.Take(ctx, owner, path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// An outage passes; what is wrong with the drop itself stays until somebody changes it.
			now.taken = ClassOf(err) != Outage
			f.Log.Warn("take drop failed", zap.String("owner", owner), zap.Bool("tried_again", !now.taken), zap.String("error", Loggable(err)))
		}
	}
	found[path] = now
	return nil
}

func lookAt(path string) (l look, err error) {
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		l.size += info.Size()
		l.files++
		if info.ModTime().After(l.last) {
			l.last = info.ModTime()
		}
		return nil
	})
	return l, err
}

func unfinished(name string) bool {
	if strings.HasPrefix(name, ".") {
		return true
	}
	for _, end := range partial {
		if strings.HasSuffix(strings.ToLower(name), end) {
			return true
		}
	}
	return false
}
