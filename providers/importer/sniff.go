package importer

import (
	"bytes"
	"slices"
	"strings"
)

// MaxSniffed is the number of elements of one array, or lines, that are looked at.
const MaxSniffed = 64

// Bounds of what is remembered of a shape.
const (
	maxPathDepth = 9
	maxPaths     = 8192
	maxPath      = 512 // bytes of one; what stands below a longer one is passed over
)

// sqliteMagic starts every SQLite database.
const sqliteMagic = "SQLite format 3\x00"

// Sniff reads the shape of a member from its first bytes, UTF-8 or UTF-16. It never fails: what is
// cut short or broken shows less.
func Sniff(prefix []byte) Shape {
	s := sniffer{b: bytes.TrimPrefix(utf8Prefix(prefix), []byte{0xEF, 0xBB, 0xBF})}
	s.space()
	if s.i >= len(s.b) {
		return Shape{Empty: true}
	}
	switch s.b[s.i] {
	case '<':
		return Shape{Top: '<'}
	case '[':
		s.shape.Top = '['
		closed := s.array(sniffedPath{}, 0, &s.shape.Objects)
		s.shape.Empty = closed && len(s.shape.Objects) == 0 && s.shape.Others == 0
	case '{':
		s.shape.Top = '{'
		start := s.i
		root := map[string]byte{}
		closed := s.object(sniffedPath{}, 0, root)
		s.shape.Root = root
		s.shape.Empty = len(root) == 0 && closed
		s.lines(start, closed)
	default:
		s.shape.SQLite = bytes.HasPrefix(prefix, []byte(sqliteMagic))
	}
	s.shape.paths = slices.Clone(merged(s.notes.all))
	return s.shape
}

type sniffer struct {
	b     []byte
	i     int
	shape Shape
	notes notes
}

func (s *sniffer) space() {
	for s.i < len(s.b) && strings.IndexByte(" \t\r\n", s.b[s.i]) >= 0 {
		s.i++
	}
}

// note remembers that a value of the kind that c starts is at path.
func (s *sniffer) note(path sniffedPath, c byte) {
	if path.size == 0 || path.size > maxPath || s.notes.isFull() {
		return
	}
	k := kinds(0)
	if i := strings.IndexByte(kindLetters, kindOf(c)); i >= 0 {
		k = 1 << i
	}
	s.notes.add(path, k)
}

// kindOf gives the letter of the kind that a value with this first byte has.
func kindOf(c byte) byte {
	switch {
	case c == '-' || c >= '0' && c <= '9':
		return '0'
	case c == 't' || c == 'f':
		return 'b'
	}
	return c
}

// array reads elements, standing at the bracket. The keys of objects are put into objects, unless
// it is nil. It tells whether the array was closed.
func (s *sniffer) array(path sniffedPath, depth int, objects *[]map[string]byte) bool {
	s.i++
	element := path.add("[]")
	for n := 0; n < MaxSniffed || objects == nil; {
		s.space()
		if s.i >= len(s.b) {
			return false
		}
		switch s.b[s.i] {
		case ']':
			s.i++
			return true
		case ',':
			s.i++
			continue
		case '{':
			if n >= MaxSniffed {
				if !s.skip() {
					return false
				}
				continue
			}
			n++
			s.note(element, '{')
			var keys map[string]byte
			if objects != nil {
				keys = map[string]byte{}
				*objects = append(*objects, keys)
			}
			if !s.object(element.add("."), depth+1, keys) {
				return false
			}
		default:
			n++
			if objects != nil {
				s.shape.Others++
			}
			start := s.i
			if !s.value(element, depth+1) {
				return false
			}
			if s.i == start {
				s.i++ // no value at all
			}
		}
	}
	return false
}

// object reads an object, standing at its brace, and tells whether it was closed. Its keys are put
// into keys, unless that is nil. prefix ends with a dot, or is empty at the root.
func (s *sniffer) object(prefix sniffedPath, depth int, keys map[string]byte) bool {
	s.i++
	for {
		s.space()
		if s.i >= len(s.b) {
			return false
		}
		switch s.b[s.i] {
		case '}':
			s.i++
			return true
		case ',':
			s.i++
			continue
		case '"':
		default:
			return false
		}
		start := s.i + 1
		if !s.str() {
			return false
		}
		key := string(s.b[start : s.i-1])
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != ':' {
			return false
		}
		s.i++
		s.space()
		c := byte(0)
		if s.i < len(s.b) {
			c = s.b[s.i]
		}
		if keys != nil {
			keys[key] = c
			if kindOf(c) == '0' {
				keys[key] = '0'
			}
		}
		path := prefix.add(key)
		if s.i >= len(s.b) {
			s.note(path, 0)
			return false
		}
		if !s.member(prefix, path, key, depth) {
			return false
		}
	}
}

// member reads the value of a key, which path ends with.
func (s *sniffer) member(prefix, path sniffedPath, key string, depth int) bool {
	c, start := s.b[s.i], s.i
	if depth > 0 && c == '{' && !prefix.starred {
		// The same object under the name that stands for any key.
		s.value(prefix.add("*"), depth+1)
		s.i = start
	}
	if depth == 0 && c == '[' && s.shape.Wrapper == "" {
		s.note(path, c)
		var objects []map[string]byte
		others := s.shape.Others
		closed := s.array(path, 1, &objects)
		if len(objects) > 0 {
			s.shape.Wrapper, s.shape.Objects = key, objects
		} else {
			s.shape.Others = others
		}
		return closed
	}
	return s.value(path, depth+1)
}

// value reads a value with what is in it and tells whether its end was there.
func (s *sniffer) value(path sniffedPath, depth int) bool {
	s.note(path, s.b[s.i])
	if depth >= maxPathDepth || path.size > maxPath || s.notes.isFull() {
		return s.skip()
	}
	switch s.b[s.i] {
	case '{':
		return s.object(path.add("."), depth, nil)
	case '[':
		return s.array(path, depth, nil)
	}
	return s.skip()
}

// lines reads on after a first object that was closed: another one makes it JSON Lines, and the
// first is read again as a line.
func (s *sniffer) lines(start int, closed bool) {
	s.space()
	if !closed || s.i >= len(s.b) || s.b[s.i] != '{' {
		return
	}
	s.shape.Lines, s.shape.Wrapper, s.shape.Objects = true, "", nil
	s.i = start
	for range MaxSniffed {
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != '{' {
			return
		}
		line := sniffedPath{}.add("[]")
		s.note(line, '{')
		keys := map[string]byte{}
		s.shape.Objects = append(s.shape.Objects, keys)
		if !s.object(line.add("."), 1, keys) {
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
