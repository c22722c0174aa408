package jsonscan

import (
	"errors"
	"io"
)

// Framer cuts a stream into values: the elements of a top-level array, the elements of wrapper
// arrays of a top-level object followed by what is left of the object, or values that follow one
// another (a bare object, JSON Lines). It looks at brackets, strings and the commas between
// elements only: the values must be parsed to know that they are JSON, and a value that is not
// spoils none of its neighbours as long as its brackets and quotes balance. It holds one read
// buffer and the members of an object with wrappers; the caller owns what Next appends to.
type Framer struct {
	src source
	o   FrameOptions

	state   frameState
	array   bool // the stream is one array
	index   int
	wrapper string // the key whose array is being cut
	object  object
}

type frameState uint8

const (
	atStart   frameState = iota // before any value
	between                     // before or after a complete top-level value
	inArray                     // inside the top-level array or a wrapper array, before its first element or its end
	afterItem                   // there, behind an element
	inObject                    // inside a top-level object with wrappers, before a member or its end
	finished
)

// NewFramer reads from r, passing over a byte order mark.
func NewFramer(r io.Reader, o FrameOptions) *Framer {
	return &Framer{src: source{r: r, buf: make([]byte, readBuffer)}, o: o}
}

// Offset is how far the stream has been read, in bytes.
func (f *Framer) Offset() int64 { return f.src.offset() }

// InArray tells whether the stream is one array. It is known after the first call of Next.
func (f *Framer) InArray() bool { return f.array }

// Next appends the next value to dst[:0] and returns its frame. At the end of the stream the error
// is io.EOF. A stream that breaks off gives a *TruncatedError, with the beginning of the unfinished
// value in Raw; text that cannot be framed gives a *SyntaxError whose Offset is that in the stream.
// After any error the framer is finished and gives io.EOF.
func (f *Framer) Next(dst []byte) (Frame, error) {
	fr, err := f.next(dst[:0])
	fr.Index = f.index
	if err != nil {
		f.state = finished
		return fr, err
	}
	f.index++
	return fr, nil
}

func (f *Framer) next(dst []byte) (Frame, error) {
	for {
		switch f.state {
		case finished:
			return Frame{}, io.EOF
		case atStart:
			if err := f.start(); err != nil {
				return Frame{}, err
			}
		case between:
			c, err := f.src.token()
			switch {
			case err != nil:
				return Frame{}, err // io.EOF, too
			case c == ',' || c == ']' || c == '}' || c == ':':
				return Frame{}, f.src.unexpected(c)
			case c == '{' && len(f.o.Wrappers) > 0:
				f.openObject()
			default:
				return f.bare(dst)
			}
		case inArray, afterItem:
			fr, done, err := f.item(dst)
			if done || err != nil {
				return fr, err
			}
		case inObject:
			fr, done, err := f.member(dst)
			if done || err != nil {
				return fr, err
			}
		}
	}
}

// start passes over a byte order mark and finds out whether the stream is an array.
func (f *Framer) start() error {
	if err := f.src.byteOrderMark(); err != nil {
		return err
	}
	c, err := f.src.token()
	if err != nil {
		return err
	}
	f.state = between
	if c == '[' {
		f.src.pos++
		f.state, f.array = inArray, true
	}
	return nil
}

// bare frames one of the values that follow one another.
func (f *Framer) bare(dst []byte) (Frame, error) {
	fr := Frame{Offset: f.src.offset()}
	first := f.src.buf[f.src.pos]
	s := sink{b: dst, limit: f.o.MaxValue}
	err := f.src.run(&s)
	if isTruncated(err) && first != '"' && first != '{' && first != '[' {
		err = nil // the end of the stream ends a number or a word
	}
	fr.Size = f.src.offset() - fr.Offset
	fr.Raw, fr.TooBig = s.text()
	return fr, err
}

// item frames the next element of an array, or closes the array.
func (f *Framer) item(dst []byte) (fr Frame, done bool, err error) {
	c, err := f.src.inside()
	if err != nil {
		return Frame{Offset: f.src.offset(), Wrapper: f.wrapper}, true, err
	}
	if f.state == afterItem && c == ',' {
		f.src.pos++
		if _, err = f.src.inside(); err != nil {
			return Frame{Offset: f.src.offset(), Wrapper: f.wrapper}, true, err
		}
	} else if c == ']' {
		f.src.pos++
		return Frame{}, false, f.closeArray()
	}
	f.state = afterItem
	fr, err = f.element(dst)
	fr.Wrapper = f.wrapper
	return fr, true, err
}

func (f *Framer) closeArray() error {
	if f.wrapper != "" {
		f.state, f.wrapper = inObject, ""
		return nil
	}
	c, err := f.src.token()
	switch {
	case errors.Is(err, io.EOF):
		f.state = finished
		return nil
	case err != nil:
		return err
	}
	return f.src.unexpected(c)
}

// element takes all that stands before the next comma or the end of the array.
func (f *Framer) element(dst []byte) (Frame, error) {
	fr := Frame{Offset: f.src.offset()}
	s := sink{b: dst, limit: f.o.MaxValue}
	for first := true; ; first = false {
		c, err := f.src.inside()
		if err != nil && first {
			return fr, err
		}
		if err != nil {
			// The value is whole; the next call meets the end again.
			break
		}
		if c == ',' || c == ']' {
			break
		}
		if c == '}' {
			return fr, f.src.unexpected(c)
		}
		if !first {
			s.put([]byte{' '}) // two values: parsing will fail, as it must
		}
		err = f.src.run(&s)
		fr.Size = f.src.offset() - fr.Offset
		if err != nil {
			fr.Raw, fr.TooBig = s.text()
			return fr, err
		}
	}
	fr.Raw, fr.TooBig = s.text()
	return fr, nil
}

func isTruncated(err error) bool {
	var t *TruncatedError
	return errors.As(err, &t)
}
