package publish

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
)

// cache.zst has for each copy a line that describes it, and then its bytes as they are.
type cacheLine struct {
	V    int    `json:"v"`
	Name string `json:"k"`
	Size int64  `json:"n"`
}

const cacheVersion = 2

// maxCacheLine bounds a line: a name is a key, which has an owner and two digests.
const maxCacheLine = 4 << 10

var errCache = errors.New("it is of another version, or damaged")

// load takes over the stored copies. A cache that cannot be read is logged and not used.
func (c *objectCache) load(ctx context.Context) error {
	rc, _, err := c.Store.Get(ctx, cacheKey(c.owner), blob.Range{})
	if objects.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer rc.Close()
	err = c.decode(rc)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	c.options.Log.Warn("cached objects cannot be read; reading each where it is, and caching them anew", zap.String("owner", c.owner), zap.String("error", fault.Loggable(err)))
	clear(c.copies)
	c.end = 0
	return nil
}

func (c *objectCache) decode(body io.Reader) error {
	z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(objects.MaxWindow))
	if err != nil {
		return err
	}
	defer z.Close()
	r := bufio.NewReaderSize(z, maxCacheLine)
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		var l cacheLine
		if err == nil {
			err = json.Unmarshal(line, &l)
		}
		if err != nil || l.V != cacheVersion || l.Size < 0 || l.Size > cacheEach || c.end+l.Size > cacheMost {
			return errors.Join(errCache, err)
		}
		if _, err := io.CopyN(io.NewOffsetWriter(c.file, c.end), r, l.Size); err != nil {
			return fmt.Errorf("%w: %w", errCache, err)
		}
		c.copies[l.Name] = &cached{at: c.end, size: l.Size}
		c.end += l.Size
	}
}

// save stores the copies that this computation has used for the next one, if enough of them are
// new. After an erasure it removes the stored copies instead: some are of erased objects.
func (c *objectCache) save(ctx context.Context, erased bool) error {
	switch {
	case erased:
		return c.Store.Delete(ctx, cacheKey(c.owner))
	case c.added < cacheAt:
		return nil
	}
	return c.options.putPiped(ctx, cacheKey(c.owner), blob.PutOptions{}, c.encode)
}

func (c *objectCache) encode(w io.Writer) error {
	// Manifests and lists are much like their neighbors: a small window finds that in little
	// memory.
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
	if err != nil {
		return err
	}
	e := json.NewEncoder(z)
	for _, name := range slices.Sorted(maps.Keys(c.copies)) {
		copied := c.copies[name]
		if err != nil || !copied.used {
			continue
		}
		if err = e.Encode(cacheLine{V: cacheVersion, Name: name, Size: copied.size}); err == nil {
			_, err = io.Copy(z, io.NewSectionReader(c.file, copied.at, copied.size))
		}
	}
	return errors.Join(err, z.Close())
}
