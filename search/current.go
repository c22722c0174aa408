package search

import (
	"context"
	"errors"

	"github.com/pamline/pamline/pamio"
)

// ErrCache is wrapped when an index cannot be kept in its file: the folder cannot be written, the
// disk is full, or another process holds the file. An index in memory serves as well.
var ErrCache = errors.New("the search index cannot be kept")

// OpenCurrent opens the index in a file and brings it up to date with a bundle, as [Open] and
// [Index.Update] do. Damage that only shows while updating is repaired by making the index again.
func OpenCurrent(ctx context.Context, path string, b *pamio.Bundle, digest string, progress func(int)) (*Index, Changes, error) {
	x, c, err := openCurrent(ctx, path, b, digest, progress)
	if path == "" || !isDamage(err) {
		return x, c, err
	}
	if err := Remove(path); err != nil {
		return nil, c, err
	}
	return openCurrent(ctx, path, b, digest, progress)
}

func openCurrent(ctx context.Context, path string, b *pamio.Bundle, digest string, progress func(int)) (*Index, Changes, error) {
	x, err := Open(ctx, path)
	if err != nil {
		return nil, Changes{}, cacheError(err)
	}
	c, err := x.Update(ctx, b, digest, progress)
	if err != nil {
		return nil, c, errors.Join(cacheError(err), x.Close())
	}
	return x, c, nil
}
