package blob

import (
	"context"
	"iter"
	"strings"
)

// FolderLister is implemented by stores that list the folders below a prefix without the objects in
// them.
type FolderLister interface {
	// ListFolders gives the segments that follow prefix, which is empty or ends in a slash, in the
	// keys that have a further segment: "a" for "p/a/1" and "p/a/2", in byte order. It may give a
	// folder whose objects have all been deleted.
	ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error]
}

// ListFolders lists the folders below a prefix; a store without a cheaper way lists all objects
// below it.
func ListFolders(ctx context.Context, s Store, prefix string) iter.Seq2[string, error] {
	if f, ok := s.(FolderLister); ok {
		return f.ListFolders(ctx, prefix)
	}
	return func(yield func(string, error) bool) {
		seen := map[string]bool{} // "a.b" comes between "a" and the objects in "a/"
		for o, err := range s.List(ctx, prefix) {
			if err != nil {
				yield("", err)
				return
			}
			name, _, isFolder := strings.Cut(o.Key[len(prefix):], "/")
			if !isFolder || seen[name] {
				continue
			}
			if seen[name] = true; !yield(name, nil) {
				return
			}
		}
	}
}
