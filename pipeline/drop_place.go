package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
)

// settleDrop writes the record of a drop that has just been hashed where it lies. A record that is there already is of the same
// content: it remembers this place, too, and names it first for parts that have gone from where it says, or have become something
// else. One that somebody else wrote, or that cannot be read, is replaced.
func settleDrop(ctx context.Context, s blob.Store, rec DropRecord) error {
	key := dropKey(rec.Owner, rec.Drop, "drop.json")
	for {
		err := swapJSON(ctx, s, key, "", rec)
		if !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
		var before DropRecord
		tag, err := readJSON(ctx, s, key, &before)
		if isMissing(err) {
			continue // removed in between
		}
		if err != nil && ClassOf(err) != Permanent {
			return err
		}
		next := rec
		if err == nil && before.check(rec.Owner, rec.Drop) == nil {
			var changed bool
			if next, changed, err = before.joined(ctx, s, rec); err != nil || !changed {
				return err
			}
		}
		if err := swapJSON(ctx, s, key, tag, next); !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}

// inPlace tells whether all parts of a drop still lie, unchanged, at a place that its record names.
func inPlace(ctx context.Context, s blob.Store, rec DropRecord) (bool, error) {
	for _, p := range rec.Parts {
		there, err := p.inPlace(ctx, s)
		if err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

func (p DropPart) inPlace(ctx context.Context, s blob.Store) (bool, error) {
	there, err := p.lies(ctx, s)
	if err != nil || there {
		return there, err
	}
	_, there, err = p.other(ctx, s)
	return there, err
}

// lies tells whether a part is still where it is looked for first.
func (p DropPart) lies(ctx context.Context, s blob.Store) (bool, error) {
	if p.Files == nil {
		o, err := s.Head(ctx, p.Key)
		if isMissing(err) {
			return false, nil
		}
		return err == nil && o.Size == p.Size && (p.ETag == "" || p.ETag == o.ETag), err
	}
	missing := make(map[string]string, len(p.Files))
	for _, f := range p.Files {
		missing[f.Key] = f.ETag
	}
	for o, err := range s.List(ctx, p.Key) {
		if err != nil {
			return false, fmt.Errorf("look at folder of drop: %w", err)
		}
		if missing[o.Key] == o.ETag {
			delete(missing, o.Key)
		}
	}
	return len(missing) == 0, nil
}

// MovedError is returned for a drop whose parts are no longer what was taken in.
type MovedError struct {
	Key  string // a person's file name
	Gone bool   // else it was replaced
}

func (e *MovedError) Error() string {
	if e.Gone {
		return fmt.Sprintf("open part of drop: object %q is no longer in the inbox", e.Key)
	}
	return fmt.Sprintf("open part of drop: object %q was replaced after it had been taken in", e.Key)
}

// moved makes the end of a part that lies where a person put it permanent. A copy of our own that is missing is as before.
func moved(key string, err error) error {
	e := &MovedError{Key: key}
	switch {
	case errors.Is(err, blob.ErrNotExist):
		e.Gone = true
	case !errors.Is(err, blob.ErrChanged):
		return err
	}
	return &Fault{Class: Permanent, Err: e, Hint: "put the archive into the inbox again, under any name; what lies there now is a drop of its own"}
}

// movedFrom is moved for a part that is pinned; of a copy of our own, whose pinned is "", nothing is told.
func movedFrom(pinned string, err error) error {
	if pinned == "" {
		return err
	}
	return moved(pinned, err)
}

// ours tells whether an object below a first-level folder of an inbox was put there by us: the record or a copied part of
// a drop. A folder of a person that happens to be named by 64 hex digits is a folder as any other, but for such names.
func ours(folder, inner string) bool {
	if len(folder) != 64 || !hexForm.MatchString(folder) {
		return false
	}
	number, part := strings.CutPrefix(inner, "part-")
	return inner == "drop.json" || part && len(number) >= 3 && strings.Trim(number, "0123456789") == ""
}
