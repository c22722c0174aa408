package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/pamline/pamline/blob"
)

const (
	// maxAlso is how many further places of a part its record remembers.
	maxAlso = 8
	// alsoFiles is how many files those of them that are folders have together, but for the first: the record is read whenever the
	// drop is.
	alsoFiles = DefaultParts
)

// at tells whether two parts of the same content lie at one place.
func (p DropPart) at(q DropPart) bool {
	return p.Key == q.Key && p.ETag == q.ETag && slices.Equal(p.Files, q.Files)
}

// joined gives the record that a drop should have after it has been hashed once more, at the places of here. What lies where the
// record says stays there, and the place is remembered as a further one; what has gone lies here now. changed is false when the
// record says so already.
func (d DropRecord) joined(ctx context.Context, s blob.Store, here DropRecord) (out DropRecord, changed bool, err error) {
	out = d
	out.Parts = slices.Clone(d.Parts)
	for i, now := range here.Parts {
		p := d.Parts[i] // both are in the order of their digests
		if p.at(now) {
			continue
		}
		there, err := p.lies(ctx, s)
		switch {
		case err != nil:
			return d, false, err
		case !there:
			now.Also = slices.DeleteFunc(slices.Clone(p.Also), func(a DropPart) bool { return a.Key == now.Key })
			out.Parts[i], changed = now, true
		case !slices.ContainsFunc(p.Also, now.at):
			also, room, err := p.remember(ctx, s, now)
			if err != nil {
				return d, false, err
			}
			out.Parts[i].Also, changed = also, changed || room
		}
	}
	return out, changed, nil
}

// remember gives the further places of a part with one more. When there are too many, those where the part no longer lies make
// room; room is false when there is none all the same.
func (p DropPart) remember(ctx context.Context, s blob.Store, now DropPart) (also []DropPart, room bool, err error) {
	now.Also = nil
	for _, a := range p.Also {
		if a.Key != now.Key {
			also = append(also, a)
		}
	}
	if !hasRoomFor(also, now) {
		all := also
		also = nil
		for _, a := range all {
			there, err := a.lies(ctx, s)
			if err != nil {
				return nil, false, err
			}
			if there {
				also = append(also, a)
			}
		}
		if !hasRoomFor(also, now) {
			return p.Also, false, nil
		}
	}
	return append(also, now), true, nil
}

func hasRoomFor(also []DropPart, now DropPart) bool {
	files := len(now.Files)
	for _, a := range also {
		files += len(a.Files)
	}
	return len(also) == 0 || len(also) < maxAlso && files <= alsoFiles
}

// elsewhere looks for a drop whose reading ended with cause, because a part is no longer where it lay: the same bytes may lie
// at another place, of which the record knows. found: the drop is to be read as now says. The place that was lost is no longer
// in the record, so that this ends.
func elsewhere(ctx context.Context, s blob.Store, read DropRecord, cause error) (now DropRecord, found bool, err error) {
	var lost *MovedError
	if !errors.As(cause, &lost) && !isMissing(cause) {
		return read, false, nil
	}
	key := dropKey(read.Owner, read.Drop, "drop.json")
	for {
		var now DropRecord
		tag, err := readJSON(ctx, s, key, &now)
		if isMissing(err) || err == nil && now.check(read.Owner, read.Drop) != nil {
			return read, false, nil
		}
		if err != nil {
			return read, false, err
		}
		found, changed := false, false
		for i, p := range now.Parts {
			if !p.at(read.Parts[i]) {
				found = true // somebody else was here
				continue
			}
			if gone, err := p.lostWith(ctx, s, lost); err != nil {
				return read, false, err
			} else if !gone {
				continue
			}
			if now.Parts[i], found, err = p.other(ctx, s); err != nil || !found {
				return read, false, err
			}
			changed = true
		}
		if !changed {
			return now, found, nil
		}
		if err := swapJSON(ctx, s, key, tag, now); !errors.Is(err, blob.ErrPrecondition) {
			return now, err == nil, err
		}
	}
}

// lostWith tells whether a part is the one, or has the file, that was lost. Of a copy of our own nobody has told which.
func (p DropPart) lostWith(ctx context.Context, s blob.Store, lost *MovedError) (bool, error) {
	if lost == nil {
		there, err := p.lies(ctx, s)
		return err == nil && !there, err
	}
	return p.Key == lost.Key || slices.ContainsFunc(p.Files, func(f DropFile) bool { return f.Key == lost.Key }), nil
}

// other gives a part at the first of its further places where it lies.
func (p DropPart) other(ctx context.Context, s blob.Store) (DropPart, bool, error) {
	for i, a := range p.Also {
		there, err := a.lies(ctx, s)
		if err != nil {
			return p, false, err
		}
		if there {
			a.Also = slices.Delete(slices.Clone(p.Also), i, i+1)
			return a, true, nil
		}
	}
	return p, false, nil
}
