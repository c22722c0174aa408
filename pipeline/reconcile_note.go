package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// noteName is the object in the working folder of an import that says which drop it is of. It is there from before the
// manifest until the import has ended, so that who looks for lost messages need not read the manifests of all imports that
// ever were.
const noteName = "open.json"

type importNote struct {
	V    int    `json:"v"`
	Drop string `json:"drop"`
	// Ask is the name of the request that the import was read for last; "" if it has none.
	Ask string `json:"ask,omitempty"`
}

// noteImport says that an import is about to have its manifest, and for which request.
func noteImport(ctx context.Context, s blob.Store, m state.Manifest, ask string) error {
	return state.PutJSON(ctx, s, state.WorkKey(m.Owner, m.Import, noteName), importNote{V: 1, Drop: m.Drop, Ask: ask})
}

// begunImport is an open import that has been read, and the name of the request that it was read for.
type begunImport struct{ id, ask string }

// importsOf gives the open imports of an owner that have been read, by their drops. A drop may have several: of workers of
// two versions, one that was given up and waits for its letter, or one whose request was superseded. An error of class Permanent
// names the notes that cannot be read; the others are there.
func importsOf(ctx context.Context, s blob.Store, owner string) (map[string][]begunImport, error) {
	out := map[string][]begunImport{}
	var bad error
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
		_, err := state.ReadJSON(ctx, s, o.Key, &note)
		switch {
		case state.IsMissing(err):
			continue // it ended meanwhile
		case fault.Of(err) == fault.Permanent:
			bad = errors.Join(bad, err)
			continue
		case err != nil:
			return nil, err
		}
		out[note.Drop] = append(out[note.Drop], begunImport{id, note.Ask})
	}
	return out, bad
}
