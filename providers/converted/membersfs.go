package converted

import (
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/archive"
)

// FS shows the members of a document as a file system, for codecs that read folders.
func FS(ctx context.Context, d Document) fs.FS {
	m := &memberFS{ctx: ctx, files: map[string]archive.Member{}, dirs: map[string][]string{".": nil}}
	for _, one := range d.Members {
		name := one.Name
		if d.Root != "." {
			name = strings.TrimPrefix(name, d.Root+"/")
		}
		if !fs.ValidPath(name) {
			continue
		}
		if _, twice := m.files[name]; twice {
			continue
		}
		m.files[name] = one
		m.enter(name)
	}
	for _, names := range m.dirs {
		slices.Sort(names)
	}
	return m
}

type memberFS struct {
	ctx   context.Context //nolint:containedctx // a file system has no context in its methods
	files map[string]archive.Member
	dirs  map[string][]string
}

// enter notes a name in the folders above it.
func (m *memberFS) enter(name string) {
	for name != "." {
		dir := path.Dir(name)
		if slices.Contains(m.dirs[dir], path.Base(name)) {
			return
		}
		m.dirs[dir] = append(m.dirs[dir], path.Base(name))
		name = dir
	}
}

// Open opens a member or lists a folder.
func (m *memberFS) Open(name string) (fs.File, error) {
	if one, ok := m.files[name]; ok {
		r, err := one.Open(m.ctx)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &memberFile{r, info{path.Base(name), one.Size, 0}}, nil
	}
	if _, ok := m.dirs[name]; ok {
		return &memberDir{m, name, 0}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Stat says what a name is without opening it.
func (m *memberFS) Stat(name string) (fs.FileInfo, error) {
	if one, ok := m.files[name]; ok {
		return info{path.Base(name), one.Size, 0}, nil
	}
	if _, ok := m.dirs[name]; ok {
		return info{path.Base(name), 0, fs.ModeDir}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists a folder in the order of its names.
func (m *memberFS) ReadDir(name string) ([]fs.DirEntry, error) {
	names, ok := m.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	out := make([]fs.DirEntry, len(names))
	for i, base := range names {
		one, err := m.Stat(path.Join(name, base))
		if err != nil {
			return nil, err
		}
		out[i] = fs.FileInfoToDirEntry(one)
	}
	return out, nil
}

type memberFile struct {
	io.ReadCloser
	info info
}

func (f *memberFile) Stat() (fs.FileInfo, error) { return f.info, nil }

type memberDir struct {
	fs   *memberFS
	name string
	at   int
}

func (d *memberDir) Stat() (fs.FileInfo, error) { return d.fs.Stat(d.name) }
func (d *memberDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: fs.ErrInvalid}
}
func (d *memberDir) Close() error { return nil }

// ReadDir gives the next entries, as fs.ReadDirFile says.
func (d *memberDir) ReadDir(n int) ([]fs.DirEntry, error) {
	all, err := d.fs.ReadDir(d.name)
	if err != nil {
		return nil, err
	}
	rest := all[min(d.at, len(all)):]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.at += len(rest)
	return rest, nil
}

type info struct {
	name string
	size int64
	mode fs.FileMode
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
