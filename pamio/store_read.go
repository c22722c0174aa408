package pamio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// DefaultMaxElement is the size of one element, or of a store's members outside of its collections,
// up to which a document is read when no other limit is given: 64 MiB.
const DefaultMaxElement = 64 << 20

// ErrElementTooBig is wrapped when an element passes the limit of its reader.
var ErrElementTooBig = errors.New("the element is larger than the limit")

// Element is one element of a collection as it stands in the file.
type Element struct {
	// Raw is the text, valid until the callback returns. It is cut out by its brackets: it may
	// still not be JSON.
	Raw []byte
	// Pointer is its JSON pointer in the document: /memories/12.
	Pointer string
	// Offset is where it starts in the document, in bytes.
	Offset int64
	// Index counts the elements of its collection from 0.
	Index int
}

// Scalars are the members of a store outside of its collections.
type Scalars struct {
	Schema        string `json:"schema"`
	SchemaVersion string `json:"schema_version"`
	Header
	Integrity *Integrity `json:"integrity"`
	Signature *Signature `json:"signature"`
	// Raw is the store's object without the elements of its collections, as text: members that PAM
	// 1.0 does not know are in it. A collection that is not an array stands in it whole.
	Raw []byte `json:"-"`
}

// Visitor receives what [ReadStore] reads. A nil callback passes over its collection. An error from
// a callback ends the reading and is returned as it is.
type Visitor struct {
	Memory     func(Element) error
	Relation   func(Element) error
	IndexEntry func(Element) error
	// Scalars comes last, wherever the members stand in the file.
	Scalars func(*Scalars) error
	// MaxValue is the greatest size of an element in bytes; 0 is DefaultMaxElement, below 0 is no
	// limit.
	MaxValue int64
}

// ReadStore reads a memory store from front to back, members in any order, holding one element at a
// time. It checks that the document is a PAM 1.x store and can be cut into its elements; the
// elements are the callbacks' to parse. An element beyond the limit gives an error that wraps
// [ErrElementTooBig], a document that breaks off a *jsonscan.TruncatedError.
func ReadStore(r io.Reader, v Visitor) error {
	visit := map[string]func(Element) error{
		"memories": v.Memory, "relations": v.Relation, "conversations_index": v.IndexEntry,
	}
	rest, _, err := readCollections(r, v.MaxValue, visit)
	if err != nil {
		return err
	}
	s, err := parseScalars(rest)
	if err != nil {
		return err
	}
	if v.Scalars == nil {
		return nil
	}
	return v.Scalars(s)
}

// parseScalars reads what is left of a store without its collections.
func parseScalars(rest []byte) (*Scalars, error) {
	s := &Scalars{}
	if err := fillStrict(rest, func(f *filler, root jsonscan.Node) { f.scalars(s, root) }); err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	if err := checkSchema(StoreSchema, s.Schema, s.SchemaVersion); err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	s.Raw = rest
	return s, nil
}

// readCollections hands out the elements of the collections of one top-level object and returns the
// rest of it, and the keys of the collections in their order.
func readCollections(r io.Reader, limit int64, visit map[string]func(Element) error) (rest []byte, order []string, err error) {
	var wrappers []string
	for key := range visit {
		wrappers = append(wrappers, key)
	}
	var buf []byte
	return frameCollections(r, limit, wrappers, func() []byte { return buf }, func(e framed) error {
		buf = e.raw
		call := visit[e.collection]
		if call == nil {
			return nil
		}
		return call(Element{Raw: e.raw, Pointer: e.pointer(), Offset: e.offset, Index: e.index})
	})
}

// framed is an element as it is cut out of a document.
type framed struct {
	collection string
	index      int
	offset     int64
	raw        []byte
}

func (e framed) pointer() string { return "/" + e.collection + "/" + strconv.Itoa(e.index) }

// frameCollections cuts a document as readCollections does, each element into the memory that into
// gives for it if there is enough of it.
func frameCollections(r io.Reader, limit int64, wrappers []string, into func() []byte, each func(framed) error) (rest []byte, order []string, err error) {
	if limit == 0 {
		limit = DefaultMaxElement
	}
	o := jsonscan.FrameOptions{MaxValue: max(limit, 0), Wrappers: wrappers}
	f := jsonscan.NewFramer(r, o)
	seen, last := make(map[string]int, len(wrappers)), framed{index: -1}
	for {
		frame, err := f.Next(into())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read document: %w", err)
		}
		if rest != nil {
			return nil, nil, fmt.Errorf("read document: %w: there is more than one value, at byte %d", ErrNotPAM, frame.Offset)
		}
		e := framed{frame.Wrapper, last.index + 1, frame.Offset, frame.Raw}
		if frame.Wrapper != last.collection {
			seen[last.collection] = last.index + 1
			e.index = seen[e.collection]
		}
		if frame.TooBig {
			pointer := "the members outside of the collections"
			if e.collection != "" {
				pointer = e.pointer()
			}
			return nil, nil, fmt.Errorf("read document: %s at byte %d: %w of %d bytes", pointer, frame.Offset, ErrElementTooBig, o.MaxValue)
		}
		if frame.Wrapper == "" {
			if f.InArray() {
				return nil, nil, fmt.Errorf("read document: %w: the document is an array", ErrNotPAM)
			}
			if err := onlyOnce(frame); err != nil {
				return nil, nil, fmt.Errorf("read document: %w", err)
			}
			rest, order = bytes.Clone(frame.Raw), frame.Wrappers
			continue
		}
		last = e
		if err := each(e); err != nil {
			return nil, nil, err
		}
	}
	if rest == nil {
		return nil, nil, fmt.Errorf("read document: %w: it is empty", ErrNotPAM)
	}
	return rest, order, nil
}

// onlyOnce refuses an object that has one of its collections twice, of which some readers see the
// first and some the last.
func onlyOnce(rest jsonscan.Frame) error {
	for i, key := range rest.Wrappers {
		if slices.Contains(rest.Wrappers[:i], key) {
			return fmt.Errorf("%w: %s stands in it twice", ErrUnsafeJSON, key)
		}
	}
	if len(rest.Wrappers) == 0 {
		return nil
	}
	d, err := jsonscan.Parse(rest.Raw, 0)
	if err != nil {
		return err
	}
	for _, key := range rest.Wrappers {
		if d.Root().Get(key).Exists() {
			return fmt.Errorf("%w: %s stands in it twice", ErrUnsafeJSON, key)
		}
	}
	return nil
}
