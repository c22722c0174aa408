package mif

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// section is the place of a member of an object in a text: its name and the bytes of its value.
type section struct {
	name       string
	start, end int64
}

// sectionReader reads the members of an object one after the other without their values.
type sectionReader struct {
	in  io.Reader
	buf []byte
	at  int
	// start is the offset of buf in the text.
	start int64
	err   error
}

// fillBuffer reads on; false at the end.
func (r *sectionReader) fillBuffer() bool {
	if r.err != nil {
		return false
	}
	r.start += int64(len(r.buf))
	r.at = 0
	var n int
	for n == 0 && r.err == nil {
		n, r.err = r.in.Read(r.buf[:cap(r.buf)])
	}
	r.buf = r.buf[:n]
	return n > 0
}

// nextByte is the next byte, 0 at the end.
func (r *sectionReader) nextByte() byte {
	if r.at == len(r.buf) && !r.fillBuffer() {
		return 0
	}
	c := r.buf[r.at]
	r.at++
	return c
}

func (r *sectionReader) offset() int64 { return r.start + int64(r.at) }

// nextToken is the next byte that is no white space.
func (r *sectionReader) nextToken() byte {
	for {
		switch c := r.nextByte(); c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
}

// skipString passes over what is left of a string. It appends the text to to, if that is not nil.
func (r *sectionReader) skipString(to *[]byte) bool {
	for {
		if r.at == len(r.buf) && !r.fillBuffer() {
			return false
		}
		rest := r.buf[r.at:]
		i := bytes.IndexAny(rest, `"\`)
		if i < 0 {
			i = len(rest)
		}
		if to != nil {
			*to = append(*to, rest[:i]...)
		}
		if r.at += i; r.at == len(r.buf) {
			continue
		}
		c := r.nextByte()
		if c == '"' {
			return true
		}
		escaped := r.nextByte()
		if to != nil {
			*to = append(*to, c, escaped)
		}
	}
}

// skipValue passes over a value that begins with c and gives its end, and the byte behind it that
// is no white space.
func (r *sectionReader) skipValue(c byte) (end int64, behind byte, ok bool) {
	switch c {
	case '"':
		ok = r.skipString(nil)
		end = r.offset()
	case '{', '[':
		for depth := 1; depth > 0; {
			switch r.nextByte() {
			case '"':
				if !r.skipString(nil) {
					return 0, 0, false
				}
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			case 0:
				if r.at == len(r.buf) {
					return 0, 0, false
				}
			}
		}
		end, ok = r.offset(), true
	default:
		for {
			end = r.offset()
			switch c := r.nextByte(); c {
			case ',', '}':
				return end, c, true
			case ' ', '\t', '\n', '\r':
				return end, r.nextToken(), true
			case 0, '"', '{', '[', ']', ':':
				return 0, 0, false
			}
		}
	}
	return end, r.nextToken(), ok
}

// errSections is returned for a text that is no object, or breaks off.
var errSections = errors.New("it is not one JSON object")

// sectionsOf finds the members of the object that is the text of a reader. Values are bracketed and
// not looked at: whoever reads one finds out whether it is JSON.
func sectionsOf(in io.ReaderAt, from, to int64) (all []section, err error) {
	r := &sectionReader{in: io.NewSectionReader(in, from, to-from), buf: make([]byte, 0, 256<<10), start: from}
	if r.nextToken() != '{' {
		return nil, errSections
	}
	behind := r.nextToken()
	for first := true; !first || behind != '}'; first = false {
		if behind != '"' {
			return nil, errSections
		}
		key := []byte{'"'}
		if !r.skipString(&key) || r.nextToken() != ':' {
			return nil, errSections
		}
		name, err := jsonscan.Parse(append(key, '"'), 0)
		if err != nil || name.Root().Odd() {
			return nil, errSections
		}
		c := r.nextToken()
		s := section{name: name.Root().Str(), start: r.offset() - 1}
		var ok bool
		if s.end, behind, ok = r.skipValue(c); !ok || c == 0 {
			return nil, errSections
		}
		all = append(all, s)
		if behind == '}' {
			break
		}
		if behind != ',' {
			return nil, errSections
		}
		if behind = r.nextToken(); behind == '}' {
			return nil, errSections
		}
	}
	if c := r.nextToken(); c != 0 || r.at != len(r.buf) {
		return nil, fmt.Errorf("%w: there is something behind it", errSections)
	}
	if r.err != nil && !errors.Is(r.err, io.EOF) {
		return nil, r.err
	}
	return all, nil
}

// readSection reads the value of a member.
func readSection(in io.ReaderAt, s section) ([]byte, error) {
	if s.end-s.start > MaxRecord {
		return nil, fmt.Errorf("%w: the member %q has more than %d bytes", ErrNotMIF, s.name, MaxRecord)
	}
	text := make([]byte, s.end-s.start)
	if _, err := in.ReadAt(text, s.start); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return text, nil
}
