package progress

import (
	"io/fs"
	"sync/atomic"
)

// Files is a view of files that shows how many of their bytes were read; with a nil Display it is
// the files themselves. Bytes that are read twice count once at most.
func (d *Display) Files(name string, files fs.FS) fs.FS {
	if d == nil {
		return files
	}
	return &watched{FS: files, display: d, name: name, total: size(files)}
}

// size is that of all files; what cannot be looked at is left out, for it is for progress only.
func size(files fs.FS) (n int64) {
	_ = fs.WalkDir(files, ".", func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // as above
		}
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

type watched struct {
	fs.FS
	display *Display
	name    string
	total   int64
	read    atomic.Int64
}

func (w *watched) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if _, isFolder := f.(fs.ReadDirFile); isFolder {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return f, nil
		}
	}
	return &watchedFile{f, w}, nil
}

type watchedFile struct {
	fs.File
	w *watched
}

// every is how many bytes are read between two looks at the display.
const every = 1 << 20

func (f *watchedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	read := f.w.read.Add(int64(n))
	if read/every != (read-int64(n))/every {
		f.w.display.Bytes(f.w.name, min(read, f.w.total), f.w.total)
	}
	return n, err
}
