package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"math"
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

// Odd is what a document of the PAM output profile must not hold: values with one of these flags cannot be copied into it.
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
	kind       Kind
	flags      Flag
}

// Doc is one parsed value.
type Doc struct {
	src     []byte
	entries []entry
	stack   []uint32
	keys    keySet
}

// Parse reads the one value in src, which may have white space around it. maxDepth 0 means DefaultMaxDepth.
func Parse(src []byte, maxDepth int) (*Doc, error) {
	d := new(Doc)
	if err := d.Parse(src, maxDepth); err != nil {
		return nil, err
	}
	return d, nil
}

// Parse reads src into d, whose memory is used again. Errors are *SyntaxError.
func (d *Doc) Parse(src []byte, maxDepth int) error {
	if maxDepth == 0 {
		maxDepth = DefaultMaxDepth
	}
	d.src, d.entries, d.stack = src, d.entries[:0], d.stack[:0]
	if uint64(len(src)) > math.MaxUint32-1 {
		return &SyntaxError{Reason: "value larger than 4 GiB"}
	}
	p := parser{Doc: d, maxDepth: maxDepth}
	return p.run()
}

// keptEntries is how many values' worth of memory Reset keeps.
const keptEntries = 1 << 16

// Reset lets go of the text, so that d can be kept for its memory; that of an unusually large value is let go of as well.
func (d *Doc) Reset() {
	d.src = nil
	if cap(d.entries) > keptEntries {
		d.entries, d.keys.slots = nil, nil
	}
	d.entries = d.entries[:0]
}

// Root is the value itself.
func (d *Doc) Root() Node { return Node{d, 0} }

type parser struct {
	*Doc
	i        int
	maxDepth int
}

func (p *parser) fail(reason string) error { return &SyntaxError{Offset: p.i, Reason: reason} }

// space skips white space and tells whether there was any.
func (p *parser) space() bool {
	if p.i >= len(p.src) || p.src[p.i] > ' ' {
		return false
	}
	start := p.i
	for p.i < len(p.src) && isSpace(p.src[p.i]) {
		p.i++
	}
	return p.i > start
}

func (p *parser) push(k Kind, start int) {
	p.entries = append(p.entries, entry{start: uint32(start), kind: k})
}

// leaf finishes the entry pushed last.
func (p *parser) leaf(f Flag) {
	e := &p.entries[len(p.entries)-1]
	e.end, e.next, e.flags = uint32(p.i), uint32(len(p.entries)), f
	p.inherit(f)
}

func (p *parser) inherit(f Flag) {
	if f != 0 && len(p.stack) > 0 {
		p.entries[p.stack[len(p.stack)-1]].flags |= f &^ Escaped
	}
}

func (p *parser) mark(f Flag) { p.entries[p.stack[len(p.stack)-1]].flags |= f }

func (p *parser) run() error {
	p.space()
	for {
		// A value starts at p.i.
		if p.i >= len(p.src) {
			return p.fail("unexpected end")
		}
		opened, err := p.value()
		if err != nil {
			return err
		}
		if opened {
			continue
		}
		// A value has ended: close containers until one goes on.
		for {
			if len(p.stack) == 0 {
				p.space()
				if p.i != len(p.src) {
					return p.fail("text after the value")
				}
				return nil
			}
			more, err := p.after()
			if err != nil {
				return err
			}
			if more {
				break
			}
		}
	}
}

// value reads a scalar, or opens a container and stands at its first value. An empty container is closed at once.
func (p *parser) value() (opened bool, err error) {
	c, start := p.src[p.i], p.i
	switch {
	case c == '"':
		p.push(String, start)
		f, err := p.str()
		if err != nil {
			return false, err
		}
		p.leaf(f)
		return false, nil
	case c == '{' || c == '[':
		return p.open(c)
	case c == '-' || c >= '0' && c <= '9':
		p.push(Number, start)
		f, err := p.number()
		if err != nil {
			return false, err
		}
		p.leaf(f)
		return false, nil
	case c == 't':
		return false, p.word(Bool, "true")
	case c == 'f':
		return false, p.word(Bool, "false")
	case c == 'n':
		return false, p.word(Null, "null")
	}
	return false, p.fail(fmt.Sprintf("unexpected character %q", c))
}

func (p *parser) word(k Kind, w string) error {
	if !bytes.HasPrefix(p.src[p.i:], []byte(w)) {
		return p.fail("unknown literal")
	}
	p.push(k, p.i)
	p.i += len(w)
	p.leaf(0)
	return nil
}

func (p *parser) open(c byte) (bool, error) {
	if len(p.stack) >= p.maxDepth {
		return false, &SyntaxError{Offset: p.i, Reason: fmt.Sprintf("nested deeper than %d", p.maxDepth), Err: ErrTooDeep}
	}
	k := Object
	if c == '[' {
		k = Array
	}
	p.push(k, p.i)
	p.stack = append(p.stack, uint32(len(p.entries)-1))
	p.i++
	if p.space() {
		p.mark(Spaced)
	}
	if p.i < len(p.src) && p.src[p.i] == c+2 { // '{'+2 == '}' and '['+2 == ']'
		p.i++
		p.close()
		return false, nil
	}
	if k == Object {
		return true, p.key()
	}
	return true, nil
}

func (p *parser) close() {
	at := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	e := &p.entries[at]
	e.end, e.next = uint32(p.i), uint32(len(p.entries))
	if e.kind == Object && p.duplicates(at) {
		e.flags |= DuplicateKey
	}
	p.inherit(e.flags)
}

// after stands behind a value inside a container; more tells that another value follows.
func (p *parser) after() (more bool, err error) {
	top := p.stack[len(p.stack)-1]
	if p.space() {
		p.mark(Spaced)
	}
	if p.i >= len(p.src) {
		return false, p.fail("unexpected end")
	}
	object := p.entries[top].kind == Object
	switch c := p.src[p.i]; {
	case c == ',':
		p.i++
		if p.space() {
			p.mark(Spaced)
		}
		if object {
			return true, p.key()
		}
		return true, nil
	case c == '}' && object, c == ']' && !object:
		p.i++
		p.close()
		return false, nil
	}
	return false, p.fail("expected a comma or the end of the container")
}

func (p *parser) key() error {
	if p.i >= len(p.src) || p.src[p.i] != '"' {
		return p.fail("expected a key")
	}
	p.push(String, p.i)
	f, err := p.str()
	if err != nil {
		return err
	}
	p.leaf(f)
	spaced := p.space()
	if p.i >= len(p.src) || p.src[p.i] != ':' {
		return p.fail("expected a colon")
	}
	p.i++
	if p.space() || spaced {
		p.mark(Spaced)
	}
	if p.i >= len(p.src) {
		return p.fail("unexpected end")
	}
	return nil
}
