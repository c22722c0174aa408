// Package archive turns what a person dropped into members: a zip, a tar.gz, a tar, a gzipped file,
// a folder or a bare file, or several of them given together. The kind is decided by content, never
// by a name.
//
// An archive is hostile until read: every size, name and offset in it is a claim. Limits hold on
// the bytes that really come out, names are labels that nothing is ever written to, and one bad
// member spoils only itself: its Open or Read gives an *Error while its neighbours go on.
package archive

import (
	"context"
	"io"
)

// Source is the bytes of an archive.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Part is one of the files that a drop consists of. Name is a label for members of bare files and
// for errors; only its last path element is used.
type Part struct {
	Name   string
	Source Source
	// Files makes the part a folder of these files; it has no Source then.
	Files []File
}

// Member is one file in an archive.
type Member struct {
	// Name is the path as the archive has it, cleaned to slashes. It is a label: nothing is ever
	// written to it. A member of a zip inside the archive has that zip's name and a slash before
	// its own. Names may repeat.
	Name string
	// Size is the uncompressed size in bytes as declared; -1 when unknown.
	Size int64
	// Index counts the members from 0 in archive order, over all parts.
	Index int
	// Part counts the parts of the drop from 0.
	Part int
	open func(context.Context) (io.ReadCloser, error)
}

// NewMember makes a member of bytes that lie elsewhere, without guards of its own.
func NewMember(name string, size int64, index int, open func(context.Context) (io.ReadCloser, error)) Member {
	return Member{Name: name, Size: size, Index: index, open: open}
}

// Open reads the member's bytes from the start. It may be called again, and by several goroutines.
// Limits are enforced on the bytes that really come out; size and checksum are verified when the
// end is reached. What is wrong with the member is an *Error, from Open or from Read; any other
// error is the storage's or the context's.
func (m Member) Open(ctx context.Context) (io.ReadCloser, error) { return m.open(ctx) }

// Archive is an opened container.
type Archive struct {
	// Kind is "zip", "tar.gz", "tar", "gz", "folder" or "file"; of several parts, "parts" when they
	// differ.
	Kind    string
	Members []Member
	// Truncated is set when the end of a part is missing or damaged: the members are what could be
	// salvaged, the last of them perhaps not whole (its Read ends with an error of code truncated).
	// The error says what was found.
	Truncated *Error
	// Refused are members, inner archives and parts that are not among the members, with the
	// reason; the first MaxRefused of them. RefusedCount counts all.
	Refused      []*Error
	RefusedCount int
	// LeftOut counts what is no member and no loss, by what it is: "directory", "junk" (files that
	// operating systems leave behind) and "link".
	LeftOut map[string]int
	close   func() error
}

// MaxRefused is how many refusals an Archive keeps in full.
const MaxRefused = 1000

// Close releases scratch files. Members cannot be read afterwards.
func (a *Archive) Close() error {
	if a.close == nil {
		return nil
	}
	return a.close()
}
