package mem

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// ErrInvalid is wrapped when a bundle is refused because it is not valid.
var ErrInvalid = errors.New("the bundle is not valid")

// MergeOptions set which deletions are accepted.
type MergeOptions struct {
	// Accepted are the keys whose tombstones count: those that signed the tombstone, or the
	// manifest of the bundle that brings it. The first bundle is the owner's own, and its
	// tombstones count.
	Accepted []ed25519.PublicKey
	// AcceptUnsigned lets the tombstones of every bundle count.
	AcceptUnsigned bool
	Scratch        string
}

// Merged counts what a merge did.
type Merged struct {
	Tombstones int `json:"tombstones"`
	// Quarantined are the tombstones without an accepted authority; they are listed and not
	// applied.
	Quarantined []string `json:"quarantined,omitempty"`
	Erased      int      `json:"erased"`
	Redacted    int      `json:"redacted"`
	Replaced    int      `json:"replaced"`
}

// Merge reads bundles, the owner's own first, and gives every row that is left, each once. All of
// them are checked before the first row is given; nothing is given of any if one is not valid.
// Tombstones are applied first and for ever. Of two rows with one key the newer wins; at equal
// times a closed one wins against an open one, and then the greater text, so that the order of the
// bundles does not matter. received tells that the rows of a stream are not in canonical order.
func Merge(ctx context.Context, bundles []*Bundle, o MergeOptions, row func(kind string, line []byte) error, received func(kind string)) (m Merged, err error) {
	unordered := map[string]bool{}
	for i, b := range bundles {
		if err := b.checkWhole(ctx, o.Scratch, unordered); err != nil {
			return m, fmt.Errorf("bundle %d: %w", i+1, err)
		}
	}
	ledger := NewLedger()
	sorter := extsort.New(o.Scratch, 32<<20)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	seen := map[string]bool{}
	for i, b := range bundles {
		o := o
		o.AcceptUnsigned = o.AcceptUnsigned || i == 0
		if err := m.readTombstones(b, o, ledger, seen, row); err != nil {
			return m, err
		}
	}
	if len(bundles) == 1 {
		for path := range unordered {
			if name, k := kindOf(path); k != nil {
				received(name)
			}
		}
	}
	for i, b := range bundles {
		if err := m.readRows(ctx, b, i, ledger, sorter); err != nil {
			return m, err
		}
	}
	return m, m.writeWinners(sorter, row, o.Scratch)
}

// isSignedBy tells whether one of the keys signed the manifest.
func (b *Bundle) isSignedBy(keys []ed25519.PublicKey) (bool, error) {
	sig, err := b.Signature()
	if err != nil || sig == nil || len(keys) == 0 {
		return false, err
	}
	_, err = VerifyToken(string(bytes.TrimSuffix(sig, []byte{'\n'})), b.ManifestText, keys)
	return err == nil, nil
}

// readTombstones adds the tombstones of a bundle that have an accepted authority to a ledger, and
// gives each once.
func (m *Merged) readTombstones(b *Bundle, o MergeOptions, l *Ledger, seen map[string]bool, row func(string, []byte) error) error {
	whole, err := b.isSignedBy(o.Accepted)
	if err != nil {
		return err
	}
	whole = whole || o.AcceptUnsigned
	for _, f := range b.Manifest.Files {
		if f.Path != TombstonesFile {
			continue
		}
		for r, err := range b.Records(f.Path) {
			if err != nil {
				return err
			}
			d, err := jsonscan.Parse(r.Line, 0)
			if err != nil {
				return err
			}
			id := d.Root().Get("id").Str()
			if !whole && (len(o.Accepted) == 0 || verifyTombstone(d.Root(), o.Accepted) != nil) {
				m.Quarantined = append(m.Quarantined, id)
				continue
			}
			if err := l.Add(r.Line); err != nil {
				return err
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			m.Tombstones++
			if err := row(Tombstone, r.Line); err != nil {
				return err
			}
		}
	}
	return nil
}

// readRows judges the rows of a bundle and sorts those that stay by kind and key.
func (m *Merged) readRows(ctx context.Context, b *Bundle, at int, l *Ledger, s *extsort.Sorter) error {
	for order, path := range b.Streams() {
		if path == TombstonesFile {
			continue
		}
		for r, err := range b.Records(path) {
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			fate, line := l.Judge(r.Kind, r.Line)
			switch fate {
			case Erased:
				m.Erased++
				continue
			case Redacted:
				m.Redacted++
			}
			_, k := kindOf(path)
			var key []byte
			if k != nil {
				key = []byte(rowKey(k, line))
			}
			if len(key) == 0 { // foreign, or without a key: all texts stay
				key = append([]byte{0}, line...)
			}
			key = append(append([]byte(r.Kind), 0), key...)
			position := binary.BigEndian.AppendUint64(nil, uint64(at)<<56|uint64(order)<<40|uint64(r.Number)) //nolint:gosec // small and positive
			if err := s.Add(key, append(position, line...)); err != nil {
				return err
			}
		}
	}
	return nil
}

func rowKey(k *kind, line []byte) string {
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return "" // a foreign line of another form
	}
	return keyOf(k, d)
}

// writeWinners picks a row of each key and gives the rows in the order in which they were read.
func (m *Merged) writeWinners(s *extsort.Sorter, row func(string, []byte) error, scratch string) (err error) {
	inOrder := extsort.New(scratch, 32<<20)
	defer func() { err = errors.Join(err, inOrder.Close()) }()
	var key, position, line []byte
	flush := func() error {
		if key == nil {
			return nil
		}
		name, _, _ := bytes.Cut(key, []byte{0})
		return inOrder.Add(position, append(append(bytes.Clone(name), 0), line...))
	}
	for r, err := range s.Sorted() {
		if err != nil {
			return err
		}
		at, text := r.Value[:8], r.Value[8:]
		name, rest, _ := bytes.Cut(r.Key, []byte{0})
		repeats := bytes.HasPrefix(rest, []byte{0}) && key != nil && at[0] == position[0] // twice in one bundle
		if key != nil && bytes.Equal(key, r.Key) && !repeats {
			if !bytes.Equal(line, text) {
				m.Replaced++
			}
			if isNewer(string(name), text, line) {
				line = append(line[:0], text...)
			}
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		key, position, line = bytes.Clone(r.Key), bytes.Clone(at), bytes.Clone(text)
	}
	if err := flush(); err != nil {
		return err
	}
	for r, err := range inOrder.Sorted() {
		if err != nil {
			return err
		}
		name, text, _ := bytes.Cut(r.Value, []byte{0})
		if err := row(string(name), text); err != nil {
			return err
		}
	}
	return nil
}

// isNewer tells whether row a wins against row b of the same key.
func isNewer(kindName string, a, b []byte) bool {
	k := nativeKind(kindName)
	if k == nil {
		return bytes.Compare(a, b) > 0
	}
	x, y := jsonscan.Doc{}, jsonscan.Doc{}
	if x.Parse(a, 0) != nil || y.Parse(b, 0) != nil {
		return bytes.Compare(a, b) > 0
	}
	if n := compareField(k, x.Root().Get(k.newer), y.Root().Get(k.newer)); n != 0 {
		return n > 0
	}
	if p, q := x.Root().Get("tValidTo").Kind() == jsonscan.String, y.Root().Get("tValidTo").Kind() == jsonscan.String; p != q {
		return p
	}
	return bytes.Compare(a, b) > 0
}

func compareField(k *kind, a, b jsonscan.Node) int {
	if k.newer == "version" {
		x, y := string(a.Raw()), string(b.Raw())
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return bytes.Compare([]byte(x), []byte(y))
	}
	x, errA := ParseTime(a.Str())
	y, errB := ParseTime(b.Str())
	switch {
	case errA != nil && errB != nil:
		return 0
	case errA != nil:
		return -1
	case errB != nil:
		return 1
	}
	return x.Compare(y)
}
