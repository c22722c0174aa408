package edit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrNoMemory is returned for an edit of a memory that the store does not have.
var ErrNoMemory = errors.New("there is no memory of that id in the store: `pamline inspect --memories` lists them")

// ErrNoStore is returned for an edit of an owner who has no store.
var ErrNoStore = errors.New("there is no store of that owner yet: name another owner, or import something first")

// minPrefix is how many characters of a memory's id are needed.
const minPrefix = 4

// Resolve gives an edit with the whole id of the memory that it changes, which may be named by a
// prefix. A memory that replaces another one has its type, unless the edit says otherwise.
func Resolve(ctx context.Context, s blob.Store, owner string, e assemble.Edit) (assemble.Edit, error) {
	if err := state.CheckOwner(owner); err != nil {
		return e, err
	}
	head, _, err := state.ReadHead(ctx, s, owner)
	if err != nil {
		return e, err
	}
	if head.ExportID == "" {
		return e, fmt.Errorf("edit store of %s: %w", owner, ErrNoStore)
	}
	if e.Action == assemble.EditAdd || e.Action == assemble.EditUndo {
		return e, nil
	}
	m, err := findMemory(ctx, s, owner, head, e.Memory)
	if err != nil {
		return e, err
	}
	if e.Memory = m.ID; e.Action == assemble.EditReplace && e.Type == "" {
		e.Type, e.CustomType = m.Type, m.CustomType
	}
	if e.Action == assemble.EditReplace { // what must not be given away must not be so in other words
		e.Access = assemble.AccessOf(m.Access).With(e.Access)
	}
	return e, nil
}

// findMemory gives the memory of an export whose id is a text, or begins with it.
func findMemory(ctx context.Context, s blob.Store, owner string, h state.Head, prefix string) (*pamio.Memory, error) {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	if len(prefix) < minPrefix {
		return nil, fmt.Errorf("edit %q: use at least %d characters of the id: %w", prefix, minPrefix, ErrNoMemory)
	}
	key := state.ExportKey(owner, h.ExportID, ".json")
	rc, err := objects.OpenVerified(ctx, s, key, h.Store)
	if err != nil {
		return nil, fmt.Errorf("read export: %w", objects.Lost(key, err))
	}
	defer rc.Close()
	var found *pamio.Memory
	matches := 0
	err = pamio.ReadStore(rc, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		if err != nil || !strings.HasPrefix(m.ID, prefix) {
			return err
		}
		if matches++; found == nil || m.ID == prefix {
			found = m
		}
		return nil
	}})
	err = rc.Finish(err)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read export: %w", err)
	case found == nil:
		return nil, fmt.Errorf("edit %q: %w", prefix, ErrNoMemory)
	case matches > 1 && found.ID != prefix:
		return nil, fmt.Errorf("edit %q: the ids of %d memories begin like that: use more characters: %w", prefix, matches, ErrNoMemory)
	}
	return found, nil
}
