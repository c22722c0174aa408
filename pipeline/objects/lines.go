package objects

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/blob"
)

// MaxWindow bounds the memory that the expansion of our own zstd streams takes.
const MaxWindow = 64 << 20

// CompressLines packs JSON lines as one zstd frame.
func CompressLines(lines []byte) []byte { return lineEncoder().EncodeAll(lines, nil) }

// lineWindow is how far back lines are compared. The usual window would take 16 MB.
const lineWindow = 1 << 20

var lineEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(lineWindow))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

// ReadLines reads a compressed object of JSON lines. Each is valid until the next. A missing object
// is blob.ErrNotExist.
func ReadLines(ctx context.Context, s blob.Store, key string) iter.Seq2[[]byte, error] {
	return ReadVerifiedLines(ctx, s, key, new(string))
}

// ReadVerifiedLines is ReadLines of an object with a digest; "" is replaced by the digest that was
// found. The last line comes before the digest is verified.
func ReadVerifiedLines(ctx context.Context, s blob.Store, key string, digest *string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rc, err := OpenVerified(ctx, s, key, *digest)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rc.Close()
		z, err := zstd.NewReader(rc, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxWindow))
		if err != nil {
			yield(nil, rc.Finish(fmt.Errorf("read %s: %w", key, err)))
			return
		}
		defer z.Close()
		r := bufio.NewReaderSize(z, 64<<10)
		for {
			line, err := r.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				var cut error
				if len(line) > 0 {
					cut = Damaged(key, io.ErrUnexpectedEOF)
				}
				if err := rc.Finish(cut); err != nil {
					yield(nil, err)
				}
				*digest = rc.Digest()
				return
			}
			if err != nil {
				yield(nil, rc.Finish(Damaged(key, err)))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}
