package jsonscan

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. Invalid is the kind of a missing node.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Flag marks what is unusual about a value. Containers carry the flags of everything inside them.
type Flag uint8

const (
	// Escaped: a string has a backslash escape.
	Escaped Flag = 1 << iota
	// Spaced: there is white space between the tokens of a container.
	Spaced
	// LoneSurrogate: a \u escape names half a surrogate pair.
	LoneSurrogate
	// BadUTF8: a string has bytes that are not UTF-8.
	BadUTF8
	// DuplicateKey: an object has the same key twice.
	DuplicateKey
	// BigInteger: an integer lies beyond ±(2^53-1).
	BigInteger
)

// Odd is what a document of the PAM output profile must not hold: values with one of these flags
// cannot be copied into it.
const Odd = LoneSurrogate | BadUTF8 | DuplicateKey

// DefaultMaxDepth is the nesting limit when none is given.
const DefaultMaxDepth = 512

// ErrTooDeep is wrapped by a SyntaxError for a value nested beyond the limit.
var ErrTooDeep = errors.New("nested too deeply")

// SyntaxError says where a value stops being JSON. Offset counts bytes from the start of the value.
type SyntaxError struct {
	Offset int
	Reason string
	Err    error // ErrTooDeep, or nil
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

type entry struct {
	start, end uint32
	next       uint32 // index of the entry after this value's subtree
	what       uint16 // kind and flags, in one: a struct of up to four fields is kept in registers
}

func what(k Kind, f Flag) uint16 { return uint16(k)<<8 | uint16(f) }

func (e *entry) kind() Kind { return Kind(e.what >> 8) }

func (e *entry) flags() Flag { return Flag(e.what) }

// Doc is one parsed value.
type Doc struct {
	src     []byte
	entries []entry
	levels  []level
	filters []keyFilter
	keys    keySet
}

// Parse reads the one value in src, which may have white space around it. maxDepth 0 means
// DefaultMaxDepth.
func Parse(src []byte, maxDepth int) (*Doc, error) {
	mem := parsers.Get().(*Doc) //nolint:errcheck,forcetypeassert // the pool holds nothing else
	defer func() {
		mem.Reset()
		parsers.Put(mem)
	}()
	if err := mem.Parse(src, maxDepth); err != nil {
		return nil, err
	}
	d := &Doc{src: src, entries: mem.entries}
	if cap(mem.entries) > keptEntries {
		// It is kept as it is: a copy of much would be held beside it.
		mem.entries, mem.keys.slots = nil, nil
	} else {
		d.entries = append(make([]entry, 0, len(mem.entries)), mem.entries...)
	}
	return d, nil
}

// parsers hold memory for parsing: what is kept of it is then as long as it must be.
var parsers = sync.Pool{New: func() any { return new(Doc) }}

// Parse reads src into d, whose memory is used again. Errors are *SyntaxError.
func (d *Doc) Parse(src []byte, maxDepth int) error {
	if maxDepth == 0 {
		maxDepth = DefaultMaxDepth
	}
	d.src, d.entries, d.levels = src, d.entries[:0], d.levels[:0]
	if uint64(len(src)) > math.MaxUint32-1 {
		return &SyntaxError{Reason: "value larger than 4 GiB"}
	}
	return d.run(maxDepth)
}

// How many values' and levels' worth of memory Reset keeps.
const (
	keptEntries = 1 << 16
	keptLevels  = 64
)

// Reset lets go of the text, so that d can be kept for its memory; that of an unusually large or
// deep value is let go of as well.
func (d *Doc) Reset() {
	d.src = nil
	if cap(d.entries) > keptEntries {
		d.entries, d.keys.slots = nil, nil
	}
	if len(d.filters) > keptLevels {
		d.levels, d.filters = nil, nil
	}
	d.entries = d.entries[:0]
}

// Root is the value itself, missing when there is none: before Parse, after an error of it and
// after Reset.
func (d *Doc) Root() Node {
	if len(d.entries) == 0 {
		return Node{} // nothing was parsed
	}
	return Node{d, 0}
}
