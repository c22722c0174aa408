package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/pamline/pamline/archive"
)

// Asset is a file that stood inside a unit. Ref is its name in the bundle, which its bytes decide:
// see [NewAsset].
type Asset struct {
	Ref  string // assets/<sha256>.<ext>
	Data []byte
}

// NewAsset names bytes by their digest and their type, and gives the type.
func NewAsset(data []byte) (a Asset, mimeType string) {
	sum := sha256.Sum256(data)
	mimeType, ext := SniffType(data)
	return Asset{Ref: AssetRef(hex.EncodeToString(sum[:]), ext), Data: data}, mimeType
}

// AssetRef is the name in the bundle of a file with this SHA-256, in hex, and this ending, with its
// dot.
func AssetRef(sum, ext string) string { return "assets/" + sum + ext }

// SniffedBytes is how much of a file decides its type.
const SniffedBytes = 3072

// SniffType tells the type of a file from its first bytes, never from its name: the media type
// without parameters, and the ending with its dot; ".bin" for what nobody knows.
func SniffType(head []byte) (mimeType, ext string) {
	head = head[:min(len(head), SniffedBytes)]
	m := mimetype.Detect(head)
	mimeType, _, _ = strings.Cut(m.String(), ";")
	if strings.HasPrefix(mimeType, "text/") && startsAsJSON(head) {
		return "application/json", ".json"
	}
	if ext = m.Extension(); ext == "" {
		ext = ".bin"
	}
	return strings.TrimSpace(mimeType), ext
}

// startsAsJSON tells whether text is the beginning of a JSON list or object with keys in it. That
// most of a large file is not there makes the detector see a table or plain text in it.
func startsAsJSON(head []byte) bool {
	s := Sniff(head)
	return (s.Top == '{' || s.Top == '[') && !s.Lines && len(s.Keys()) > 0
}

// memberRef starts the name of a member in a document that the pipeline has not seen yet. No source
// text can make one: NUL is in no reference that an importer writes.
const memberRef = "\x00member:"

// MemberRef stands in a document for the asset that a claimed member will be, as the ref of an
// attachment or part. The pipeline puts the real name in its place when the file is copied.
func MemberRef(m archive.Member) string { return memberRef + strconv.Itoa(m.Index) }

// ParseMemberRef gives the index of the member that a ref stands for.
func ParseMemberRef(ref string) (index int, ok bool) {
	s, ok := strings.CutPrefix(ref, memberRef)
	if !ok {
		return 0, false
	}
	index, err := strconv.Atoi(s)
	return index, err == nil
}
