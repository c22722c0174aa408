package pamio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Source is a document that can be read more than once: a file, or an object in a bucket.
type Source struct {
	// Name is how errors call it.
	Name string
	Open func() (io.ReadCloser, error)
}

// Limits bound what reading a document costs. The zero value has the defaults.
type Limits struct {
	// MaxElement is the greatest size of an element in bytes; 0 is DefaultMaxElement, below 0 is no
	// limit.
	MaxElement int64
	// Scratch is the folder for scratch files, "" that of the system.
	Scratch string
	// Budget is how many bytes of elements are held in memory before scratch files are used. 0: 64
	// MiB.
	Budget int64
}

func (l Limits) sorter() *extsort.Sorter { return extsort.New(l.Scratch, l.Budget) }

// item is an element of a collection with its key and its canonical form, which is raw itself if
// that is canonical. Everything is valid until the next item.
type item struct{ key, raw, canonical []byte }

// itemOf finds the key of an element, the value of its member. Memories must have a canonical form;
// other elements stand for themselves if they have none.
func itemOf(raw []byte, member string, isMemory bool) (item, error) {
	s := canonicalScan{b: raw, member: member}
	if s.value(0) && s.i == len(raw) && len(s.found) > 0 && bytes.IndexByte(s.found, '\\') < 0 {
		return item{key: s.found, raw: raw, canonical: raw}, nil
	}
	d, err := jsonscan.Parse(raw, maxDepth)
	if err != nil {
		return item{}, err
	}
	key := d.Root().Get(member)
	if key.Kind() != jsonscan.String || key.Str() == "" {
		return item{}, fmt.Errorf("the element has no %s", member)
	}
	canonical, err := Canonicalize(raw)
	if err != nil && (isMemory || d.Root().Odd()) {
		return item{}, err
	}
	if err != nil {
		canonical = d.Root().AppendCompact(nil)
	}
	return item{key: []byte(key.Str()), raw: raw, canonical: canonical}, nil
}

// storeKeys are the members that elements of a store are known by.
var storeKeys = map[string]string{memoriesKey: "id", relationsKey: "id", indexKey: "id"}

// scan reads a document and hands out the elements of its collections with their keys, the values
// of the members that keys names. It gives the members outside of the collections, and the
// collections in their order.
func (s Source) scan(l Limits, keys map[string]string, each func(collection string, it item) error) (rest []byte, order []string, err error) {
	err = s.read(func(r io.Reader) error {
		rest, order, err = runScan(r, l.MaxElement, keys, each)
		return err
	})
	return rest, order, err
}

// scanStore is scan for a store.
func scanStore(s Source, l Limits, each func(collection string, it item) error) (*Scalars, error) {
	rest, _, err := s.scan(l, storeKeys, each)
	if err != nil {
		return nil, err
	}
	scalars, err := parseScalars(rest)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Name, err)
	}
	return scalars, nil
}

// collections of a store.
const (
	memoriesKey  = "memories"
	relationsKey = "relations"
	indexKey     = "conversations_index"
)

var collections = []string{memoriesKey, relationsKey, indexKey}

// read opens the document, has it read and closes it.
func (s Source) read(use func(io.Reader) error) error {
	r, err := s.Open()
	if err == nil {
		err = errors.Join(use(r), r.Close())
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", s.Name, err)
	}
	return nil
}

// ReadIntegrity computes the integrity block of a store from its memories (PAM §15.2) and gives its
// scalar fields, which hold the block that the store declares. Memories in another order than that
// of their ids are sorted in a second reading. Memories without an id of their own or without a
// canonical form are an error.
func ReadIntegrity(s Source, l Limits) (Integrity, *Scalars, error) {
	var sum Checksummer
	add := func(collection string, it item) error {
		if collection != memoriesKey {
			return nil
		}
		return sum.Add(string(it.key), it.canonical)
	}
	scalars, err := scanStore(s, l, add)
	if !errors.Is(err, ErrUnsorted) {
		return sum.Integrity(), scalars, err
	}
	sorter := l.sorter()
	scalars, err = scanStore(s, l, func(collection string, it item) error {
		if collection != memoriesKey {
			return nil
		}
		return sorter.Add(it.key, it.canonical)
	})
	if err == nil {
		sum = Checksummer{}
		err = addSorted(&sum, sorter)
	}
	return sum.Integrity(), scalars, errors.Join(err, sorter.Close())
}

func addSorted(sum *Checksummer, sorter *extsort.Sorter) error {
	for r, err := range sorter.Sorted() {
		if err != nil {
			return fmt.Errorf("sort memories: %w", err)
		}
		if err := sum.Add(string(r.Key), r.Value); err != nil {
			return err
		}
	}
	return nil
}
