//go:build unix

package dir

import (
	"context"
	"io"
	"time"
)

// The store does all its file operations through these interfaces, so that a test can take the
// power away between any two of them. Names are slash-separated and relative to the root; "." is
// the root. Errors are those of package os.

// fileSystem is what the store needs of a file system.
type fileSystem interface {
	reader
	writer
	locker
	Close() error
}

type reader interface {
	Open(name string) (openFile, error)
	// Lstat does not follow a symbolic link.
	Lstat(name string) (info, error)
	// ReadDir gives the entries of a folder in any order. Its memory grows with the folder, not
	// with the tree.
	ReadDir(name string) ([]entry, error)
}

type writer interface {
	// Create makes a new file; an existing one is an error.
	Create(name string) (newFile, error)
	Mkdir(name string) error
	// Link gives a file a second name and fails when the name is taken.
	Link(from, to string) error
	// Rename moves a file over whatever file has the name.
	Rename(from, to string) error
	// Remove takes a file or an empty folder away.
	Remove(name string) error
	// SyncDir makes the names in a folder durable. id is equal for two calls only if the folder was
	// not removed between them; it may differ if it was not.
	SyncDir(name string) (id any, err error)
	// SyncData makes the content of every file written so far durable, in one call for all of them,
	// where CanSyncData.
	SyncData() error
	CanSyncData() bool
}

type locker interface {
	// TryLock takes the lock file of that name, exclusively among all processes; ok is false when
	// another holds it. The lock ends with its release or its process.
	TryLock(name string) (release func(), ok bool, err error)
	// Stamps reserves n modification times a microsecond apart, which no other call has got or will
	// get, on whatever process of this root. They follow the clock of the file system as far as
	// that allows.
	Stamps(ctx context.Context, n int) (first time.Time, err error)
}

type openFile interface {
	io.ReaderAt
	io.Closer
	Stat() (info, error)
}

type newFile interface {
	io.Writer
	io.Closer
	// SetTime sets the modification time; a later Write undoes it.
	SetTime(time.Time) error
	Sync() error
	Stat() (info, error)
}

// entry is a name in a folder.
type entry struct {
	name    string
	folder  bool
	regular bool
}

// info is what a file system knows about a name.
type info struct {
	regular bool
	folder  bool
	size    int64
	modTime time.Time
	inode   uint64
}
