package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
)

// noteName is the object in the working folder of an import that says which drop it is of. It is there from before the
// manifest until the import has ended, so that who looks for lost messages need not read the manifests of all imports that
// ever were.
const noteName = "open.json"

type importNote struct {
	V    int    `json:"v"`
	Drop string `json:"drop"`
}

// noteImport says that an import is about to have its manifest.
func noteImport(ctx context.Context, s blob.Store, m Manifest) error {
	return putJSON(ctx, s, workKey(m.Owner, m.Import, noteName), importNote{V: 1, Drop: m.Drop})
}

// importsOf gives the open imports of an owner that have been read, by their drops. A drop may have several: of workers of
// two versions, or one that was given up and waits for its letter.
func importsOf(ctx context.Context, s blob.Store, owner string) (map[string][]string, error) {
	out := map[string][]string{}
	prefix := "work/" + owner + "/"
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return nil, fmt.Errorf("list open imports of %s: %w", owner, err)
		}
		id, name, _ := strings.Cut(strings.TrimPrefix(o.Key, prefix), "/")
		if name != noteName {
			continue
		}
		var note importNote
		if _, err := readJSON(ctx, s, o.Key, &note); isMissing(err) {
			continue // it ended meanwhile
		} else if err != nil {
			return nil, err
		}
		out[note.Drop] = append(out[note.Drop], id)
	}
	return out, nil
}
