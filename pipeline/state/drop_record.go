package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
)

// DropRecord says what a drop consists of. It is written last into the drop's folder of the inbox.
type DropRecord struct {
	V     int        `json:"v"`
	Owner string     `json:"owner"`
	Drop  string     `json:"drop"`
	Parts []DropPart `json:"parts"`
}

// DropPart is one archive of a drop. Name is what the person called it: a label for receipts.
type DropPart struct {
	Name   string `json:"name"`
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// ETag pins a part that lies where a person put it; "" for a copy of our own, under its digest.
	ETag string `json:"etag,omitempty"`
	// Folder marks a folder, stored as an uncompressed zip, or as the Files of it where they were put; then Key ends in "/".
	Folder bool       `json:"folder,omitempty"`
	Files  []DropFile `json:"files,omitempty"`
	// Also are further places of the same bytes, which have none themselves. The part is read there when it has gone from here.
	Also []DropPart `json:"also,omitempty"`
	// Left is how many links and special files of a local folder were not packed; only [TakeIn] tells it.
	Left int `json:"-"`
}

// DropFile is one object of a folder. Name is its path in there.
type DropFile struct {
	Name   string `json:"name"`
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	ETag   string `json:"etag"`
}

// Bytes is the size of all parts.
func (d DropRecord) Bytes() int64 {
	var n int64
	for _, p := range d.Parts {
		n += p.Size
	}
	return n
}

// DropDigest names a drop by its content: the digest of its one part, or of the sorted digests of several. Names, order
// and repeated parts make no difference.
func DropDigest(parts []DropPart) string {
	if len(parts) == 1 {
		return parts[0].SHA256
	}
	h := sha256.New()
	h.Write([]byte("pamline-drop/1\n"))
	for _, p := range parts {
		h.Write([]byte(p.SHA256 + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ReadDrop gives the record of a drop.
func ReadDrop(ctx context.Context, s blob.Store, owner, drop string) (DropRecord, error) {
	var rec DropRecord
	_, err := ReadJSON(ctx, s, DropKey(owner, drop, "drop.json"), &rec)
	if errors.Is(err, blob.ErrNotExist) {
		return rec, fault.Permanentf("drop the archive again", "read drop %s of %s: %w", drop, owner, err)
	}
	if err == nil {
		err = rec.Check(owner, drop)
	}
	return rec, err
}

// Check says why a record is not that of this drop. Whoever may put archives into an inbox may put a record there as well, so
// none is believed that leads out of the inbox of its owner. The root of the inbox, whose owner a setting names, counts as
// everybody's, but with the ETag that only who knows the content can tell.
func (d DropRecord) Check(owner, drop string) error {
	bad := d.Owner != owner || d.Drop != drop || len(d.Parts) == 0 || DropDigest(d.Parts) != drop
	for _, p := range d.Parts {
		bad = bad || p.astray(owner) || len(p.Also) > MaxAlso
		for _, a := range p.Also {
			bad = bad || a.astray(owner) || a.SHA256 != p.SHA256 || len(a.Also) > 0
		}
	}
	if bad {
		return fault.Permanentf("drop the archive again", "read drop %s of %s: its record was not written by pamline, or is damaged", drop, owner)
	}
	return nil
}

// astray tells whether a part names anything that its owner's drops cannot be made of.
func (p DropPart) astray(owner string) bool {
	root := p.ETag != "" && strings.HasPrefix(p.Key, InboxRoot) && !strings.Contains(strings.TrimPrefix(p.Key, InboxRoot), "/")
	return !strings.HasPrefix(p.Key, InboxPrefix(owner)) && !root || slices.ContainsFunc(p.Files, func(f DropFile) bool {
		return !strings.HasPrefix(f.Key, p.Key) || !strings.HasSuffix(p.Key, "/")
	})
}

const (
	// MaxAlso is how many further places of a part its record remembers.
	MaxAlso = 8
	// alsoFiles is how many files those of them that are folders have together, but for the first: the record is read whenever the
	// drop is.
	alsoFiles = DefaultParts
)

// At tells whether two parts of the same content lie at one place.
func (p DropPart) At(q DropPart) bool {
	return p.Key == q.Key && p.ETag == q.ETag && slices.Equal(p.Files, q.Files)
}

// Joined gives the record that a drop should have after it has been hashed once more, at the places of here. What lies where the
// record says stays there, and the place is remembered as a further one; what has gone lies here now. changed is false when the
// record says so already.
func (d DropRecord) Joined(ctx context.Context, s blob.Store, here DropRecord) (out DropRecord, changed bool, err error) {
	out = d
	out.Parts = slices.Clone(d.Parts)
	for i, now := range here.Parts {
		p := d.Parts[i] // both are in the order of their digests
		if p.At(now) {
			continue
		}
		there, err := p.lies(ctx, s)
		switch {
		case err != nil:
			return d, false, err
		case !there:
			now.Also = slices.DeleteFunc(slices.Clone(p.Also), func(a DropPart) bool { return a.Key == now.Key })
			out.Parts[i], changed = now, true
		case !slices.ContainsFunc(p.Also, now.At):
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

// LostWith tells whether a part is the one, or has the file, that was lost. Of a copy of our own nobody has told which.
func (p DropPart) LostWith(ctx context.Context, s blob.Store, lost *MovedError) (bool, error) {
	if lost == nil {
		there, err := p.lies(ctx, s)
		return err == nil && !there, err
	}
	return p.Key == lost.Key || slices.ContainsFunc(p.Files, func(f DropFile) bool { return f.Key == lost.Key }), nil
}

// Other gives a part at the first of its further places where it lies.
func (p DropPart) Other(ctx context.Context, s blob.Store) (DropPart, bool, error) {
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

// InPlace tells whether a part lies where its record says, unchanged.
func (p DropPart) InPlace(ctx context.Context, s blob.Store) (bool, error) {
	there, err := p.lies(ctx, s)
	if err != nil || there {
		return there, err
	}
	_, there, err = p.Other(ctx, s)
	return there, err
}

// lies tells whether a part is still where it is looked for first.
func (p DropPart) lies(ctx context.Context, s blob.Store) (bool, error) {
	if p.Files == nil {
		o, err := s.Head(ctx, p.Key)
		if IsMissing(err) {
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

func hasRoomFor(also []DropPart, now DropPart) bool {
	files := len(now.Files)
	for _, a := range also {
		files += len(a.Files)
	}
	return len(also) == 0 || len(also) < MaxAlso && files <= alsoFiles
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

// LogText leaves out the key, which is a person's file name.
func (e *MovedError) LogText() string {
	return "a part of the drop is no longer in the inbox, or was replaced (the receipt says more)"
}

// Moved makes the end of a part that lies where a person put it permanent. A copy of our own that is missing is as before.
func Moved(key string, err error) error {
	e := &MovedError{Key: key}
	switch {
	case errors.Is(err, blob.ErrNotExist):
		e.Gone = true
	case !errors.Is(err, blob.ErrChanged):
		return err
	}
	return &fault.Fault{Class: fault.Permanent, Err: e, Hint: "put the archive into the inbox again, under any name; what lies there now is a drop of its own"}
}

// DefaultParts is how many files a folder may have when the settings say nothing else.
const DefaultParts = 10_000
