package blob

import (
	"context"
	"io"
)

// ContextReader ends the reading of r with the error of ctx once that has ended: copying a body of
// any length can be stopped between two reads.
func ContextReader(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
