package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/archive"
)

// maxCopy is the size of the largest file that is copied, in bytes.
const maxCopy = 64 << 30

// spool copies a member into a file. The member is read to its end, so that whoever hashes what is
// read has all of it.
func spool(ctx context.Context, m archive.Member, path string) error {
	r, err := m.Open(ctx)
	if err != nil {
		return memberFault(ctx, err)
	}
	defer r.Close() //nolint:errcheck // only read
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make scratch file for a database: %w", err)
	}
	w := &writes{f: f}
	n, err := io.Copy(w, io.LimitReader(r, maxCopy+1))
	closed := f.Close()
	switch {
	case w.err != nil:
		return fmt.Errorf("write scratch file for a database; is the disk full?: %w", w.err)
	case err != nil:
		return memberFault(ctx, err)
	case closed != nil:
		return fmt.Errorf("write scratch file for a database; is the disk full?: %w", closed)
	case n > maxCopy:
		return &Error{fmt.Errorf("it has more than %d bytes", int64(maxCopy))}
	}
	return nil
}

// memberFault tells what is wrong with the member from what is wrong with the storage.
func memberFault(ctx context.Context, err error) error {
	var bad *archive.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &bad):
		return &Error{err}
	}
	return fmt.Errorf("read database: %w", err)
}

// writes remembers what went wrong with the scratch file, not with the source.
type writes struct {
	f   *os.File
	err error
}

func (w *writes) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}
