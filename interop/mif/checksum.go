package mif

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

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

func checksumOf(d *Document, src []byte, footer string) Checksum {
	meta := d.Root.Get("export")
	if !meta.Exists() {
		meta = d.Root.Get("export_meta")
	}
	value := strings.ToLower(strings.TrimPrefix(meta.Get("checksum").Str(), "sha256:"))
	if footer != "" {
		i := bytes.LastIndex(bytes.TrimRight(src, "\r\n\t "), []byte{'\n'}) + 1
		if strings.ToLower(strings.TrimPrefix(footer, "sha256:")) == digestOf(src[:i]) {
			return Verified
		}
		value = strings.ToLower(strings.TrimPrefix(footer, "sha256:"))
	}
	known := meta.Get("x_checksum_profile").Is(Profile) && footer == ""
	switch {
	case value == "":
		return Absent
	case value == digestOf(nil):
		return EmptyHash
	case known && value == ChecksumOf(d.Text):
		return Verified
	case known:
		return Mismatch
	case value == digestOf(countText(d.Root)):
		return CountOnly
	default:
		return Unverifiable
	}
}

// countText is what one program makes checksums of.
func countText(root jsonscan.Node) []byte {
	return fmt.Appendf(nil, "%d:%d:%d:%d", root.Get("memories").Len(), root.Get("todos").Len(), root.Get("projects").Len(), root.Get("reminders").Len())
}

// ChecksumOf is the checksum of a document by [Profile], "" if it has no canonical form.
func ChecksumOf(text []byte) string {
	d, err := jsonscan.Parse(text, 0)
	if err != nil {
		return ""
	}
	out := []byte{'{'}
	for k, v := range d.Root().Fields() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, k.Raw()...), ':')
		if !k.Is("export") {
			out = append(out, v.Raw()...)
			continue
		}
		out = append(out, '{')
		first := true
		for name, member := range v.Fields() {
			if name.Is("checksum") {
				continue
			}
			if !first {
				out = append(out, ',')
			}
			first = false
			out = append(append(append(out, name.Raw()...), ':'), member.Raw()...)
		}
		out = append(out, '}')
	}
	canonical, err := pamio.Canonicalize(append(out, '}'))
	if err != nil {
		return ""
	}
	return digestOf(canonical)
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
