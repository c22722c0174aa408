package sealed

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"io"
)

// maxWhole is up to which size a body of known length is sealed as a whole, so that the store below
// can send it again.
const maxWhole = 1 << 20

// sealBody gives the sealed form of a body.
func sealBody(c cipher.AEAD, h header, body io.Reader) (io.Reader, error) {
	if l, ok := body.(interface{ Len() int }); ok && l.Len() <= maxWhole {
		plain := make([]byte, l.Len())
		if _, err := io.ReadFull(body, plain); err != nil {
			return nil, err
		}
		return bytes.NewReader(sealBytes(c, h, plain)), nil
	}
	return &sealer{c: c, in: bufio.NewReaderSize(body, chunkSize+1), plain: make([]byte, chunkSize), out: h.bytes()}, nil
}

// sealBytes gives the sealed form of a content.
func sealBytes(c cipher.AEAD, h header, plain []byte) []byte {
	out := append(make([]byte, 0, sealedSize(int64(len(plain)))), h.bytes()...)
	for chunk := int64(0); ; chunk++ {
		n := min(len(plain), chunkSize)
		last := n == len(plain)
		out = c.Seal(out, nonceOf(chunk, last), plain[:n], nil)
		if plain = plain[n:]; last {
			return out
		}
	}
}

// sealer seals a stream.
type sealer struct {
	c     cipher.AEAD
	in    *bufio.Reader
	plain []byte
	buf   []byte // holds out
	out   []byte // what is to be read next
	chunk int64
	err   error // of the stream, io.EOF after the last chunk
}

func (s *sealer) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.next()
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// next seals the next chunk. A stream that fails gives no last chunk.
func (s *sealer) next() {
	n, err := io.ReadFull(s.in, s.plain)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { //nolint:errorlint // both are of io.ReadFull itself
		s.err = err
		return
	}
	_, ahead := s.in.Peek(1)
	if ahead != nil && ahead != io.EOF { //nolint:errorlint // as above
		s.err = ahead
		return
	}
	last := ahead != nil
	s.buf = s.c.Seal(s.buf[:0], nonceOf(s.chunk, last), s.plain[:n], nil)
	s.out = s.buf
	s.chunk++
	if last {
		s.err = io.EOF
	}
}
