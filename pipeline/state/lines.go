package state

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

var lineEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

// ReadLines reads a compressed object of JSON lines. Each is valid until the next. A missing object
// is blob.ErrNotExist.
func ReadLines(ctx context.Context, s blob.Store, key string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rc, _, err := s.Get(ctx, key, blob.Range{})
		if err != nil {
			yield(nil, err)
			return
		}
		defer rc.Close()
		z, err := zstd.NewReader(rc, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxWindow))
		if err != nil {
			yield(nil, fmt.Errorf("read %s: %w", key, err))
			return
		}
		defer z.Close()
		r := bufio.NewReaderSize(z, 64<<10)
		for {
			line, err := r.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				if len(line) > 0 {
					yield(nil, Damaged(key, io.ErrUnexpectedEOF))
				}
				return
			}
			if err != nil {
				yield(nil, Damaged(key, err))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}
