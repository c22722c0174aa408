//go:build unix

package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Objects are personal: nobody but their owner reads them.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// rootFS is the real file system below a folder. os.Root keeps every path inside it, whatever links
// lie there.
type rootFS struct {
	root *os.Root
	// path is where the folder has to lie when something is written; "" for a store that is only
	// read.
	path    string
	folders *handles
	// stamping lets the writers of this process queue up; only one of them contends with other
	// processes for the counter.
	stamping chan struct{}
}

func openRoot(folder string) (*rootFS, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if err := makeRoot(abs); err != nil {
		return nil, explain(err)
	}
	r, err := openExisting(abs)
	if err == nil {
		r.path = abs
	}
	return r, err
}

// openExisting opens a folder that must be there.
func openExisting(folder string) (*rootFS, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, explain(err)
	}
	return &rootFS{root: root, folders: &handles{root: root, open: map[string]*handle{}}, stamping: make(chan struct{}, 1)}, nil
}

// errMoved says that the folder of the store is not where it was.
var errMoved = errors.New("the folder of the store was moved, removed or replaced while it was in use")

// checkPlace tells whether the folder still lies where it was opened. What is written into a folder
// that was moved away would be durable, and nobody would find it.
func (r *rootFS) checkPlace() error {
	if r.path == "" {
		return nil
	}
	opened, err := r.root.Stat(".")
	if err != nil {
		return fmt.Errorf("find the folder of the store: %w", err)
	}
	named, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), isNotDir(err), err == nil && !os.SameFile(opened, named):
		return errMoved
	case err != nil:
		return fmt.Errorf("find the folder of the store: %w", err)
	}
	return nil
}

// makeRoot makes the folder with its parents and syncs each parent it added to: objects are durable
// only below durable folders.
func makeRoot(folder string) error {
	if _, err := os.Stat(folder); err == nil {
		return nil // whether it is a folder, opening it will tell
	}
	parent := filepath.Dir(folder)
	if parent != folder {
		if err := makeRoot(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(folder, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d, err := os.Open(parent)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (r *rootFS) Close() error {
	r.folders.close()
	return r.root.Close()
}

func (r *rootFS) Open(name string) (openFile, error) {
	f, err := r.open(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return osFile{File: f}, nil
}

func (r *rootFS) open(name string, flags int) (f *os.File, err error) {
	in := r.folders.in
	if flags&unix.O_CREAT != 0 {
		in = r.folders.change
	}
	err = in("open", name, func(fd int, base string) error {
		n, err := retryEINTR(func() (int, error) {
			return unix.Openat(fd, base, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, fileMode)
		})
		if err == nil {
			f = os.NewFile(uintptr(n), name)
		}
		return err
	})
	return f, err
}

// retryEINTR makes a call again that a signal interrupted, as package os does.
func retryEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

func (r *rootFS) Lstat(name string) (i info, err error) {
	if name == "." {
		fi, err := r.root.Lstat(name)
		if err != nil {
			return info{}, err
		}
		return infoOf(fi), nil
	}
	err = r.folders.in("lstat", name, func(fd int, base string) error {
		var st unix.Stat_t
		if err := unix.Fstatat(fd, base, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		i = infoOfStat(&st)
		return nil
	})
	return i, err
}

func (r *rootFS) ReadDir(name string) ([]entry, error) {
	f, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	list, err := f.ReadDir(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	entries := make([]entry, len(list))
	for i, e := range list {
		entries[i] = entry{name: e.Name(), folder: e.IsDir(), regular: e.Type().IsRegular()}
	}
	return entries, nil
}

func (r *rootFS) Create(name string) (newFile, error) {
	f, err := r.open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return nil, err
	}
	return osFile{File: f, folders: r.folders, name: name}, nil
}

func (r *rootFS) Mkdir(name string) error { return r.root.Mkdir(name, folderMode) }

func (r *rootFS) Remove(name string) error {
	return r.folders.change("remove", name, func(fd int, base string) error {
		err := unix.Unlinkat(fd, base, 0)
		if err == unix.EISDIR || err == unix.EPERM { // which of them says "a folder" differs between systems
			err = unix.Unlinkat(fd, base, unix.AT_REMOVEDIR)
		}
		return err
	})
}

func (r *rootFS) Link(from, to string) error {
	return r.both("link", from, to, func(fromFD int, fromBase string, toFD int, toBase string) error {
		return unix.Linkat(fromFD, fromBase, toFD, toBase, 0)
	})
}

func (r *rootFS) Rename(from, to string) error {
	return r.both("rename", from, to, unix.Renameat)
}

// both calls op with the folders of two names.
func (r *rootFS) both(name, from, to string, op func(fromFD int, fromBase string, toFD int, toBase string) error) error {
	return r.folders.change(name, to, func(toFD int, toBase string) error {
		var errno error
		err := r.folders.in(name, from, func(fromFD int, fromBase string) error {
			errno = op(fromFD, fromBase, toFD, toBase)
			return errno
		})
		if errno != nil {
			return errno // the outer call looks at it, too
		}
		return err
	})
}

func (r *rootFS) SyncDir(name string) (id any, err error) {
	err = r.folders.with("sync", name+"/.", func(d *handle, _ string) error {
		fd := int(d.f.Fd())
		if isUnlinked(fd) {
			return unix.ENOENT // the system would sync it, and with that nothing of the folder that has the name now
		}
		id = d // while the handle is open, the folder is this one
		return unix.Fsync(fd)
	})
	return id, err
}

func (r *rootFS) TryLock(name string) (func(), bool, error) {
	f, err := r.root.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, false, err
	}
	ok, err := tryFlock(f)
	if err != nil || !ok {
		return nil, false, errors.Join(err, f.Close())
	}
	// Closing the file releases its lock; an error of that leaves nothing to do about it.
	return func() { _ = f.Close() }, true, nil
}

func (r *rootFS) Stamps(ctx context.Context, n int) (time.Time, error) {
	select {
	case r.stamping <- struct{}{}:
		defer func() { <-r.stamping }()
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
	t, err := reserve(ctx, r, n)
	if err != nil {
		return time.Time{}, fmt.Errorf("reserve file times: %w", err)
	}
	return t, nil
}

// osFile is a file of the root, read or newly made.
type osFile struct {
	*os.File
	folders *handles
	name    string
}

func (f osFile) SetTime(t time.Time) error {
	ts := unix.NsecToTimespec(t.UnixNano())
	return f.folders.in("chtimes", f.name, func(fd int, base string) error {
		return unix.UtimesNanoAt(fd, base, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
	})
}

func (f osFile) Stat() (info, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return info{}, err
	}
	return infoOf(fi), nil
}

func infoOfStat(st *unix.Stat_t) info {
	kind := uint32(st.Mode) & unix.S_IFMT
	return info{regular: kind == unix.S_IFREG, folder: kind == unix.S_IFDIR, size: st.Size, modTime: time.Unix(st.Mtim.Unix()), inode: uint64(st.Ino)}
}

func infoOf(fi fs.FileInfo) info {
	i := info{regular: fi.Mode().IsRegular(), folder: fi.IsDir(), size: fi.Size(), modTime: fi.ModTime()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		i.inode = st.Ino
	}
	return i
}
