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
// DefaultOwner. A file counts when it is still: unchanged between two looks. A folder counts when there is a file _COMPLETE in it
// that is still, else when nothing in it has changed for a number of looks. Everything is left where it is.
type Folder struct {
	Path         string
	DefaultOwner string
	// QuietLooks is how many looks in a row a folder without _COMPLETE must be unchanged; less than 1 is 1.
	QuietLooks int
	Log        *zap.Logger
	// Take imports one drop; an error is logged and the drop tried again when it changes.
	Take func(ctx context.Context, d LocalDrop) error

	seen map[string]look
}

// look is what a drop looked like, and whether it was taken like that.
type look struct {
	size   int64
	files  int
	last   time.Time
	folder bool
	marked bool // _COMPLETE is there
	link   bool
	still  int // looks since the last change
	taken  bool
}

func (l look) same(o look) bool {
	return l.size == o.size && l.files == o.files && l.last.Equal(o.last) && l.folder == o.folder && l.marked == o.marked && l.link == o.link
}

// partial are the endings that programs give to files that they are still writing.
var partial = []string{".part", ".partial", ".crdownload", ".download", ".tmp", ".filepart", "~"}

// Run looks at the folder until ctx ends, with a pause from each look to the next: so long something must be still. A rhythm would
// not do, for looks that take long would follow one another at once.
func (f *Folder) Run(ctx context.Context, pause time.Duration) error {
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return fmt.Errorf("watch drop folder: %w", err)
	}
	for {
		if err := f.Look(ctx); err != nil {
			f.Log.Warn("look into drop folder failed; trying again", zap.String("error", pathless(err)))
		}
		if wait(ctx, pause) != nil {
			return ctx.Err()
		}
	}
}

// pathless is an error of a file system without the name, which is a person's own.
func pathless(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Op + ": " + p.Err.Error()
	}
	return Loggable(err)
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
			if _, told := f.seen[path]; !told {
				f.Log.Warn("a folder in the drop folder is not named by an owner id and is passed over")
			}
			found[path] = look{folder: true, taken: true}
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
	if known && before.same(now) {
		now.still, now.taken = before.still+1, before.taken
	}
	if now.link && !now.taken {
		f.Log.Warn("a link in the drop folder is passed over: put the file or folder itself there", zap.String("owner", owner))
		now.taken = true
	}
	if !now.taken && now.ready(f.QuietLooks) {
		now.taken = true
		if err := f.take(ctx, owner, path, now); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// An outage passes; what is wrong with the drop itself stays until somebody changes it.
			now.taken = ClassOf(err) != Outage
			f.Log.Warn("take drop failed", zap.String("owner", owner), zap.Bool("tried_again", !now.taken), zap.String("error", pathless(err)))
		}
	}
	found[path] = now
	return nil
}

// ready tells whether a drop has been left alone for long enough.
func (l look) ready(quietLooks int) bool {
	if l.folder && !l.marked {
		return l.files > 0 && l.still >= max(1, quietLooks)
	}
	return l.files > 0 && l.still >= 1
}

func (f *Folder) take(ctx context.Context, owner, path string, l look) error {
	d := LocalDrop{Owner: owner, Paths: []string{path}}
	if l.folder {
		if err := d.openFolder(path, l.marked); err != nil {
			return err
		}
	}
	return f.Take(ctx, d)
}

// lookAt sums up a drop. The marker of a folder is no file of it, but counts as a change.
func lookAt(path string) (l look, err error) {
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p == path {
			l.folder, l.link = d.IsDir(), d.Type()&fs.ModeSymlink != 0
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.ModTime().After(l.last) {
			l.last = info.ModTime()
		}
		l.size += info.Size()
		if p == filepath.Join(path, completeName) {
			l.marked = true
			return nil
		}
		l.files++
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
