package assemble

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// batch collects files of one goroutine and hands them over together.
type batch struct {
	out      Output
	maxBytes int64
	maxFiles int
	buf      []byte
	names    []string
	ends     []int // of the bodies in buf; one more than names while a file has no name yet
}

func newBatch(o Options, out Output) *batch {
	return &batch{out: out, maxBytes: o.BatchBytes, maxFiles: o.BatchFiles}
}

// room hands over what is there when n more bytes would be too many.
func (b *batch) room(ctx context.Context, n int) error {
	if len(b.names) > 0 && (len(b.names) >= b.maxFiles || int64(len(b.buf)+n) > b.maxBytes) {
		return b.flush(ctx)
	}
	return nil
}

// firstBytes is how much memory a batch begins with: a small store needs no more.
const firstBytes = 256 << 10

// grow makes place for a document of n bytes. Memory that is doubled again and again would be
// twice what a full batch needs.
func (b *batch) grow(n int) {
	n += len(b.buf) + 4<<10 // the metadata
	if n <= cap(b.buf) {
		return
	}
	size := max(n, int(b.maxBytes))
	if b.buf == nil {
		size = max(n, firstBytes)
	}
	b.buf = append(make([]byte, 0, size), b.buf...)
}

// splice adds a file without a name: doc with import metadata. digest is what doc must have.
func (b *batch) splice(ctx context.Context, doc []byte, m *pamio.ImportMetadata, digest string) (sum [sha256.Size]byte, err error) {
	if err := b.room(ctx, len(doc)); err != nil {
		return sum, err
	}
	b.grow(len(doc))
	start := len(b.buf)
	b.buf = pamio.SpliceImportMetadata(b.buf, doc, m)
	file := b.buf[start:]
	if !bytes.HasPrefix(file, doc[:len(doc)-1]) {
		return sum, errors.New("splice import metadata: the document was changed")
	}
	docSum, sum, err := spliced(doc, file)
	if err != nil {
		return sum, err
	}
	if hex.EncodeToString(docSum[:]) != digest {
		return sum, errors.New("the document is not what was stored: its digest differs (the storage is damaged; process the drop again)")
	}
	b.ends = append(b.ends, len(b.buf))
	return sum, nil
}

// write adds a file without a name: the document.
func (b *batch) write(ctx context.Context, doc *pamio.Conversation) ([sha256.Size]byte, error) {
	body := doc.AppendJSON(nil)
	if err := b.room(ctx, len(body)); err != nil {
		return [sha256.Size]byte{}, err
	}
	b.buf = append(b.buf, body...)
	b.ends = append(b.ends, len(b.buf))
	return sha256.Sum256(body), nil
}

// name names the file added last and gives its size.
func (b *batch) name(name string) int64 {
	b.names = append(b.names, name)
	start := 0
	if n := len(b.ends); n > 1 {
		start = b.ends[n-2]
	}
	return int64(b.ends[len(b.ends)-1] - start)
}

func (b *batch) flush(ctx context.Context) error {
	if len(b.names) == 0 {
		return nil
	}
	files := make([]File, len(b.names))
	start := 0
	for i, name := range b.names {
		files[i] = File{Name: name, Body: b.buf[start:b.ends[i]:b.ends[i]]}
		start = b.ends[i]
	}
	if err := b.out.Conversations(ctx, files); err != nil {
		return fmt.Errorf("store %d conversation files: %w", len(files), err)
	}
	b.names, b.ends, b.buf = b.names[:0], b.ends[:0], b.buf[:0]
	if int64(cap(b.buf)) > 2*b.maxBytes {
		b.buf = nil // one huge document must not keep its memory
	}
	return nil
}

// collector is a sorter of entries that many goroutines may use, and the guard of the counters they
// share.
type collector struct {
	mu     sync.Mutex
	sorter *extsort.Sorter
	value  []byte
}

func (c *collector) add(e *entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.put(e)
}

// addMade adds the entry of a file that was made from documents of so many bytes.
func (c *collector) addMade(e *entry, read, written int64, stats *Stats) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats.BytesRead += read
	stats.BytesWritten += written
	return c.put(e)
}

func (c *collector) put(e *entry) error {
	c.value = e.pack(c.value[:0])
	if err := c.sorter.Add([]byte(e.Conversation), c.value); err != nil {
		return fmt.Errorf("sort conversations: %w", err)
	}
	return nil
}
