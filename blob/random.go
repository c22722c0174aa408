package blob

import (
	"context"
	"io"
)

// RandomReader reads an object at any place.
type RandomReader interface {
	io.ReaderAt
	io.Closer
}

// Opener is implemented by stores that can read an object at any place as cheaply as in order, from
// a local file for one. [NewReaderAt] uses it and goes through ranged Gets otherwise. OpenAt gives
// errors.ErrUnsupported when the store, a decorator around another one, cannot do it after all.
// Reads end with ctx. The object is pinned: reads give its bytes as they were or [ErrChanged].
type Opener interface {
	OpenAt(ctx context.Context, key string) (RandomReader, Object, error)
}
