package archive

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// shared is what all members of one archive have in common.
type shared struct {
	limits   Limits
	total    atomic.Int64 // bytes that members declare, or were seen to produce where they declare nothing
	scratch  scratchArea
	inflates sync.Pool
}

// meter keeps the most that a member of unknown size has produced, so that reading it twice counts
// once.
type meter struct {
	mu   sync.Mutex
	high int64
}

func (m *meter) charge(total *atomic.Int64, produced int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if produced > m.high {
		total.Add(produced - m.high)
		m.high = produced
	}
	return total.Load()
}

// guard passes a member's bytes on and holds them against the limits and against what the archive
// promised.
type guard struct {
	ctx      context.Context
	body     io.ReadCloser
	e        *entry
	sh       *shared
	crc      hash.Hash32
	produced int64
	err      error
}

func newGuard(ctx context.Context, body io.ReadCloser, e *entry, sh *shared) *guard {
	g := &guard{ctx: ctx, body: body, e: e, sh: sh}
	if e.hasCRC {
		g.crc = crc32.NewIEEE()
	}
	return g
}

func (g *guard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := g.body.Read(p)
	if over := g.produced + int64(n) - g.e.size; g.e.size >= 0 && over > 0 {
		n -= int(over)
		g.err = g.fail(CodeChecksum, "more bytes come out than the archive says", "")
	}
	g.produced += int64(n)
	if g.crc != nil {
		g.crc.Write(p[:n])
	}
	if g.err == nil {
		g.err = g.limit()
	}
	if g.err == nil && err != nil {
		g.err = g.ending(err)
	}
	return n, g.err
}

func (g *guard) limit() error {
	l := g.sh.limits
	if g.produced > l.MaxMemberSize {
		return g.fail(CodeTooLarge, fmt.Sprintf("it is larger than %d bytes", l.MaxMemberSize), hintLimit)
	}
	if g.e.size < 0 && g.e.meter.charge(&g.sh.total, g.produced) > l.MaxTotal {
		return g.fail(CodeTooLarge, fmt.Sprintf("the archive holds more than %d bytes", l.MaxTotal), hintLimit)
	}
	if g.produced > RatioFloor && g.produced/max(g.e.compressed, 1) >= l.MaxRatio {
		return g.fail(CodeRatio, fmt.Sprintf("it grows to more than %d times its compressed size", l.MaxRatio), hintLimit)
	}
	return nil
}

// ending turns the error that ended the body into what it means.
func (g *guard) ending(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF):
		if g.e.size >= 0 && g.produced < g.e.size {
			if g.e.cut {
				return g.fail(CodeTruncated, "the archive ends inside it", hintDownload)
			}
			return g.fail(CodeChecksum, fmt.Sprintf("%d bytes come out where the archive says %d", g.produced, g.e.size), hintDownload)
		}
		if g.crc != nil && g.crc.Sum32() != g.e.crc {
			return g.fail(CodeChecksum, "its bytes do not match its checksum", hintDownload)
		}
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return g.fail(CodeTruncated, "its data ends too early", hintDownload)
	case errors.Is(err, gzip.ErrChecksum):
		return g.fail(CodeChecksum, "its bytes do not match its checksum", hintDownload)
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader):
		return g.fail(CodeCorrupt, "its compressed data is damaged", hintDownload)
	}
	var typed *Error
	if errors.As(err, &typed) {
		return err
	}
	return fmt.Errorf("read member %q of archive %q at byte %d: %w", g.e.name, g.e.at.label, g.produced, err)
}

func (g *guard) fail(code Code, reason, hint string) *Error {
	return &Error{Code: code, Archive: g.e.at.label, Member: g.e.name, Offset: g.produced, Reason: reason, Hint: hint}
}

// Close does not repeat what a Read has reported already.
func (g *guard) Close() error {
	if err := g.body.Close(); err != nil && (g.err == nil || errors.Is(g.err, io.EOF)) {
		return fmt.Errorf("close member %q of archive %q: %w", g.e.name, g.e.at.label, err)
	}
	return nil
}
