package validate

import (
	"strconv"
	"unsafe"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// element is one value of a document: an item of a wrapper array, or the object around them without
// those arrays.
type element struct {
	*tally
	file    string
	wrapper string // "" for the object itself
	index   int
	offset  int64 // of the value in the file; -1 when the text was put together
	size    int64
	raw     []byte
	// root is the parsed value, missing when the element could not be read.
	root jsonscan.Node
}

// at is the place of a value of the element; suffix is its pointer inside of it.
func (e *element) at(suffix string, n jsonscan.Node) place {
	p := place{file: e.file, pointer: suffix, offset: -1}
	if e.wrapper != "" {
		p.pointer = "/" + e.wrapper + "/" + strconv.Itoa(e.index) + suffix
	}
	if e.offset >= 0 {
		p.offset = e.offset
		if n.Exists() {
			p.offset += int64(n.Offset())
		}
	}
	return p
}

// placeOf is the place of an element that was seen earlier, of which only the index was kept.
func placeOf(file, wrapper string, index int, suffix string) place {
	return place{file: file, pointer: "/" + wrapper + "/" + strconv.Itoa(index) + suffix, offset: -1}
}

// text is a string field; ok is false when it is absent, null or of another type.
func text(n jsonscan.Node) (s string, ok bool) {
	if n.Kind() != jsonscan.String {
		return "", false
	}
	return n.Str(), true
}

// peekString is text without a copy: what it gives must not be kept beyond the element.
func peekString(n jsonscan.Node) (s string, ok bool) {
	if n.Kind() != jsonscan.String {
		return "", false
	}
	if n.Flags()&(jsonscan.Escaped|jsonscan.BadUTF8) != 0 {
		return n.Str(), true
	}
	raw := n.Raw()
	return unsafe.String(unsafe.SliceData(raw[1:]), len(raw)-2), true //nolint:gosec // see above
}

// given tells that a field is there and not null.
func given(n jsonscan.Node) bool { return n.Exists() && !n.IsNull() }
