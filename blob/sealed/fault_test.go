package sealed_test

import (
	"context"
	"io"

	"github.com/pamline/pamline/blob"
)

// failAfter fails writes after so many.
type failAfter struct {
	blob.Store
	left int
	err  error
}

func (f *failAfter) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if f.left--; f.left < 0 {
		return blob.Object{}, f.err
	}
	return f.Store.Put(ctx, key, body, o)
}
