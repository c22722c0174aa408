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

// List walks the files under a prefix in byte order of their whole keys. It holds the names of one
// folder for each level of the path it is at.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		if err := blob.ValidPrefix(prefix); err != nil {
			yield(blob.Object{}, fmt.Errorf("list objects: %w", err))
			return
		}
		start := "."
		if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
			start = prefix[:i]
		}
		w := walk{s: s, ctx: ctx, prefix: prefix, yield: yield}
		w.folder(start)
	}
}

type walk struct {
	s      *Store
	ctx    context.Context
	prefix string
	yield  func(blob.Object, error) bool
}

// folder walks one folder and tells whether to go on.
func (w *walk) folder(name string) bool {
	entries, err := w.s.fs.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return true // removed since its parent was read, or no folder at all
	}
	if err != nil {
		return w.fail(err)
	}
	keys := make([]string, 0, len(entries))
	for _, e := range entries {
		if key, ok := w.key(name, e); ok {
			keys = append(keys, key)
		}
	}
	// Folders carry their slash: "a.b" sorts before "a/b", though "a" sorts before "a.b".
	slices.Sort(keys)
	for _, key := range keys {
		if err := w.ctx.Err(); err != nil {
			return w.fail(err)
		}
		if sub, ok := strings.CutSuffix(key, "/"); ok {
			if !w.folder(sub) {
				return false
			}
			continue
		}
		st, err := w.s.stat(key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return w.fail(err)
		}
		if !w.yield(object(key, st), nil) {
			return false
		}
	}
	return true
}

// key gives the key of a file, or of a folder with a slash, if something under it can begin with
// the prefix.
func (w *walk) key(folder string, e entry) (string, bool) {
	key := e.name
	if folder != "." {
		key = folder + "/" + e.name
	}
	if !e.folder && !e.regular || blob.ValidKey(key) != nil {
		return "", false
	}
	if e.folder {
		key += "/"
		return key, strings.HasPrefix(key, w.prefix) || strings.HasPrefix(w.prefix, key)
	}
	return key, strings.HasPrefix(key, w.prefix)
}

func (w *walk) fail(err error) bool {
	w.yield(blob.Object{}, wrap("list", w.prefix, err))
	return false
}
