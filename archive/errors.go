package archive

import (
	"fmt"
	"strings"
)

// Code says what is wrong with an archive or a member. Codes are stable: receipts and tests name
// them.
type Code string

// The codes.
const (
	CodeEncrypted   Code = "encrypted"           // needs a password
	CodeTruncated   Code = "truncated"           // the end is missing
	CodeUnsupported Code = "unsupported-method"  // compressed or stored in a way that is not read
	CodeOverlap     Code = "overlapping-members" // the same bytes are claimed twice
	CodeTooMany     Code = "too-many-members"    // Limits.MaxMembers
	CodeTooLarge    Code = "too-large"           // Limits.MaxMemberSize, MaxTotal or MaxScratch
	CodeRatio       Code = "ratio"               // Limits.MaxRatio
	CodeNesting     Code = "nesting"             // Limits.MaxNesting
	CodeBadName     Code = "bad-name"            // a path that leaves the archive, or no usable name
	CodeChecksum    Code = "checksum"            // other bytes, or another number of them, than the archive promises
	CodeCorrupt     Code = "corrupt"             // the structure makes no sense
	CodeNotArchive  Code = "not-an-archive"      // a container of a kind that is not read
	CodeEmpty       Code = "empty"               // no bytes, or no files
	CodeSplit       Code = "split-archive"       // one volume of several
)

// Error is what is wrong with an archive or one of its members: the content's fault, so trying
// again will not help.
type Error struct {
	Code    Code
	Archive string // label of the part, followed by the inner archives' names
	Member  string // "" when it is about the archive as a whole
	Offset  int64  // where in the archive, in bytes; for errors of reading, where in the member's content
	Reason  string // a clause for a person
	Hint    string // what to do next; may be ""
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "read archive %q", e.Archive)
	if e.Member != "" {
		fmt.Fprintf(&b, ": member %q", e.Member)
	}
	if e.Offset > 0 {
		fmt.Fprintf(&b, ": at byte %d", e.Offset)
	}
	b.WriteString(": " + e.Reason)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

const (
	hintDownload = "download the export again: this copy is damaged or incomplete"
	hintRepack   = "unpack it and pack it again as an ordinary zip, or import the unpacked folder"
	hintLimit    = "if the archive is genuine, raise the limit in the configuration"
)
