package importer

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Bounds of what is looked at behind the first bytes of a member, in bytes.
const (
	// skimmedText is how much of one text of JSON counts.
	skimmedText = 4 << 10
	// maxSkimmed is how far a member is read for its shape, however long its texts are.
	maxSkimmed = 1 << 30
)

// skim gives the first PeekSize bytes of JSON in which the middle of long texts and of long white space is left out, so that
// a title of some megabytes hides nothing of what stands behind it. What is held does not grow with the text. Of other
// content it makes nonsense. What could be read before an error is given with the error.
func skim(ctx context.Context, r io.Reader) ([]byte, error) {
	s := skimmer{out: make([]byte, 0, PeekSize)}
	r = io.LimitReader(r, maxSkimmed)
	buf := make([]byte, PeekSize)
	for {
		n, err := r.Read(buf)
		s.take(buf[:n])
		switch {
		case ctx.Err() != nil:
			return s.out, ctx.Err()
		case errors.Is(err, io.EOF) || len(s.out) == PeekSize:
			return s.out, nil
		case err != nil:
			return s.out, err
		}
	}
}

type skimmer struct {
	out     []byte
	text    bool // inside quotes
	escaped bool // behind a backslash inside quotes
	n       int  // bytes of the text, or of the white space, so far
}

// take puts in what counts of b, up to PeekSize bytes in all.
func (s *skimmer) take(b []byte) {
	for i := 0; i < len(b) && len(s.out) < PeekSize; i++ {
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
