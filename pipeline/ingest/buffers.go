package ingest

import (
	"slices"
	"sync"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// keptBuffer is the size of a document up to which its memory is used for the next one.
const keptBuffer = 1 << 20

// documents and frames hold a document and its compressed form while a unit is packed.
var (
	documents = sync.Pool{New: func() any { return new([]byte) }}
	frames    = sync.Pool{New: func() any { return new([]byte) }}
)

// documentBuffer gives memory for the JSON of a document whose source has this size, and takes it
// back. The bytes of a large document are counted before: a buffer that has to grow is held twice.
func documentBuffer(doc *pamio.Conversation, size int64) (buf []byte, giveBack func([]byte)) {
	if size > keptBuffer {
		return make([]byte, 0, doc.JSONSize()), func([]byte) {}
	}
	held := takeBuffer(&documents)
	return (*held)[:0], func(b []byte) { returnBuffer(&documents, held, b) }
}

// packFrame compresses a document. The frame is kept until its pack is full, so it has no more
// memory than it needs.
func packFrame(doc []byte) []byte {
	if len(doc) > keptBuffer {
		frame := state.PackFrame(nil, doc)
		if cap(frame) > len(doc) {
			frame = slices.Clone(frame)
		}
		return frame
	}
	held := takeBuffer(&frames)
	long := state.PackFrame((*held)[:0], doc)
	frame := slices.Clone(long)
	returnBuffer(&frames, held, long)
	return frame
}

func takeBuffer(from *sync.Pool) *[]byte {
	return from.Get().(*[]byte) //nolint:errcheck,forcetypeassert // the pool holds nothing else
}

func returnBuffer(to *sync.Pool, held *[]byte, b []byte) {
	if cap(b) <= 2*keptBuffer {
		*held = b
		to.Put(held)
	}
}
