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

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
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
	// Take imports one drop. An error is logged: what passes is tried again after growing pauses, anything else when the drop
	// changes.
	// It is called beside itself for one large drop ([Folder.takeTurns]).
	Take func(ctx context.Context, d LocalDrop) error

	seen  map[string]look
	large chan attempt // holds the end of the large drop that is being taken; nil when there is none
	// lastSmall and lastLarge are the owners who had the last turn.
	lastSmall, lastLarge string
}

// look is what a drop looked like, and whether it was taken like that.
type look struct {
	size   int64
	files  int
	last   time.Time
	folder bool
	marked bool // _COMPLETE is there
	odd    int  // links and special files in a folder
	alien  bool // a link or a special file itself
	hidden bool // it cannot be read
	still  int  // looks since the last change
	next   int  // how still it must be to be tried again, when taking it failed
	taken  bool
}

// longestPause is the most looks from one try to take a drop to the next.
const longestPause = 40

func (l look) same(o look) bool {
	return l.size == o.size && l.files == o.files && l.last.Equal(o.last) && l.folder == o.folder && l.marked == o.marked &&
		l.odd == o.odd && l.alien == o.alien && l.hidden == o.hidden
}

// partial are the endings that programs give to files that they are still writing.
var partial = []string{".part", ".partial", ".crdownload", ".download", ".tmp", ".filepart", "~"}

// Run looks at the folder until ctx ends, with a pause from each look to the next: so long something must be still. A rhythm would
// not do, for looks that take long would follow one another at once.
func (f *Folder) Run(ctx context.Context, pause time.Duration) error {
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return fmt.Errorf("watch drop folder: %w", err)
	}
	defer f.wait()
	told := ""
	for {
		err := f.Look(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			told = ""
		} else if why := pathless(err); why != told {
			f.Log.Warn("look into drop folder failed; trying again", zap.String("error", why))
			told = why
		}
		if wait(ctx, pause) != nil {
			return ctx.Err()
		}
	}
}

// pathless is an error of a file system without the name, which is a person's own.
func pathless(err error) string {
	var p *fs.PathError
	switch {
	case !errors.As(err, &p):
		return fault.Loggable(err)
	case errors.Is(err, fs.ErrPermission):
		return p.Op + ": " + p.Err.Error() + ": let the user who runs pamline read it"
	}
	return p.Op + ": " + p.Err.Error()
}

// Look takes what has been still since the last look.
func (f *Folder) Look(ctx context.Context) error {
	if f.seen == nil {
		f.seen = map[string]look{}
	}
	f.hear()
	var ready []attempt
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
			ready = f.consider(ready, found, f.DefaultOwner, path)
		case state.CheckOwner(e.Name()) != nil:
			if _, told := f.seen[path]; !told {
				f.Log.Warn("a folder in the drop folder is not named by an owner id and is passed over")
			}
			found[path] = look{folder: true, taken: true}
		default:
			ready = f.considerAll(ready, found, e.Name(), path)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	f.seen = found // what has gone is forgotten
	return f.takeTurns(ctx, ready)
}

// considerAll looks at what lies in the folder of an owner.
func (f *Folder) considerAll(ready []attempt, found map[string]look, owner, path string) []attempt {
	drops, err := os.ReadDir(path)
	if err != nil {
		f.hidden(found, owner, path, err)
	}
	for _, d := range drops {
		if !unfinished(d.Name()) {
			ready = f.consider(ready, found, owner, filepath.Join(path, d.Name()))
		}
	}
	return ready
}

// hidden says once that something cannot be looked at; what has gone meanwhile is nothing to speak of.
func (f *Folder) hidden(found map[string]look, owner, path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if !f.seen[path].hidden {
		f.Log.Warn("something in the drop folder cannot be looked at; trying again", zap.String("owner", owner), zap.String("error", pathless(err)))
	}
	found[path] = look{hidden: true}
}

// consider looks at one drop, and adds it to those that are ready when it is still.
func (f *Folder) consider(ready []attempt, found map[string]look, owner, path string) []attempt {
	now, err := lookAt(path)
	if err != nil {
		f.hidden(found, owner, path, err)
		return ready
	}
	if before, known := f.seen[path]; known && before.same(now) {
		now.still, now.next, now.taken = before.still+1, before.next, before.taken
	}
	if now.alien && !now.taken {
		f.Log.Warn("a link or special file in the drop folder is passed over: put the file or folder itself there", zap.String("owner", owner))
		now.taken = true
	}
	found[path] = now
	if !now.taken && now.ready(f.QuietLooks) {
		ready = append(ready, attempt{owner: owner, path: path, look: now})
	}
	return ready
}

// ready tells whether a drop has been left alone for long enough.
func (l look) ready(quietLooks int) bool {
	enough := max(1, l.next)
	if l.folder && !l.marked {
		enough = max(enough, quietLooks)
	}
	return (l.files > 0 || l.odd > 0 || l.marked) && l.still >= enough
}

// lookAt sums up a drop. The marker of a folder is no file of it, but counts as a change.
func lookAt(path string) (l look, err error) {
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p == path {
			l.folder, l.alien = d.IsDir(), !d.IsDir() && !d.Type().IsRegular()
		}
		if !d.Type().IsRegular() {
			if !d.IsDir() {
				l.odd++
			}
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
