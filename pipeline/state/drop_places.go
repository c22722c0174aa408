package state

import (
	"context"
	"fmt"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
)

const (
	// MaxAlso is how many further places of a part its record remembers.
	MaxAlso = 8
	// maxAlsoFiles is how many files those of them that are folders have together, except for the
	// first: the record is read whenever the drop is.
	maxAlsoFiles = DefaultParts
)

// IsAt tells whether two parts of the same content are at one place.
func (p DropPart) IsAt(q DropPart) bool {
	return p.Key == q.Key && p.ETag == q.ETag && slices.Equal(p.Files, q.Files)
}

// places gives all places of a part, the one that is read first.
func (p DropPart) places() []DropPart {
	first := p
	first.Also = nil
	return append([]DropPart{first}, p.Also...)
}

// Locate gives a part at the first of its places that still has the bytes; ok is false if none has.
func (p DropPart) Locate(ctx context.Context, s blob.Store) (at DropPart, ok bool, err error) {
	for _, at := range p.places() {
		if there, err := at.isThere(ctx, s); err != nil || there {
			return at, there, err
		}
	}
	return p, false, nil
}

// Locate gives a drop with each part at the first place that still has it; ok is false if a part is
// at none.
func (d DropRecord) Locate(ctx context.Context, s blob.Store) (at DropRecord, ok bool, err error) {
	at = d
	at.Parts = slices.Clone(d.Parts)
	for i, p := range d.Parts {
		if at.Parts[i], ok, err = p.Locate(ctx, s); err != nil || !ok {
			return d, false, err
		}
	}
	return at, true, nil
}

// AddPlace gives a part with a further place of the same bytes. If there are too many, those that
// have lost the bytes are forgotten; if there are too many all the same, the part stays as it is.
func (p DropPart) AddPlace(ctx context.Context, s blob.Store, here DropPart) (DropPart, error) {
	places := p.places()
	if slices.ContainsFunc(places, here.IsAt) {
		return p, nil
	}
	// An object that was replaced is not what the record says any more.
	places = slices.DeleteFunc(places, func(at DropPart) bool { return at.Key == here.Key })
	if !hasRoom(places, here) {
		var kept []DropPart
		for _, at := range places {
			there, err := at.isThere(ctx, s)
			if err != nil {
				return p, err
			}
			if there {
				kept = append(kept, at)
			}
		}
		if places = kept; !hasRoom(places, here) {
			return p, nil
		}
	}
	here.Also = nil
	places = append(places, here)
	first := places[0]
	first.Also = places[1:]
	return first, nil
}

// hasRoom tells whether a part may have one more place.
func hasRoom(places []DropPart, here DropPart) bool {
	files := len(here.Files)
	for _, at := range places[min(1, len(places)):] {
		files += len(at.Files)
	}
	return len(places) < 2 || len(places) <= MaxAlso && files <= maxAlsoFiles
}

// isThere tells whether the bytes of a part are still at the place that is read first.
func (p DropPart) isThere(ctx context.Context, s blob.Store) (bool, error) {
	if p.Files == nil {
		o, err := s.Head(ctx, p.Key)
		if objects.IsMissing(err) {
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
