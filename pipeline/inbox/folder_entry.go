package inbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/job"
)

// localEntry is an entry of a drop folder, as a look found it.
type localEntry struct {
	entry
	path    string
	links   int    // links and special files, which are not read
	skipped int    // files of unfinished uploads
	problem string // why it cannot be taken at all; no personal text
	// unchanged counts the looks since the last change; retry is what it must be for the next
	// attempt after one that failed.
	unchanged, retry int
	// done: the entry was taken or refused as it is, or is being taken.
	done bool
}

func (l localEntry) isSame(o localEntry) bool {
	return l.id == o.id && l.newest.Equal(o.newest) && l.links == o.links && l.skipped == o.skipped && l.problem == o.problem
}

// isReady tells whether an entry has been unchanged for long enough.
func (f *Folder) isReady(l localEntry) bool {
	enough := max(1, l.retry)
	if isFolder(l.key) && !l.marked && f.Settle > 0 {
		enough = max(enough, int((f.Quiet+f.Settle-1)/f.Settle))
	}
	return !l.done && (l.files > 0 || l.links > 0 || l.marked) && l.unchanged >= enough
}

// readLocal sums up an entry as a listing of an inbox does, with the first keep files. The size and
// time of a file stand for its ETag.
func (f *Folder) readLocal(path, key string, keep int) localEntry {
	b := newEntryBuilder(f.locate(blob.Object{Key: key, Size: 1}), keep)
	l := localEntry{path: path}
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			if l.links++; p == path {
				l.problem = "it is a link or special file: put the file or folder itself there"
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		o := blob.Object{Key: key, Size: info.Size(), ModTime: info.ModTime()}
		o.ETag = fmt.Sprintf("%d-%d", o.Size, o.ModTime.UnixNano())
		if p != path {
			o.Key += filepath.ToSlash(strings.TrimPrefix(p, path+string(filepath.Separator)))
		}
		where := f.locate(o)
		where.bad = nil // the copy gets a name of its own
		if where.skipped {
			l.skipped++
		}
		b.add(o, where)
		return nil
	})
	l.entry, _ = b.build()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.problem = textWithoutPath(err)
	}
	return l
}

// takeLocal copies an entry into the inbox of the store and asks for its import.
func (f *Folder) takeLocal(ctx context.Context, a Asker, l localEntry) error {
	if l.files == 0 {
		return errNoFiles
	}
	want, err := f.readLocalSettings(l)
	if err != nil {
		return err
	}
	paths, err := f.splitParts(l)
	if err != nil {
		return err
	}
	rec, err := TakeIn(ctx, f.Store, l.owner, paths, f.Scratch)
	if err != nil {
		return err
	}
	if l.links > 0 {
		f.Log.Warn("links and special files in the folder are skipped: copy the files themselves there",
			zap.String("owner", l.owner), zap.String("drop", rec.Drop), zap.Int("left_out", l.links))
	}
	want.Lane = dispatch.LaneOf(rec.Bytes())
	asked, err := a.Ask(ctx, job.Ref{Owner: l.owner, Drop: rec.Drop}, want)
	if err != nil || asked.Gen == 0 {
		return err
	}
	f.Log.Info("drop taken from the drop folder", zap.String("owner", l.owner), zap.String("drop", rec.Drop), zap.Int64("bytes", rec.Bytes()))
	return nil
}

func (f *Folder) readLocalSettings(l localEntry) (w job.Want, err error) {
	if !l.marked {
		return w, nil
	}
	marker, err := os.Open(filepath.Join(l.path, markerName))
	if err != nil {
		return w, fmt.Errorf("read marker: %w", err)
	}
	defer marker.Close()
	settings, err := readMarker(marker)
	if err != nil {
		return w, err
	}
	return f.parseSettings(settings)
}

// splitParts gives the archives that lie side by side in a folder, or the entry as one part.
func (f *Folder) splitParts(l localEntry) (paths []string, err error) {
	whole := []string{l.path}
	if !isFolder(l.key) || l.files > f.Parts {
		return whole, nil
	}
	for _, o := range l.content() {
		name := strings.TrimPrefix(o.Key, l.key)
		if strings.Contains(name, "/") {
			return whole, nil
		}
		path := filepath.Join(l.path, name)
		start, err := readStart(path)
		if err != nil {
			return nil, err
		}
		if !isArchive(start) {
			return whole, nil
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// readStart reads the first bytes of a file.
func readStart(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read dropped file: %w", err)
	}
	defer file.Close()
	start := make([]byte, startLength)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read dropped file: %w", err)
	}
	return start[:n], nil
}
