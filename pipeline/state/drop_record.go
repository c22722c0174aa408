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
	"github.com/pamline/pamline/pipeline/objects"
)

// DropRecord says what a drop consists of. It is written last into the drop's folder of the inbox,
// and gets further places of its parts later.
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
	// Folder marks a folder: stored as an uncompressed zip, or as the Files of it where they were
	// put. Then Key ends in "/".
	Folder bool       `json:"folder,omitempty"`
	Files  []DropFile `json:"files,omitempty"`
	// Also are further places of the same bytes, which have none themselves. The part is read there
	// when it has gone from here.
	Also []DropPart `json:"also,omitempty"`
	// Left is how many links and special files of a local folder were not packed. It is known only
	// to whoever has just taken the drop in.
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

// DropDigest names a drop by its content: the digest of its one part, or of the sorted digests of
// several. Names, order and repeated parts make no difference.
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
	_, err := objects.ReadJSON(ctx, s, DropKey(owner, drop, "drop.json"), &rec)
	if errors.Is(err, blob.ErrNotExist) {
		return rec, fault.Permanentf("drop the archive again", "read drop %s of %s: %w", drop, owner, err)
	}
	if err == nil {
		err = rec.Check(owner, drop)
	}
	return rec, err
}

// Check says why a record is not that of this drop. Whoever may put archives into an inbox may put
// a record there as well, so none is believed that leads out of the inbox of its owner. The root of
// the inbox, whose owner a setting names, counts as everybody's, but with the ETag, which only
// somebody with the content can tell.
func (d DropRecord) Check(owner, drop string) error {
	bad := d.Owner != owner || d.Drop != drop || len(d.Parts) == 0 || DropDigest(d.Parts) != drop
	for _, p := range d.Parts {
		bad = bad || p.isOutside(owner) || len(p.Also) > MaxAlso
		for _, a := range p.Also {
			bad = bad || a.isOutside(owner) || a.SHA256 != p.SHA256 || len(a.Also) > 0
		}
	}
	if bad {
		return fault.Permanentf("drop the archive again", "read drop %s of %s: its record was not written by pamline, or is damaged", drop, owner)
	}
	return nil
}

// isOutside tells whether a part names anything that is not in the inbox of its owner.
func (p DropPart) isOutside(owner string) bool {
	root := p.ETag != "" && strings.HasPrefix(p.Key, InboxRoot) && !strings.Contains(strings.TrimPrefix(p.Key, InboxRoot), "/")
	return !strings.HasPrefix(p.Key, InboxPrefix(owner)) && !root || slices.ContainsFunc(p.Files, func(f DropFile) bool {
		return !strings.HasPrefix(f.Key, p.Key) || !strings.HasSuffix(p.Key, "/")
	})
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

// Moved makes a permanent fault of the loss of a part that lies where a person put it. Other errors
// come through unchanged.
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
