package sealed

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pamline/pamline/blob"
)

// opened decrypts a body of the store below, which holds whole chunks, after a header if there is
// no cipher yet.
type opened struct {
	ctx    context.Context
	keys   *Keyring
	owner  string
	object blob.Object // as the store below has it
	body   io.ReadCloser
	c      cipher.AEAD
	noted  func(cipher.AEAD)

	chunk int64 // the next one
	skip  int64 // bytes of the content that come before what is wanted
	left  int64 // bytes of the content that are wanted
	text  []byte
	plain []byte
	err   error
}

// errClosed is what a body gives that is read behind its Close.
var errClosed = errors.New("sealed: the body is closed")

// texts are buffers for chunks, *[]byte, of bodies that were closed: an import reads a body for
// each conversation.
var texts sync.Pool

// textOf gives a buffer for a chunk.
func textOf(size int64) []byte {
	if b, ok := texts.Get().(*[]byte); ok && int64(cap(*b)) >= size {
		return (*b)[:size]
	}
	return make([]byte, size)
}

func (o *opened) Close() error {
	o.plain, o.err = nil, errClosed
	if b := o.text; b != nil {
		o.text = nil
		texts.Put(&b)
	}
	return o.body.Close()
}

func (o *opened) Read(p []byte) (int, error) {
	for len(o.plain) == 0 {
		if o.err != nil {
			return 0, o.err
		}
		o.err = o.next()
	}
	n := copy(p, o.plain)
	o.plain = o.plain[n:]
	return n, nil
}

// next decrypts the next chunk. It gives io.EOF with the last one that is wanted.
func (o *opened) next() error {
	if o.c == nil {
		if err := o.readHeader(); err != nil {
			return err
		}
	}
	first := o.text == nil
	empty := o.chunk == 0 && first && plainSize(o.object.Size) == 0 // has a chunk, too
	if o.left == 0 && !empty {
		return io.EOF
	}
	if first {
		o.text = textOf(min(wholeChunk, max(tagSize, o.object.Size-headerSize)))
	}
	last := o.chunk == chunksOf(o.object.Size)-1
	text := o.text[:min(int64(len(o.text)), max(0, o.object.Size-headerSize-o.chunk*wholeChunk))]
	if n, err := io.ReadFull(o.body, text); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF { //nolint:errorlint // both are of io.ReadFull itself
			return o.damaged(fmt.Errorf("it ends after %d bytes of a chunk", n))
		}
		return err
	}
	plain, err := openChunk(o.c, o.chunk, last, text)
	if err != nil {
		return o.damaged(err)
	}
	o.chunk++
	plain = plain[min(o.skip, int64(len(plain))):]
	o.skip = 0
	o.plain = plain[:min(o.left, int64(len(plain)))]
	o.left -= int64(len(o.plain))
	if o.left == 0 {
		return io.EOF
	}
	return nil
}

func (o *opened) readHeader() error {
	b := make([]byte, headerSize)
	if _, err := io.ReadFull(o.body, b); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF { //nolint:errorlint // both are of io.ReadFull itself
			return o.damaged(errNoHeader)
		}
		return err
	}
	c, err := o.keys.cipherOf(o.ctx, o.owner, o.object.Key, b)
	if err != nil {
		return err
	}
	o.c = c
	o.noted(c)
	return nil
}

func (o *opened) damaged(err error) error { return &blob.DamagedError{Key: o.object.Key, Err: err} }
