package edit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrNothingToUndo is returned for a memory that was not changed by hand, or whose changes were all
// undone.
var ErrNothingToUndo = errors.New("there is no change by hand to undo")

// List reads the edits of an owner behind the first so many, in their order.
func List(ctx context.Context, s blob.Store, owner string, after int) (list []assemble.Edit, err error) {
	for n := after + 1; ; n++ {
		key := state.EditKey(owner, n)
		var e assemble.Edit
		if _, err := objects.ReadJSON(ctx, s, key, &e); objects.IsMissing(err) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("read edit: %w", err)
		}
		list = append(list, e)
	}
}

// Made is the id of the memory that an edit makes, "" for none.
func Made(e assemble.Edit) string {
	if !makesMemory(e) {
		return ""
	}
	return normalize.MemoryIDOf(e.Type, e.CustomType, e.Content)
}

// Of are the edits that change or make a memory, in their order, without those that were undone and
// without what undid them.
func Of(list []assemble.Edit, memory string) (own []assemble.Edit) {
	undone := map[string]bool{}
	for _, e := range list {
		if e.Action == assemble.EditUndo {
			undone[e.Undoes] = true
		}
	}
	for _, e := range list {
		if e.Action != assemble.EditUndo && !undone[e.ID] && (e.Memory == memory || Made(e) == memory) {
			own = append(own, e)
		}
	}
	return own
}

// Undo is the edit that takes back another one. Its ID and time are still to be set.
func Undo(e assemble.Edit) assemble.Edit {
	return assemble.Edit{Action: assemble.EditUndo, Memory: e.Memory, Undoes: e.ID}
}

// LastOf is the newest edit of the memory whose id begins like a text.
func LastOf(list []assemble.Edit, prefix string) (last assemble.Edit, err error) {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	if len(prefix) < minPrefix {
		return last, fmt.Errorf("undo %q: use at least %d characters of the id: %w", prefix, minPrefix, ErrNoMemory)
	}
	ids := map[string]bool{}
	for _, e := range list {
		for _, id := range []string{e.Memory, Made(e)} {
			if id != "" && strings.HasPrefix(id, prefix) {
				ids[id] = true
			}
		}
	}
	if len(ids) > 1 && !ids[prefix] {
		return last, fmt.Errorf("undo %q: the ids of %d memories begin like that: use more characters: %w", prefix, len(ids), ErrNoMemory)
	}
	for id := range ids {
		if own := Of(list, id); len(own) > 0 && (len(ids) == 1 || id == prefix) {
			return own[len(own)-1], nil
		}
	}
	return last, fmt.Errorf("undo %q: %w", prefix, ErrNothingToUndo)
}
