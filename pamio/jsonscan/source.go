package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const readBuffer = 64 << 10

// maxEmptyReads is how often a reader may give nothing before it counts as broken.
const maxEmptyReads = 100

// source is a stream with one buffer.
type source struct {
	r        io.Reader
	buf      []byte
	pos, end int
	base     int64 // stream offset of buf[0]
	err      error // read error, kept until the buffer is empty
}

func (s *source) offset() int64 { return s.base + int64(s.pos) }

func (s *source) unexpected(c byte) error {
	return &SyntaxError{Offset: int(s.offset()), Reason: fmt.Sprintf("unexpected character %q", c)}
}

// fill replaces the consumed buffer with the next bytes of the stream.
func (s *source) fill() error {
	if s.err != nil {
		return s.err
	}
	s.base += int64(s.end)
	s.pos, s.end = 0, 0
	for range maxEmptyReads {
		n, err := s.r.Read(s.buf)
		s.end, s.err = n, err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// more is fill where the end of the stream is a truncation.
func (s *source) more() error {
	err := s.fill()
	if errors.Is(err, io.EOF) {
		return &TruncatedError{Offset: s.offset()}
	}
	return err
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// token is the next byte that is not white space, left unread. At the end of the stream the error
// is io.EOF.
func (s *source) token() (byte, error) {
	for {
		for s.pos < s.end {
			if c := s.buf[s.pos]; !isSpace(c) {
				return c, nil
			}
			s.pos++
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// inside is token where the end of the stream is a truncation.
func (s *source) inside() (byte, error) {
	c, err := s.token()
	if errors.Is(err, io.EOF) {
		return 0, &TruncatedError{Offset: s.offset()}
	}
	return c, err
}

// gap is inside that keeps the white space.
func (s *source) gap(to *sink) (byte, error) {
	for {
		start := s.pos
		for s.pos < s.end {
			if c := s.buf[s.pos]; !isSpace(c) {
				to.put(s.buf[start:s.pos])
				return c, nil
			}
			s.pos++
		}
		to.put(s.buf[start:s.pos])
		if err := s.more(); err != nil {
			return 0, err
		}
	}
}

// byteOrderMark passes over one at the current position.
func (s *source) byteOrderMark() error {
	for _, want := range []byte("\uFEFF") {
		if s.pos >= s.end {
			if err := s.more(); err != nil {
				if isTruncated(err) && want == 0xEF {
					return io.EOF
				}
				return err
			}
		}
		if s.buf[s.pos] != want {
			if want == 0xEF {
				return nil
			}
			return s.unexpected(s.buf[s.pos])
		}
		s.pos++
	}
	return nil
}

type class uint8

const (
	other class = iota
	quote
	open
	shut
	limit // ends a number or a word, as the three above do
)

var classes = func() (t [256]class) {
	t['"'] = quote
	t['{'], t['['] = open, open
	t['}'], t[']'] = shut, shut
	t[','], t[' '], t['\n'], t['\r'], t['\t'] = limit, limit, limit, limit, limit
	return t
}()

// run takes the value that starts at the current byte: to its closing bracket or quote, or to the
// end of a word.
func (s *source) run(to *sink) error {
	switch c := s.buf[s.pos]; classes[c] {
	case open:
		return s.balanced(to, 0)
	case quote:
		to.put(s.buf[s.pos : s.pos+1])
		s.pos++
		return s.str(to, false)
	}
	return s.word(to)
}

// word takes bytes up to white space, a comma, a bracket or a quote, and at least one.
func (s *source) word(to *sink) error {
	start := s.pos
	s.pos++
	for {
		for s.pos < s.end {
			if classes[s.buf[s.pos]] != other {
				to.put(s.buf[start:s.pos])
				return nil
			}
			s.pos++
		}
		to.put(s.buf[start:s.pos])
		if err := s.more(); err != nil {
			return err
		}
		start = 0
	}
}

// balanced takes bytes until as many brackets are closed as are open; depth of them are open
// already.
func (s *source) balanced(to *sink, depth int) error {
	for {
		b := s.buf[s.pos:s.end]
		for i := 0; i < len(b); {
			switch classes[b[i]] {
			case open:
				depth++
			case shut:
				depth--
				if depth == 0 {
					to.put(b[:i+1])
					s.pos += i + 1
					return nil
				}
			case quote:
				n, odd := closingQuote(b[i+1:], false)
				if n >= 0 {
					i += n + 2
					continue
				}
				to.put(b)
				s.pos = s.end
				if err := s.str(to, odd); err != nil {
					return err
				}
				b = s.buf[s.pos:s.end]
				i = 0
				continue
			}
			i++
		}
		to.put(b)
		s.pos = s.end
		if err := s.more(); err != nil {
			return err
		}
	}
}

// str takes the rest of a string with its closing quote. odd tells that the bytes before were an
// open escape.
func (s *source) str(to *sink, odd bool) error {
	for {
		b := s.buf[s.pos:s.end]
		n, carry := closingQuote(b, odd)
		if n >= 0 {
			to.put(b[:n+1])
			s.pos += n + 1
			return nil
		}
		to.put(b)
		s.pos = s.end
		if err := s.more(); err != nil {
			return err
		}
		odd = carry
	}
}

// closingQuote finds the quote that ends a string: the first with an even number of backslashes in
// front of it. odd tells that an odd number stands in front of b. Without such a quote n is -1 and
// carry is odd for what follows b.
func closingQuote(b []byte, odd bool) (n int, carry bool) {
	start := 0
	for {
		i := bytes.IndexByte(b[start:], '"')
		end := len(b)
		if i >= 0 {
			end = start + i
		}
		slashes := 0
		for j := end; j > start && b[j-1] == '\\'; j-- {
			slashes++
		}
		if slashes == end-start && odd {
			slashes++
		}
		if i < 0 {
			return -1, slashes%2 == 1
		}
		if slashes%2 == 0 {
			return end, false
		}
		start, odd = end+1, false
	}
}
