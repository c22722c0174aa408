package archive

import (
	"context"
	"io"
	"slices"
	"strings"
)

// File is one file of a folder whose files lie apart, as objects of a store do.
type File struct {
	Name string // relative to the folder, with slashes
	Size int64
	// Open reads the file from its start.
	Open func(context.Context) (io.ReadCloser, error)
	// Source gives random access to it, for an archive inside the folder.
	Source func(context.Context) (Source, error)
}

// files adds the files of a folder in the byte order of their names, as those of a packed one come:
// what systems leave behind is no part of it.
func (b *builder) files(files []File, at place) error {
	files = slices.Clone(files)
	slices.SortFunc(files, func(x, y File) int { return strings.Compare(x.Name, y.Name) })
	before := len(b.a.Members) + b.a.RefusedCount
	for _, f := range files {
		if isJunk(f.Name) {
			continue
		}
		if err := b.add(&entry{at: at, name: f.Name, size: f.Size, compressed: f.Size, body: f.Open, direct: f.Source}); err != nil {
			return err
		}
	}
	if len(b.a.Members)+b.a.RefusedCount == before {
		return &Error{Code: CodeEmpty, Archive: at.label, Reason: "the folder has no files in it", Hint: "name the folder that holds the export"}
	}
	return nil
}
