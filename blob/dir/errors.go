//go:build unix

package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/pamline/pamline/blob"
)

// wrap gives an error its operation and key. Answers of the store stay recognizable, failures
// become a [blob.Error].
func wrap(op, key string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, blob.ErrPrecondition), errors.Is(err, blob.ErrChanged), errors.Is(err, blob.ErrKey):
		return fmt.Errorf("%s object %q: %w", op, key, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s object %q: %w", op, key, blob.ErrNotExist)
	case op == "put" && (isNotDir(err) || isFolder(err)):
		return fmt.Errorf("put object %q: %w: an object and a folder would share a name", key, blob.ErrKey)
	}
	var done *blob.Error
	if errors.As(err, &done) {
		return err
	}
	return &blob.Error{Op: op, Key: key, Hint: hint(err), Retry: isInterrupted(err), Err: err}
}

// explain adds the hint to an error that concerns the whole store.
func explain(err error) error {
	if h := hint(err); h != "" {
		return fmt.Errorf("%w (%s)", err, h)
	}
	return err
}

// hints says what a person can do about an error of the system.
var hints = []struct {
	errno syscall.Errno
	hint  string
}{
	{syscall.ENOSPC, "the disk is full: free space, nothing was written"},
	{syscall.EDQUOT, "the disk quota is used up: free space, nothing was written"},
	{syscall.EROFS, "the file system is mounted read-only"},
	{syscall.EACCES, "check who owns the folder and its permissions"},
	{syscall.EPERM, "check who owns the folder and its permissions"},
	{syscall.EMFILE, "too many open files: raise the limit (ulimit -n)"},
	{syscall.EIO, "the disk reports a fault: look at the system log"},
}

func hint(err error) string {
	if errors.Is(err, errMoved) {
		return "put it back where it was"
	}
	for _, h := range hints {
		if errors.Is(err, h.errno) {
			return h.hint
		}
	}
	return ""
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// isFolder: a rename met a folder under the name it was to take.
func isFolder(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.EEXIST) || isNotEmpty(err)
}

func isNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

func isInterrupted(err error) bool {
	return errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EMFILE) ||
		errors.Is(err, syscall.ESTALE)
}
