package importer

import (
	"bytes"
	"strings"
)

// Shape is what the first bytes of a member show: enough to recognise a format, never enough to read it.
type Shape struct {
	// Top is '[' for an array, '{' for an object or JSON Lines, '<' for markup, 0 for anything else.
	Top byte
	// Empty: an empty array or object, or no bytes at all. It belongs to nobody.
	Empty bool
	// Root has the keys of a top-level object with the first byte of each value ('{', '[', '"', 'n', 't', 'f', '0').
	Root map[string]byte
	// Wrapper is the key of a top-level object whose array holds Objects, "" when there is none.
	Wrapper string
	// Objects are the elements of the top-level array, of the wrapper array, or the lines of JSON Lines; the last one
	// may be cut short.
	Objects []map[string]byte
	// Others counts elements that are not objects.
	Others int
}

// MaxSniffed is the number of objects that are looked at.
const MaxSniffed = 64

// Sniff reads the shape of a member from its first bytes. It never fails: what is cut short or broken shows less.
func Sniff(prefix []byte) Shape {
	s := sniffer{b: bytes.TrimPrefix(prefix, []byte{0xEF, 0xBB, 0xBF})}
	s.space()
	if s.i >= len(s.b) {
		return Shape{Empty: true}
	}
	switch s.b[s.i] {
	case '<':
		return Shape{Top: '<'}
	case '[':
		s.shape.Top = '['
		s.i++
		s.array(true)
		s.shape.Empty = s.closed && len(s.shape.Objects) == 0 && s.shape.Others == 0
	case '{':
		s.shape.Top = '{'
		first := s.object(true)
		s.shape.Root = first
		s.shape.Empty = len(first) == 0 && s.closed
		s.lines(first)
	}
	return s.shape
}

// Keys lists the keys of a shape's first object, for messages; they are names of a format, not personal text.
func (s Shape) Keys() []string {
	first := s.Root
	if len(s.Objects) > 0 {
		first = s.Objects[0]
	}
	var keys []string
	for k := range first {
		keys = append(keys, k)
	}
	return keys
}

type sniffer struct {
	b      []byte
	i      int
	closed bool // the last container read was closed within the prefix
	shape  Shape
}

func (s *sniffer) space() {
	for s.i < len(s.b) && strings.IndexByte(" \t\r\n", s.b[s.i]) >= 0 {
		s.i++
	}
}

// array reads elements, standing behind the bracket.
func (s *sniffer) array(keep bool) {
	s.closed = false
	for len(s.shape.Objects)+s.shape.Others < MaxSniffed {
		s.space()
		if s.i >= len(s.b) {
			return
		}
		switch s.b[s.i] {
		case ']':
			s.i++
			s.closed = true
			return
		case ',':
			s.i++
		case '{':
			o := s.object(false)
			if keep {
				s.shape.Objects = append(s.shape.Objects, o)
			}
		default:
			s.shape.Others++
			if !s.skip() {
				return
			}
		}
	}
}

// object reads the keys of an object, standing at its brace. At the root, a "conversations" array is looked into.
func (s *sniffer) object(root bool) map[string]byte {
	keys := map[string]byte{}
	s.closed = false
	s.i++
	for {
		s.space()
		if s.i >= len(s.b) {
			return keys
		}
		switch s.b[s.i] {
		case '}':
			s.i++
			s.closed = true
			return keys
		case ',':
			s.i++
			continue
		case '"':
		default:
			return keys
		}
		start := s.i + 1
		if !s.str() {
			return keys
		}
		key := string(s.b[start : s.i-1])
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != ':' {
			return keys
		}
		s.i++
		s.space()
		if s.i >= len(s.b) {
			keys[key] = 0
			return keys
		}
		c := s.b[s.i]
		if c == '-' || c >= '0' && c <= '9' {
			c = '0'
		}
		keys[key] = c
		if root && c == '[' && key == "conversations" {
			s.shape.Wrapper = key
			s.i++
			s.array(true)
			if !s.closed {
				return keys
			}
			continue
		}
		if !s.skip() {
			return keys
		}
	}
}

// lines reads on after a first object: another one makes it JSON Lines.
func (s *sniffer) lines(first map[string]byte) {
	if !s.closed || s.shape.Wrapper != "" {
		return
	}
	for n := 0; n < MaxSniffed; n++ {
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != '{' {
			return
		}
		if len(s.shape.Objects) == 0 {
			s.shape.Objects = append(s.shape.Objects, first)
		}
		s.shape.Objects = append(s.shape.Objects, s.object(false))
		if !s.closed {
			return
		}
	}
}

// str passes over a string, standing at its opening quote.
func (s *sniffer) str() bool {
	for s.i++; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return true
		}
	}
	return false
}

// skip passes over one value and tells whether its end was there.
func (s *sniffer) skip() bool {
	depth := 0
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			if !s.str() {
				return false
			}
			if depth == 0 {
				return true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
			if depth == 0 {
				s.i++
				return true
			}
		case ',':
			if depth == 0 {
				return true
			}
		}
		s.i++
	}
	return false
}
