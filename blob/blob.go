// Package blob is the storage that pamline keeps its truth in: named immutable-or-swapped byte
// strings with conditional writes. A backend is a folder named after its technology (blob/dir,
// blob/s3) and passes one conformance suite (blob/blobtest). Cross-cutting behaviour is a decorator
// around a Store.
package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// Errors that a caller decides on. Backends wrap them.
var (
	// ErrNotExist: there is no object of that key.
	ErrNotExist = errors.New("object does not exist")
	// ErrPrecondition: a conditional write found another state than the one named. Nothing was
	// written.
	ErrPrecondition = errors.New("precondition failed")
	// ErrKey: the key is not one a store accepts (see ValidKey).
	ErrKey = errors.New("invalid key")
)

// Object describes a stored object.
type Object struct {
	Key     string
	Size    int64
	ETag    string    // opaque; equal bytes may have different tags, different bytes never the same
	ModTime time.Time // UTC; zero from a Put of a backend that does not tell
	// Metadata is what the uploader said of the object (x-amz-meta-… of S3), names in lower case;
	// from Get and Head only, and nil where the backend has none.
	Metadata map[string]string
}

// PutOptions are the conditions of a write. At most one is set.
type PutOptions struct {
	// IfAbsent: write only when there is no object of that key.
	IfAbsent bool
	// IfMatch: write only when the object has this ETag.
	IfMatch string
}

// Range selects bytes of an object. The zero Range is the whole object; Length 0 with an Offset
// reads to the end. What lies past the end selects nothing and is no error.
type Range struct{ Offset, Length int64 }

// Store keeps objects by key. Keys are slash-separated paths (ValidKey). All methods are safe for
// concurrent use.
//
// Put returns once the bytes are durable: a power cut after it loses nothing. A write is all or
// nothing: a reader sees the old object or the new one, and a failed or interrupted Put leaves no
// partial object. What an ErrPrecondition saw is durable too. Get of a missing key gives
// ErrNotExist, Head too; Delete of one is no error. Get describes the whole object, whatever the
// range. List walks keys with a prefix in byte order; it may or may not see what is written while
// it runs, and ends with its first error.
//
// Failures are an [Error], which says whether trying again may help ([Retryable]); errors of a body
// and the end of the context come through as they are. After a failure that is not an answer
// (ErrPrecondition, ErrNotExist, ErrKey) a Put or Delete may have been done or not. A backend
// settles for itself whether a conditional Put whose answer was lost was its own: an
// ErrPrecondition is never the writer's own success. It also resumes bodies of Get that break off.
// Everything else is for the decorator blob/retry.
type Store interface {
	Get(ctx context.Context, key string, r Range) (io.ReadCloser, Object, error)
	Head(ctx context.Context, key string) (Object, error)
	Put(ctx context.Context, key string, body io.Reader, o PutOptions) (Object, error)
	Delete(ctx context.Context, key string) error
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
}

// Item is one object of a batch.
type Item struct {
	Key  string
	Body []byte
}

// Batcher is implemented by stores that write many objects more cheaply than one by one.
type Batcher interface {
	// PutAbsent writes the items that are not there yet and returns once all are durable. Existing
	// objects are left as they are: items are content-addressed. written counts the new ones.
	PutAbsent(ctx context.Context, items []Item) (written int, err error)
}
