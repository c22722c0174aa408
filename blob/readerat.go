package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Settings of a [ReaderAt] over Gets. It holds at most cacheBlocks + maxStreams blocks, 36 MiB, and
// of a larger object that is read in order, inOrder of them.
const (
	blockSize   = 1 << 20 // bytes read at once; opening a zip of 20 000 members takes three
	cacheBlocks = 32
	maxStreams  = 4       // readers in order that go side by side without disturbing each other
	inOrder     = 4       // blocks that are held for a reader in order, with the one that it reads
	growth      = 4       // each next range of a reader in order is so many times longer than the last
	maxRange    = 1 << 30 // bytes of the longest range: reading 5 GB in order takes ten Gets
)

// ReaderAt reads an object at any place. Over a store that is an [Opener] it is the file itself;
// else it reads blocks of 1 MiB through ranged Gets and keeps the 32 used last; of an object that
// is larger, few of those that were read in order. Whoever reads in order gets ranges that grow, so
// that a big member costs few requests. The object is pinned by its ETag: when it is replaced,
// reads give [ErrChanged].
//
// It is safe for concurrent use. Reads end with the context given to NewReaderAt.
type ReaderAt struct {
	ctx  context.Context
	s    Store
	obj  Object
	file RandomReader // nil when read through Gets

	mu      sync.Mutex
	blocks  map[int64]*block
	recent  []int64   // block numbers, the one used last at the end
	streams []*stream // idle ones, the one used last at the end
	closed  bool
}

// block is one block, there or being fetched. ready is closed when data and err are final.
type block struct {
	ready chan struct{}
	data  []byte
	err   error
}

var (
	_ io.ReaderAt = (*ReaderAt)(nil)
	_ io.Closer   = (*ReaderAt)(nil)
)

// NewReaderAt opens an object for reading at any place. Close the reader when done.
func NewReaderAt(ctx context.Context, s Store, key string) (*ReaderAt, error) {
	if o, ok := s.(Opener); ok {
		f, obj, err := o.OpenAt(ctx, key)
		if err == nil {
			return &ReaderAt{ctx: ctx, s: s, obj: obj, file: f}, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
	}
	obj, err := s.Head(ctx, key)
	if err != nil {
		return nil, err
	}
	return &ReaderAt{ctx: ctx, s: s, obj: obj, blocks: make(map[int64]*block)}, nil
}

// Size is the object's size in bytes.
func (r *ReaderAt) Size() int64 { return r.obj.Size }

// Object describes the pinned object.
func (r *ReaderAt) Object() Object { return r.obj }

// ReadAt implements io.ReaderAt.
func (r *ReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read object %q: negative offset %d", r.obj.Key, off)
	}
	if r.file != nil {
		return r.file.ReadAt(p, off)
	}
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at >= r.obj.Size {
			return n, io.EOF
		}
		data, err := r.block(at / blockSize)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], data[at%blockSize:])
	}
	return n, nil
}

// Close ends the open requests.
func (r *ReaderAt) Close() error {
	if r.file != nil {
		return r.file.Close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.blocks, r.recent = nil, nil
	var err error
	for _, st := range r.streams {
		err = errors.Join(err, st.close())
	}
	r.streams = nil
	return err
}

// block gives a block from the cache, from whoever fetches it already, or fetches it.
func (r *ReaderAt) block(n int64) ([]byte, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, fmt.Errorf("read object %q: the reader is closed", r.obj.Key)
	}
	if b, ok := r.blocks[n]; ok {
		r.touch(n)
		r.mu.Unlock()
		<-b.ready
		return b.data, b.err
	}
	b := &block{ready: make(chan struct{})}
	r.blocks[n] = b
	st := r.takeStream(n * blockSize)
	if st.blocks++; st.blocks > inOrder && r.obj.Size > cacheBlocks*blockSize {
		r.dropBlock(n - inOrder)
	}
	r.touch(n)
	r.mu.Unlock()

	b.data, b.err = st.next(r)
	close(b.ready)

	r.mu.Lock()
	stale := r.keepStream(st, b.err)
	if b.err != nil && r.blocks[n] == b {
		delete(r.blocks, n) // the next reader tries again
	}
	r.mu.Unlock()
	if stale != nil {
		// Only what nobody reads any more is closed here: its error tells nothing about the bytes
		// already read.
		_ = stale.close()
	}
	return b.data, b.err
}

// touch marks a block as used last and drops the one unused longest when there are too many.
func (r *ReaderAt) touch(n int64) {
	for i, v := range r.recent {
		if v == n {
			copy(r.recent[i:], r.recent[i+1:])
			r.recent[len(r.recent)-1] = n
			return
		}
	}
	r.recent = append(r.recent, n)
	if len(r.recent) > cacheBlocks {
		delete(r.blocks, r.recent[0])
		r.recent = append(r.recent[:0], r.recent[1:]...)
	}
}

// dropBlock drops a block that a reader in order has passed.
func (r *ReaderAt) dropBlock(n int64) {
	delete(r.blocks, n)
	if i := slices.Index(r.recent, n); i >= 0 {
		r.recent = slices.Delete(r.recent, i, i+1)
	}
}

// takeStream takes the idle stream that stands at an offset, or a new one, out of the list.
func (r *ReaderAt) takeStream(at int64) *stream {
	for i, st := range r.streams {
		if st.pos == at {
			r.streams = append(r.streams[:i], r.streams[i+1:]...)
			return st
		}
	}
	return &stream{pos: at, end: at, length: blockSize}
}

// keepStream puts a stream back and gives the one to close instead, if any.
func (r *ReaderAt) keepStream(st *stream, err error) (stale *stream) {
	if err != nil || r.closed || st.pos >= r.obj.Size {
		return st
	}
	r.streams = append(r.streams, st)
	if len(r.streams) > maxStreams {
		stale = r.streams[0]
		r.streams = append(r.streams[:0], r.streams[1:]...)
	}
	return stale
}
