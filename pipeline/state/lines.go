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

// MaxWindow bounds the memory of expanding our own zstd streams, whose windows are far smaller.
const MaxWindow = 64 << 20

// CompressLines packs the candidates of a shard, which are few and read seldom, as one zstd frame.
func CompressLines(lines []byte) []byte { return lineEncoder().EncodeAll(lines, nil) }

var lineEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

// ReadLines reads a compressed object of JSON lines. A missing one has none: a shard without candidates, or one that failed.
func ReadLines(ctx context.Context, s blob.Store, key string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rc, _, err := s.Get(ctx, key, blob.Range{})
		if IsMissing(err) {
			return
		}
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
