package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
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

// dropDigest names a drop by its content: the digest of its one part, or of the sorted digests of several. Names, order
// and repeated parts make no difference.
func dropDigest(parts []DropPart) string {
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

// TakeIn copies files and folders from this machine into the owner's inbox as one drop. Taking the same content in
// again is cheap and changes nothing. scratch holds packed folders meanwhile.
func TakeIn(ctx context.Context, s blob.Store, owner string, paths []string, scratch string) (DropRecord, error) {
	s = outages{s}
	rec := DropRecord{V: 1, Owner: owner}
	if err := CheckOwner(owner); err != nil {
		return rec, err
	}
	files := map[string]string{} // digest → local file
	for _, path := range paths {
		part, file, err := localPart(ctx, path, scratch)
		if err != nil {
			return rec, err
		}
		if file != path {
			defer func() { _ = os.Remove(file) }() // scratch is emptied at the next start
		}
		if _, twice := files[part.SHA256]; !twice {
			files[part.SHA256] = file
			rec.Parts = append(rec.Parts, part)
		}
	}
	slices.SortFunc(rec.Parts, func(a, b DropPart) int { return strings.Compare(a.SHA256, b.SHA256) })
	rec.Drop = dropDigest(rec.Parts)
	for i := range rec.Parts {
		p := &rec.Parts[i]
		p.Key = dropKey(owner, rec.Drop, fmt.Sprintf("part-%03d", i))
		if err := putPart(ctx, s, *p, files[p.SHA256]); err != nil {
			return rec, err
		}
	}
	return rec, settleDrop(ctx, s, rec)
}

// localPart hashes a file, or packs a folder and hashes the pack; file is where the bytes are.
func localPart(ctx context.Context, path, scratch string) (p DropPart, file string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return p, "", &NamedError{"open", path, err}
	}
	p.Name = filepath.Base(path)
	file = path
	if info.IsDir() {
		p.Folder = true
		if file, p.Left, err = packFolder(ctx, path, scratch); err != nil {
			return p, "", err
		}
	} else if !info.Mode().IsRegular() {
		return p, "", &NamedError{"open", path, errors.New("it is neither a file nor a folder")}
	}
	f, err := os.Open(file)
	if err != nil {
		return p, "", &NamedError{"open", path, err}
	}
	defer f.Close()
	h := sha256.New()
	if p.Size, err = io.Copy(h, blob.ContextReader(ctx, f)); err != nil {
		return p, "", &NamedError{"read", path, err}
	}
	p.SHA256 = hex.EncodeToString(h.Sum(nil))
	return p, file, nil
}

func packFolder(ctx context.Context, path, scratch string) (packed string, left int, err error) {
	out, err := os.CreateTemp(scratch, "folder-*.zip")
	if err != nil {
		return "", 0, &NamedError{"pack folder", path, err}
	}
	left, err = archive.PackFolder(ctx, path, out, func(name string) bool { return name == completeName })
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return "", 0, &NamedError{"pack folder", path, errors.Join(err, os.Remove(out.Name()))}
	}
	return out.Name(), left, nil
}

// putPart stores a part unless it is there already, and checks that the bytes are still those that were hashed.
func putPart(ctx context.Context, s blob.Store, p DropPart, file string) error {
	if o, err := s.Head(ctx, p.Key); err == nil && o.Size == p.Size {
		return nil
	} else if err != nil && !errors.Is(err, blob.ErrNotExist) {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return &NamedError{"open", p.Name, err}
	}
	defer f.Close()
	v := &verifying{r: blob.ContextReader(ctx, f), h: sha256.New(), want: p.SHA256}
	if _, err := s.Put(ctx, p.Key, v, blob.PutOptions{IfAbsent: true}); err != nil && !errors.Is(err, blob.ErrPrecondition) {
		return &NamedError{"store", p.Name, err}
	}
	return nil
}

// verifying fails at the end of a stream whose digest is another than expected, so that nothing is stored under it.
type verifying struct {
	r    io.Reader
	h    hash.Hash
	want string
}

func (v *verifying) Read(p []byte) (int, error) {
	n, err := v.r.Read(p)
	v.h.Write(p[:n])
	if err == io.EOF && hex.EncodeToString(v.h.Sum(nil)) != v.want {
		return n, errors.New("the file changed while it was read: wait until it is complete and import it again")
	}
	return n, err
}

// readDrop gives the record of a drop.
func readDrop(ctx context.Context, s blob.Store, owner, drop string) (DropRecord, error) {
	var rec DropRecord
	_, err := readJSON(ctx, s, dropKey(owner, drop, "drop.json"), &rec)
	if errors.Is(err, blob.ErrNotExist) {
		return rec, permanent("drop the archive again", "read drop %s of %s: %w", drop, owner, err)
	}
	if err == nil {
		err = rec.check(owner, drop)
	}
	return rec, err
}

// check says why a record is not that of this drop. Whoever may put archives into an inbox may put a record there as well, so
// none is believed that leads out of the inbox of its owner. The root of the inbox, whose owner a setting names, counts as
// everybody's, but with the ETag that only who knows the content can tell.
func (d DropRecord) check(owner, drop string) error {
	bad := d.Owner != owner || d.Drop != drop || len(d.Parts) == 0 || dropDigest(d.Parts) != drop
	for _, p := range d.Parts {
		bad = bad || p.astray(owner) || len(p.Also) > maxAlso
		for _, a := range p.Also {
			bad = bad || a.astray(owner) || a.SHA256 != p.SHA256 || len(a.Also) > 0
		}
	}
	if bad {
		return permanent("drop the archive again", "read drop %s of %s: its record was not written by pamline, or is damaged", drop, owner)
	}
	return nil
}

// astray tells whether a part names anything that its owner's drops cannot be made of.
func (p DropPart) astray(owner string) bool {
	root := p.ETag != "" && strings.HasPrefix(p.Key, inboxRoot) && !strings.Contains(strings.TrimPrefix(p.Key, inboxRoot), "/")
	return !strings.HasPrefix(p.Key, inboxPrefix(owner)) && !root || slices.ContainsFunc(p.Files, func(f DropFile) bool {
		return !strings.HasPrefix(f.Key, p.Key) || !strings.HasSuffix(p.Key, "/")
	})
}
