package pamio

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Errors of collections that are kept in order.
var (
	// ErrUnsorted is wrapped when an element has an id before that of the element in front of it.
	ErrUnsorted = errors.New("ids are not in ascending order")
	// ErrDuplicateID is wrapped when two elements have one id: their order, and so the checksum,
	// would be open.
	ErrDuplicateID = errors.New("two elements have the same id")
)

// Checksummer computes integrity.checksum (PAM §15.2) over memories that come one by one: the
// SHA-256 of the canonical array. The zero value is ready for use.
type Checksummer struct {
	hash hash.Hash
	n    int64
	last []byte
}

// Add takes the next memory in canonical form. Ids ascend by their bytes, which is the order of
// code points; another order gives an error that wraps [ErrUnsorted] or [ErrDuplicateID], and the
// memory is not counted.
func (c *Checksummer) Add(id string, canonical []byte) error {
	if c.n > 0 && id <= string(c.last) {
		err := ErrUnsorted
		if id == string(c.last) {
			err = ErrDuplicateID
		}
		return fmt.Errorf("add element %d to checksum: %w", c.n, err)
	}
	c.add(canonical)
	c.last = append(c.last[:0], id...)
	return nil
}

func (c *Checksummer) add(element []byte) {
	if c.hash == nil {
		c.hash = sha256.New()
	}
	separator := ","
	if c.n == 0 {
		separator = "["
	}
	c.hash.Write([]byte(separator))
	c.hash.Write(element)
	c.n++
}

// Count is the number of memories that were added.
func (c *Checksummer) Count() int64 { return c.n }

// Sum is the checksum of the memories so far, "sha256:<hex>". More can be added afterwards.
func (c *Checksummer) Sum() string {
	if c.n == 0 {
		return Digest(sha256.Sum256([]byte("[]")))
	}
	// The closing bracket goes into a copy of the state: Sum must not end the stream.
	clone, err := c.hash.(hash.Cloner).Clone()
	if err != nil {
		// The standard SHA-256 always clones; another one would be a fault of the build.
		panic("pamio: SHA-256 state cannot be copied: " + err.Error())
	}
	clone.Write([]byte("]"))
	return Digest([sha256.Size]byte(clone.Sum(nil)))
}

// Integrity is the block for a store of the memories so far (PAM §15.3).
func (c *Checksummer) Integrity() Integrity {
	return Integrity{Canonicalization: RFC8785, Checksum: c.Sum(), TotalMemories: c.n}
}

// Checksum is integrity.checksum of a few memories in any order and any JSON form, all in memory.
// It fails for a memory without an id, for two with the same one and for JSON without a canonical
// form.
func Checksum(memories [][]byte) (string, error) {
	type element struct {
		id   string
		text []byte
	}
	elements := make([]element, len(memories))
	for i, m := range memories {
		text, err := Canonicalize(m)
		if err != nil {
			return "", fmt.Errorf("compute checksum: memory %d: %w", i, err)
		}
		d, err := jsonscan.Parse(text, 0)
		if err != nil {
			return "", fmt.Errorf("compute checksum: memory %d: %w", i, err)
		}
		id := d.Root().Get("id")
		if id.Kind() != jsonscan.String {
			return "", fmt.Errorf("compute checksum: memory %d has no id", i)
		}
		elements[i] = element{id.Str(), text}
	}
	slices.SortFunc(elements, func(a, b element) int { return bytes.Compare([]byte(a.id), []byte(b.id)) })
	var c Checksummer
	for _, e := range elements {
		if err := c.Add(e.id, e.text); err != nil {
			return "", fmt.Errorf("compute checksum: %w", err)
		}
	}
	return c.Sum(), nil
}
