package state

import (
	"context"
	"io"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
)

// PackReader reads the documents of one pack.
type PackReader struct {
	key   string
	rc    io.ReadCloser
	whole *objects.VerifiedReader // rc, if the pack is verified as a whole
	at    int64
	frame []byte
	doc   []byte
	size  int64 // of the pack
}

// OpenPack begins to read the documents of a pack. What was read is verified by Finish.
func OpenPack(ctx context.Context, s blob.Store, key string) (*PackReader, error) {
	v, err := objects.OpenVerified(ctx, s, key, "")
	if err != nil {
		return nil, objects.Lost(key, err)
	}
	return &PackReader{key: key, rc: v, whole: v, size: v.Object.Size}, nil
}

// OpenDocuments is OpenPack for a caller who verifies each document by its digest.
func OpenDocuments(ctx context.Context, s blob.Store, key string) (*PackReader, error) {
	rc, o, err := s.Get(ctx, key, blob.Range{})
	if err != nil {
		return nil, objects.Lost(key, err)
	}
	return &PackReader{key: key, rc: rc, size: o.Size}, nil
}

// Finish verifies the pack of OpenPack as a whole. It gives the error of whoever used the
// documents, or the damage that explains it.
func (p *PackReader) Finish(err error) error { return p.whole.Finish(err) }

// Next reads the frame at an offset that is not before the end of the last one. size is that of the
// document, which is valid until the next.
func (p *PackReader) Next(offset, length, size int64) ([]byte, error) {
	if offset < p.at || length < 0 || offset+length > p.size {
		return nil, fault.Permanentf(objects.UnusableHint(p.key), "read pack: its list names bytes %d to %d of %d", offset, offset+length, p.size)
	}
	if _, err := io.CopyN(io.Discard, p.rc, offset-p.at); err != nil {
		return nil, objects.Damaged(p.key, err)
	}
	if int64(cap(p.frame)) < length {
		p.frame = make([]byte, length)
	}
	p.frame = p.frame[:length]
	if _, err := io.ReadFull(p.rc, p.frame); err != nil {
		return nil, objects.Damaged(p.key, err)
	}
	p.at = offset + length
	doc, err := UnpackFrame(p.doc[:0], p.frame, size)
	if err != nil {
		return nil, fault.Permanentf(objects.UnusableHint(p.key), "expand snapshot: %w", err)
	}
	p.doc = doc
	return doc, nil
}

// keptBuffer is the largest document, in bytes, whose memory is kept for the next one.
const keptBuffer = 3 << 20

// Forget releases the memory of the document read last if it was a large one.
func (p *PackReader) Forget() {
	if cap(p.doc) > keptBuffer {
		p.doc, p.frame = nil, nil
	}
}

// Close ends the reading.
func (p *PackReader) Close() {
	_ = p.rc.Close() // only read
}
