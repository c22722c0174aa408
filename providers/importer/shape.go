package importer

import "strings"

// Shape is what the first bytes of a member show: enough to recognize a format, never enough to
// read it.
type Shape struct {
	// Top is '[' for an array, '{' for an object or JSON Lines, '<' for markup, 0 for anything
	// else.
	Top byte
	// Empty: an empty array or object, or no bytes at all. It belongs to nobody.
	Empty bool
	// Root has the keys of a top-level object with the first byte of each value ('{', '[', '"',
	// 'n', 't', 'f', '0').
	Root map[string]byte
	// Wrapper is the key of the first array of objects in a top-level object, "" when there is
	// none: the list that a provider has put into an object.
	Wrapper string
	// Objects are the elements of the top-level array, of the wrapper array, or the lines of JSON
	// Lines; the last one may be cut short.
	Objects []map[string]byte
	// Others counts elements that are not objects.
	Others int
	// Lines: several objects stand one behind the other, as in JSON Lines.
	Lines bool
	// SQLite: the first bytes are those of an SQLite database.
	SQLite bool

	paths pathSet
}

// Other tells what is neither JSON nor markup, and not empty: text, tables, databases, pictures.
// Only its bytes say more.
func (s Shape) Other() bool { return s.Top == 0 && !s.Empty }

// Has tells whether there is a value at a path. Segments are keys joined by dots; "[]" behind a key
// is an element of its array, at the start one of the top-level array or a line of JSON Lines; "*"
// is any value of an object, once in a path. A last byte of '{', '[' or '"' asks for an object, an
// array or a string.
//
//	"[].mapping{"           elements of a top-level array with an object called mapping
//	"conversations[].entries["
//	"[].mapping.*.message"
//
// Deeper paths than maxPathDepth are not seen.
func (s Shape) Has(path string) bool {
	if path == "" {
		return s.Top != 0
	}
	last := len(path) - 1
	if i := strings.IndexByte(`{["`, path[last]); i >= 0 {
		k, _ := s.paths.find(path[:last])
		return k&(1<<i) != 0
	}
	_, ok := s.paths.find(path)
	return ok
}

// At tells whether each path is there behind one and the same prefix, "" for the root:
// At([]string{"", "[]."}, "mapping{").
func (s Shape) At(prefixes []string, paths ...string) bool {
next:
	for _, prefix := range prefixes {
		for _, p := range paths {
			if !s.Has(prefix + p) {
				continue next
			}
		}
		return true
	}
	return false
}

// Keys lists the keys of a shape's first object, for messages; they are names of a format, not
// personal text.
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

// weight is about how much memory a shape takes beside its objects, in bytes.
func (s Shape) weight() int { return 160 + 8*len(s.Objects) + 8*len(s.paths) }
