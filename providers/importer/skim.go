package importer

import (
	"bytes"
	"context"
	"io"
)

// Bounds of what is looked at behind the first bytes of a member, in bytes.
const (
	// skimmedText is how much of one text of JSON counts.
	skimmedText = 4 << 10
	// maxSkimmed is how far a member is read, however long its texts are.
	maxSkimmed = 1 << 30
)

// Skim gives JSON without the middle of long texts and of long white space, so that a title of some
// megabytes hides nothing of what stands behind it. It holds as much of a text of megabytes as of
// any other, and ends with the context's error. Of other content it makes nonsense.
func Skim(ctx context.Context, r io.Reader) io.Reader {
	return &skimmer{ctx: ctx, r: io.LimitReader(r, maxSkimmed), buf: make([]byte, PeekSize)}
}

type skimmer struct {
	ctx context.Context
	r   io.Reader
	buf []byte
	out []byte // what of buf counts
	at  int    // of the next byte of out
	err error

	text    bool // inside quotes
	escaped bool // behind a backslash inside quotes
	n       int  // bytes of the text, or of the white space, so far
}

func (s *skimmer) Read(p []byte) (int, error) {
	for s.at == len(s.out) && s.err == nil {
		n, err := s.r.Read(s.buf)
		s.out, s.at, s.err = s.out[:0], 0, err
		s.take(s.buf[:n])
		if s.err == nil {
			s.err = s.ctx.Err()
		}
	}
	n := copy(p, s.out[s.at:])
	if s.at += n; n > 0 {
		return n, nil
	}
	return 0, s.err
}

// take puts what counts of b into out.
func (s *skimmer) take(b []byte) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case !s.text:
			s.between(c)
		case s.escaped:
			s.escaped = false
			s.inText(c)
		case c == '"':
			s.text, s.n = false, 0
			s.out = append(s.out, c)
		case c == '\\' && s.n >= skimmedText:
			s.escaped = true
		case c == '\\':
			// Its other half goes in with it, so that what is left out is never only the second.
			s.escaped = true
			s.out = append(s.out, c)
		case s.n >= skimmedText:
			// Nothing but a quote or a backslash matters any more.
			if k := bytes.IndexAny(b[i:], `"\`); k > 0 {
				i += k - 1
			} else {
				return
			}
		default:
			s.inText(c)
		}
	}
}

// inText takes a byte of a text.
func (s *skimmer) inText(c byte) {
	if s.n++; s.n <= skimmedText {
		s.out = append(s.out, c)
	}
}

// between takes a byte that is in no text.
func (s *skimmer) between(c byte) {
	switch c {
	case ' ', '\t', '\r', '\n':
		if s.n++; s.n > skimmedText {
			return
		}
	case '"':
		s.text, s.n = true, 0
	default:
		s.n = 0
	}
	s.out = append(s.out, c)
}
