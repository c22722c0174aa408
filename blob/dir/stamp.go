//go:build unix

package dir

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"

	"github.com/pamline/pamline/blob"
)

const (
	stampFile = blob.Reserved + "/stamp"
	// stampStep is coarser than the clock of any file system that Open accepts.
	stampStep = time.Microsecond
)

// reserve takes n times from the counter of the root: a file that holds the last time given, in
// nanoseconds. The present is what the file system says when the file is written to, so that a lost
// or reset counter goes on after all that was given before it.
func reserve(ctx context.Context, r *rootFS, n int) (time.Time, error) {
	// Every write comes by here first.
	if err := r.checkPlace(); err != nil {
		return time.Time{}, err
	}
	release, err := waitLock(ctx, r, stampFile+".lock")
	if err != nil {
		return time.Time{}, err
	}
	defer release()
	f, err := r.root.OpenFile(stampFile, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return time.Time{}, err
	}
	first, err := advance(f, n)
	return first, errors.Join(err, f.Close())
}

func advance(f *os.File, n int) (time.Time, error) {
	var b [8]byte
	if _, err := f.ReadAt(b[:], 0); err != nil && err != io.EOF {
		return time.Time{}, err
	}
	last := time.Unix(0, int64(binary.BigEndian.Uint64(b[:])))
	if _, err := f.WriteAt(b[:], 0); err != nil {
		return time.Time{}, err
	}
	st, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	first := st.ModTime().Truncate(stampStep)
	if next := last.Add(stampStep); first.Before(next) {
		first = next
	}
	end := first.Add(time.Duration(n-1) * stampStep)
	binary.BigEndian.PutUint64(b[:], uint64(end.UnixNano()))
	_, err = f.WriteAt(b[:], 0)
	return first, err
}
