package mif

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Checksum says what the checksum of a document proves.
type Checksum string

// What a checksum can be.
const (
	// Absent: there is none.
	Absent Checksum = "absent"
	// Verified: it is that of the document, by the profile that the document names, or of all bytes
	// before the footer.
	Verified Checksum = "verified"
	// CountOnly: it is that of the counts of the collections, which proves nothing of their
	// content.
	CountOnly Checksum = "count-only"
	// EmptyHash: it is that of nothing.
	EmptyHash Checksum = "empty-hash"
	// Unverifiable: nothing says what it covers.
	Unverifiable Checksum = "unverifiable"
	// Mismatch: the document names a known profile, and the checksum is another.
	Mismatch Checksum = "mismatch"
)

// Profile is the rule of the checksums that are written here: SHA-256 of the RFC 8785 form of the
// document without export.checksum.
const Profile = "rfc8785-without-checksum"

// ErrNoChecksum is returned for a document that has no canonical form.
var ErrNoChecksum = errors.New("the document has no canonical form")

// checksum judges the checksum of the document. footer is that of the last of its lines.
func (d *Document) checksum(footer string) (Checksum, error) {
	meta := d.Root.Get("export")
	if !meta.Exists() {
		meta = d.Root.Get("export_meta")
	}
	plain := func(s string) string { return strings.ToLower(strings.TrimPrefix(s, "sha256:")) }
	value := plain(meta.Get("checksum").Str())
	if footer != "" {
		if value = plain(footer); value == d.linesDigest {
			return Verified, nil
		}
	}
	switch known := meta.Get("x_checksum_profile").Is(Profile) && footer == ""; {
	case value == "":
		return Absent, nil
	case value == digestOf(nil):
		return EmptyHash, nil
	case known:
		sum, err := d.Sum()
		if err != nil && !errors.Is(err, ErrNoChecksum) {
			return "", err
		}
		if sum == value {
			return Verified, nil
		}
		return Mismatch, nil
	}
	text, err := d.countText()
	if err != nil {
		return "", err
	}
	if value == digestOf([]byte(text)) {
		return CountOnly, nil
	}
	return Unverifiable, nil
}

// countText is what one program makes checksums of.
func (d *Document) countText() (string, error) {
	var parts []string
	for _, list := range []string{Memories, Todos, "projects", "reminders"} {
		n, err := d.Len(list)
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ":"), nil
}

// Sum is the checksum of the document by [Profile]. One that has no canonical form gives an error
// that wraps [ErrNoChecksum].
func (d *Document) Sum() (string, error) {
	h := sha256.New()
	if err := d.sumObject(h, d.Root, ""); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// sumObject hashes the canonical form of an object whose lists are read record by record.
func (d *Document) sumObject(h hash.Hash, n jsonscan.Node, path string) error {
	h.Write([]byte{'{'})
	for i, name := range sortedNames(n) {
		if i > 0 {
			h.Write([]byte{','})
		}
		h.Write(append(appendString(nil, name), ':'))
		v := n.Get(name)
		var err error
		switch {
		case slices.Contains(lists, path+name) && v.Kind() == jsonscan.Array && (d.Form == Lines || d.lists[path+name].end > 0):
			err = d.sumList(h, path+name)
		case path == "" && name == "graph" && v.Kind() == jsonscan.Object:
			err = d.sumObject(h, v, "graph/")
		case path == "" && name == "export" && v.Kind() == jsonscan.Object:
			err = sumValue(h, withoutChecksum(v))
		default:
			err = sumValue(h, v.Raw())
		}
		if err != nil {
			return err
		}
	}
	h.Write([]byte{'}'})
	return nil
}

func (d *Document) sumList(h hash.Hash, list string) error {
	h.Write([]byte{'['})
	for r, err := range d.Records(list) {
		if err != nil {
			return err
		}
		if r.Err != nil {
			return fmt.Errorf("%w: %s: %w", ErrNoChecksum, list, r.Err)
		}
		if r.Index > 0 {
			h.Write([]byte{','})
		}
		if err := sumValue(h, r.Raw()); err != nil {
			return err
		}
	}
	h.Write([]byte{']'})
	return nil
}

func sumValue(h hash.Hash, raw []byte) error {
	canonical, err := pamio.Canonicalize(raw)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoChecksum, err)
	}
	h.Write(canonical)
	return nil
}

// sortedNames are the keys of an object in the order of RFC 8785: by UTF-16 units.
func sortedNames(n jsonscan.Node) (names []string) {
	for k := range n.Fields() {
		names = append(names, k.Str())
	}
	slices.SortFunc(names, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
	return names
}

func withoutChecksum(n jsonscan.Node) []byte {
	out := []byte{'{'}
	for k, v := range n.Fields() {
		if k.Is("checksum") {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, k.Raw()...), ':'), v.Raw()...)
	}
	return append(out, '}')
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
