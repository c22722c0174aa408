//go:build unix

package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
)

// ListFolders gives the folders in a folder; it reads nothing of what is in them.
func (s *Store) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := errors.Join(blob.ValidPrefix(prefix), ctx.Err()); err != nil {
			yield("", fmt.Errorf("list folders: %w", err))
			return
		}
		folder := "."
		if prefix != "" {
			folder = strings.TrimSuffix(prefix, "/")
		}
		entries, err := s.fs.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
			return
		}
		if err != nil {
			yield("", wrap("list", prefix, err))
			return
		}
		var names []string
		for _, e := range entries {
			if e.folder && blob.ValidPrefix(prefix+e.name+"/") == nil {
				names = append(names, e.name+"/") // the order is that of the keys
			}
		}
		slices.Sort(names)
		for _, name := range names {
			if !yield(strings.TrimSuffix(name, "/"), nil) {
				return
			}
		}
	}
}

// ListFolders gives the folders in a folder.
func (r *ReadOnly) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return r.s.ListFolders(ctx, prefix)
}
